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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bayfold
from bayfold.errors import ExportError, ModelFileError
from bayfold.persist.archive import ARRAYS, DOCUMENT
from bayfold.persist.arrays import ArrayWriter, StoredArrays
from tests.persist.models import MODELS, fitted, saved, table
from tests.persist.mutations import change_values, document_of, entries_of, packed

Random = np.random.Generator

DOCUMENTED = (ExportError, ModelFileError, ValueError, TypeError, AttributeError)
"""Types of errors that a method may raise in words; KeyError, IndexError, OverflowError and others are findings."""

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
    target = getattr(model, "classes_", None)
    more = numbers[:30] if target is None else np.resize(target, 30)
    names = ["predict", "predict_proba", "predict_log_proba", "decision_function", "explain"]
    names += ["score_samples", "transform", "predict_distribution", "predict_interval"]
    names += ["predict_quantiles"]
    uses = {name: lambda name=name: getattr(model, name)(X[:30]) for name in names}
    for name in ("to_sql", "to_json", "to_onnx", "to_scorecard", "summary", "_repr_html_"):
        uses[name] = lambda name=name: getattr(model, name)()
    for name in ("evidence_", "feature_importances_", "column_weights_", "components_"):
        uses[name] = lambda name=name: getattr(model, name)
    uses["repr"] = lambda: repr(model)
    uses["export_text"] = lambda: model.export_text()
    uses["summary html"] = lambda: model.summary()._repr_html_()
    uses["staged"] = lambda: list(model.staged_predict_proba(X[:30]))
    uses["collapse"] = lambda: model.collapse()
    uses["sample"] = lambda: model.sample(5)
    uses["save"] = lambda: saved(model)
    uses["with_priors"] = lambda: model.with_priors(np.full(len(target), 1 / len(target)))
    uses["plot_model"] = lambda: bayfold.plot.plot_model(model)
    uses["+"] = lambda: model + model
    uses["partial_fit"] = lambda: model.partial_fit(X[:30], more)  # last: it changes the model
    return {name: use for name, use in uses.items() if name in ("+",) or _has(model, name)}


def _has(model: Any, name: str) -> bool:
    own = {"repr": "__repr__", "summary html": "summary", "staged": "staged_predict_proba"}
    name = own.get(name, name)
    return name == "plot_model" or hasattr(type(model), name)


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
            except DOCUMENTED as error:
                if not isinstance(error, UnicodeError):
                    continue
                found.append(f"{type(model).__name__}.{name}: {_place(error)}")
            except Exception as error:
                found.append(f"{type(model).__name__}.{name}: {_place(error)}")
            finally:
                _close_figures()
    return found or ["a model that answers or says why not"]


def _close_figures() -> None:
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _place(error: Exception) -> str:
    own = [f for f in traceback.extract_tb(error.__traceback__) if "bayfold" in f.filename]
    where = f"{Path(own[-1].filename).name}:{own[-1].name}" if own else "?"
    return f"{type(error).__name__} in {where}"


def mutate(number: int, names: tuple[str, ...]) -> tuple[str, bytes]:
    """The file of a number: the same in every process."""
    rng = np.random.default_rng(number)
    content = saved(fitted(names[number % len(names)]))
    if rng.random() < 0.3:
        return "values", change_values(content, content, rng)
    return change_one_array(content, rng)


def run(numbers: range, names: tuple[str, ...] = tuple(MODELS)) -> Counter[tuple[str, str]]:
    """What became of the files of these numbers, by change and outcome, in this process."""
    found: Counter[tuple[str, str]] = Counter()
    for number in numbers:
        change, content = mutate(number, names)
        found.update((change, outcome) for outcome in find_outcome(content))
    return found


def work(start: int, stop: int, report: str) -> None:
    """Write a line before each file and one behind it: the parent learns which one ended the process."""
    names = tuple(MODELS)
    with open(report, "a") as file:
        for number in range(start, stop):
            print(json.dumps([number, names[number % len(names)]]), file=file, flush=True)
            change, content = mutate(number, names)
            print(json.dumps([number, change, find_outcome(content)]), file=file, flush=True)


def read_report(report: str) -> tuple[int, list[list[Any]]]:
    """The last number that was begun, and what is known of those that were ended."""
    lines = [json.loads(line) for line in Path(report).read_text().splitlines()]
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
            report = str(Path(folder, "report"))
            Path(report).touch()
            command = [sys.executable, "-m", __spec__.name, "work", str(start), str(stop), report]
            try:
                code = subprocess.run(
                    command, env=environment, timeout=SECONDS_PER_FILE * (stop - start)
                ).returncode
            except subprocess.TimeoutExpired:
                code = 1
            last, ended = read_report(report)
        for number, _, outcomes in ended:
            found.update(outcomes)
            for outcome in outcomes:
                if ": " in outcome:
                    print(number, outcome, flush=True)
        if code:
            found[f"process ended by {code}"] += 1
            print(last, "ended the process with", code, flush=True)
        start = last + 1 if code else stop
    print(f"\n{n} files from number {first}:")
    for outcome, times in found.most_common():
        print(f"{times:7d} {outcome}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        main(*map(int, sys.argv[1:]))
