"""Model files whose arrays and values are others under a right checksum, and every method called on what loads.

``python -m tests.persist.structure 10000`` runs in processes of its own under ``NUMBA_BOUNDSCHECK=1`` and counts what
became of the files. Set ``NUMBA_CACHE_DIR`` to a folder outside the repository: kernels with bounds checks must not
take the place of those without. A process that dies is counted with its signal, and the next begins behind that file.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.exceptions import NotFittedError

import bayfold
from bayfold import plot, report
from bayfold.errors import ExportError, ModelFileError
from bayfold.persist.archive import ARRAYS, DOCUMENT
from bayfold.persist.arrays import ArrayWriter, StoredArrays
from tests.persist.models import MODELS, fitted, saved, table
from tests.persist.mutations import change_values, document_of, entries_of, packed

Random = np.random.Generator

WORDED = (ValueError, TypeError, AttributeError, NotImplementedError)
"""Types of errors that a method may raise in words of bayfold. Others, and those of these types that come from
somewhere else (a shape that NumPy does not like), are findings."""

PACKAGE = Path(bayfold.__file__).parent

OF_ROWS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "explain",
    "score_samples",
    "transform",
    "predict_distribution",
    "predict_interval",
    "predict_quantiles",
    "bic",
    "staged_predict",
    "staged_predict_proba",
)
OF_MODEL = (
    "to_sql",
    "to_json",
    "to_onnx",
    "to_scorecard",
    "_repr_html_",
    "export_text",
    "collapse",
)
SHOWN = (
    "evidence_",
    "feature_importances_",
    "column_weights_",
    "components_",
    "selection_",
    "trace_",
    "bandwidths_",
    "mutual_information_",
)
PLOTS = ("plot_model", "plot_nomogram", "plot_interaction", "plot_mixture", "plot_tree")

SECONDS_PER_FILE = 120.0
"""After which a process is taken to hang; most of it is compilation in the first files."""


def change_items(array: np.ndarray, rng: Random) -> np.ndarray:
    """Some items, or all, negative, huge, NaN or infinite."""
    changed = array.copy()
    if array.dtype.kind == "f":
        odd = (-1.0, -1e6, 1e300, 2.0**60, np.nan, np.inf, -np.inf, 0.0)
    else:
        bounds = np.iinfo(array.dtype)
        odd = (bounds.min, bounds.max, 0, min(bounds.max, 70_000), int(array.max()) + 1)
    with np.errstate(all="ignore"):
        value = np.array(odd[rng.integers(len(odd))]).astype(array.dtype)
    places = rng.random(array.shape) < (1.0 if rng.random() < 0.2 else 0.1)
    places.reshape(-1)[rng.integers(array.size)] = True
    changed[places] = value
    return changed


def negate(array: np.ndarray, rng: Random) -> np.ndarray:
    return (-array.astype(np.float64)).astype(array.dtype)


def permute(array: np.ndarray, rng: Random) -> np.ndarray:
    return rng.permutation(array.reshape(-1)).reshape(array.shape)


def shorten(array: np.ndarray, rng: Random) -> np.ndarray:
    return array[: rng.integers(len(array))] if array.ndim else array


def change_type(array: np.ndarray, rng: Random) -> np.ndarray:
    names = ("<f8", "<f4", "<i8", "<i4", "<u1")
    with np.errstate(all="ignore"):
        return array.astype(names[rng.integers(len(names))])


def turn(array: np.ndarray, rng: Random) -> np.ndarray:
    return np.ascontiguousarray(array.T)


CHANGES: dict[str, Callable[[np.ndarray, Random], np.ndarray]] = {
    "items": change_items,
    "negated": negate,
    "permuted": permute,
    "shortened": shorten,
    "type": change_type,
    "turned": turn,
}


def change_one_array(content: bytes, rng: Random) -> tuple[str, bytes]:
    """A file with one array changed, or two exchanged, and the name of the change."""
    document = document_of(content)
    blob = entries_of(content)[ARRAYS]
    stored = StoredArrays(document["arrays"], document["pieces"], blob)
    arrays = [stored.array(k) for k in range(len(document["arrays"]))]
    numeric = [k for k, array in enumerate(arrays) if array.size and array.dtype.kind in "iuf"]
    one, other = (numeric[k] for k in rng.integers(0, len(numeric), 2))
    name = [*CHANGES, "items", "items", "exchanged"][rng.integers(len(CHANGES) + 3)]
    if name == "exchanged":
        arrays[one], arrays[other] = arrays[other], arrays[one]
    else:
        arrays[one] = CHANGES[name](arrays[one], rng)
    writer = ArrayWriter()
    places = [writer.add(array.copy()) for array in arrays]
    assert places == list(range(len(arrays)))
    document |= {"arrays": writer.table, "pieces": writer.pieces}
    entries = entries_of(content) | {ARRAYS: writer.blob, DOCUMENT: json.dumps(document).encode()}
    return name, packed(entries)


def uses_of(model: Any) -> dict[str, Callable[[], Any]]:
    """Every question that a model can be asked, by name."""
    X, _, numbers = table()
    X = X[["x", "few", "z"]] if isinstance(model, bayfold.MDLDiscretizer) else X
    some = X[:30]
    target = getattr(model, "classes_", None)
    more = numbers[:30] if target is None else np.resize(target, 30)
    uses: dict[str, Callable[[], Any]] = {}
    for name in OF_ROWS:
        uses[name] = lambda name=name: exhaust(getattr(model, name)(some))
    for name in OF_MODEL:
        uses[name] = lambda name=name: getattr(model, name)()
    for name in SHOWN:
        uses[name] = lambda name=name: getattr(model, name)
    uses["densities"] = lambda: model.densities("x")
    uses["draw"] = lambda: model.draw(some, 2, random_state=1)
    uses["sample"] = lambda: model.sample(5)
    uses["score"] = lambda: model.score(some, more)
    uses["measure_coverage"] = lambda: model.measure_coverage(some, more)
    uses["save"] = lambda: saved(model)
    uses["with_priors"] = lambda: model.with_priors(np.full(len(target), 1 / len(target)))
    uses["predict_source"] = lambda: predict_to_file(model, some)
    uses = {name: use for name, use in uses.items() if hasattr(type(model), name)}
    uses["repr"] = lambda: repr(model)
    uses["summary html"] = lambda: model.summary()._repr_html_()
    uses["summary text"] = lambda: str(model.summary())
    uses["report"] = lambda: report.gather(model, some)
    for name in PLOTS:
        uses[name] = lambda name=name: getattr(plot, name)(model)
    uses["plot_evidence"] = lambda: plot.plot_evidence(model, "x")
    uses["plot_explanation"] = lambda: plot.plot_explanation(model, some[:1])
    uses["plot_distribution"] = lambda: plot.plot_distribution(model, some[:3])
    if hasattr(type(model), "__add__"):
        uses["+"] = lambda: model + model
    if hasattr(type(model), "partial_fit"):  # last: it changes the model
        uses["partial_fit"] = lambda: model.partial_fit(some, more)
        uses["predict after partial_fit"] = lambda: model.predict(some)
    return uses


def predict_to_file(model: Any, rows: pd.DataFrame) -> None:
    batch = pa.RecordBatch.from_pandas(rows, preserve_index=False)
    with tempfile.TemporaryDirectory() as folder:
        model.predict_source(lambda: [batch], Path(folder, "answers.parquet"), progress=False)


def exhaust(answer: Any) -> Any:
    """An answer, with all that is only worked out when it is asked for."""
    if hasattr(answer, "ppf"):
        return answer.mean(), answer.ppf([0.1, 0.5]), answer.sample(3, 0)
    return list(answer) if hasattr(answer, "__next__") else answer


def is_worded(error: Exception) -> bool:
    """Whether bayfold itself raised an error, always in words; or scikit-learn, of a method that is not there."""
    if isinstance(error, ExportError | ModelFileError | NotFittedError):
        return True
    if not isinstance(error, WORDED) or isinstance(error, UnicodeError):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1]
    own = PACKAGE in Path(last.filename).parents and "raise " in (last.line or "")
    return own or last.filename.endswith(("_available_if.py", "_param_validation.py"))


def find_outcome(content: bytes) -> list[str]:
    """What became of a file: refused, works, or each use that ended in something else than a documented error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = bayfold.load(io.BytesIO(content))
        except ModelFileError:
            return ["refused"]
        found = []
        for name, use in uses_of(model).items():
            try:
                use()
            except Exception as error:
                if not is_worded(error):
                    found.append(f"{type(model).__name__}.{name}: {_place(error)}")
            finally:
                _close_figures()
    return found or ["a model that answers or says why not"]


def _close_figures() -> None:
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if PACKAGE in Path(frame.filename).parents]
    where = f"{Path(own[-1].filename).name}:{own[-1].name}" if own else "?"
    return f"{type(error).__name__} in {where}: {str(error)[:90]!r}"


def mutate(number: int, names: tuple[str, ...]) -> tuple[str, bytes]:
    """The file of a number: the same in every process."""
    rng = np.random.default_rng(number)
    content = saved(fitted(names[number % len(names)]))
    if rng.random() < 0.3:
        return "values", change_values(content, content, rng)
    return change_one_array(content, rng)


def run(numbers: Iterable[int], names: tuple[str, ...] = tuple(MODELS)) -> Counter[tuple[str, str]]:
    """What became of the files of these numbers, by change and outcome, in this process."""
    found: Counter[tuple[str, str]] = Counter()
    for number in numbers:
        change, content = mutate(number, names)
        found.update((change, outcome) for outcome in find_outcome(content))
    return found


def work(start: int, stop: int, log: str) -> None:
    """Write a line before each file and one behind it: the parent learns which one ended the process."""
    names = tuple(MODELS)
    with open(log, "a") as file:
        for number in range(start, stop):
            print(json.dumps([number, names[number % len(names)]]), file=file, flush=True)
            change, content = mutate(number, names)
            print(json.dumps([number, change, find_outcome(content)]), file=file, flush=True)


def read_log(log: str) -> tuple[int, list[list[Any]]]:
    """The last number that was begun, and what is known of those that were ended."""
    lines = [json.loads(line) for line in Path(log).read_text().splitlines()]
    return max((line[0] for line in lines), default=-1), [line for line in lines if len(line) == 3]


def main(n: int, first: int = 0) -> None:
    """Run ``n`` files in processes of their own, and write what became of them."""
    assert "NUMBA_CACHE_DIR" in os.environ, (
        "Set NUMBA_CACHE_DIR to a folder outside the repository."
    )
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "MPLBACKEND": "Agg"}
    found: Counter[str] = Counter()
    start = first
    while start < first + n:
        stop = min(start + 500, first + n)
        with tempfile.TemporaryDirectory() as folder:
            log = str(Path(folder, "log"))
            Path(log).touch()
            command = [sys.executable, "-m", __spec__.name, "work", str(start), str(stop), log]
            try:
                code = subprocess.run(
                    command, env=environment, timeout=SECONDS_PER_FILE * (stop - start)
                ).returncode
            except subprocess.TimeoutExpired:
                code = 1
            last, ended = read_log(log)
        for number, _, outcomes in ended:
            found.update(outcomes)
            for outcome in outcomes:
                if ": " in outcome:
                    print(number, outcome, flush=True)
        if code:
            found[f"process ended by {code}"] += 1
            print(last, "ended the process with", code, flush=True)
        start = max(last, start) + 1 if code else stop
    print(f"\n{n} files from number {first}:")
    for outcome, times in found.most_common():
        print(f"{times:7d} {outcome}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        main(*map(int, sys.argv[1:]))
