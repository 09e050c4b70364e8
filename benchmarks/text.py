"""Text: error, log-loss, CPU time and memory beside scikit-learn, on a table of software packages and on a corpus.

``python -m benchmarks.text --output benchmarks/results/text.md``; ``--slow`` adds logistic regression, which takes
minutes, and boosted trees on the other columns, ``--megabytes 500`` sets the size of the generated corpus, which is
written to a file part by part. Every model runs in a process of its own; where one fails, for want of memory, say, its
line says so. The table is ``text/debian-packages.parquet`` in the folder that ``BAYFOLD_DATA`` names.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier
from benchmarks.child import ONE_THREAD, ChildFailedError, Job, run_job
from benchmarks.measure import peak_resident_bytes
from benchmarks.report import describe_run, publish

WORDS_OF_CORPUS = 400_000
"""Different words of the generated corpus, drawn by Zipf's law: more than are kept."""

WORDS_PER_TEXT = 120
"""About 800 bytes, a short message."""

BYTES_PER_WORD = 6.6
"""Of the corpus on average, with the space behind it."""

TEXTS_AT_ONCE = 1 << 15
"""Texts of the corpus that are made and written together: 25 megabytes."""


def read_packages() -> tuple[pa.Table, np.ndarray, np.ndarray, np.ndarray]:
    """The table, its classes, and the rows of the first of three folds."""
    folder = Path(os.environ["BAYFOLD_DATA"])
    table = pq.read_table(folder / "text" / "debian-packages.parquet")
    y = np.array(table.column("section").to_pylist())
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    train, test = next(iter(folds.split(y, y)))
    return table.drop(["section"]), y, train, test


def join_texts(table: pa.Table, columns: list[str]) -> list[str]:
    """The cells of some columns as one text, as scikit-learn wants it."""
    cells = zip(*(table.column(name).to_pylist() for name in columns), strict=True)
    return [" ".join(cell or "" for cell in row) for row in cells]


PEERS: dict[str, Callable[[], Any]] = {
    "CountVectorizer + MultinomialNB": lambda: make_pipeline(CountVectorizer(), MultinomialNB()),
    "CountVectorizer + ComplementNB": lambda: make_pipeline(CountVectorizer(), ComplementNB()),
    "tf-idf + SGD (log-loss)": lambda: make_pipeline(
        TfidfVectorizer(), SGDClassifier(loss="log_loss", alpha=1e-5, random_state=0)
    ),
}

SLOW_PEERS: dict[str, Callable[[], Any]] = {
    "tf-idf + LogisticRegression(C=10)": lambda: make_pipeline(
        TfidfVectorizer(), LogisticRegression(C=10, max_iter=200)
    ),
}

OF_OTHER_COLUMNS: dict[str, Callable[[], Any]] = {
    "HistGradientBoosting, the other columns": lambda: HistGradientBoostingClassifier(
        max_iter=50, random_state=0
    ),
}

FROM_DISK = "bayfold, fit_source from a file"

OURS: dict[str, Callable[[], Any]] = {
    "bayfold": lambda: NaiveBayesClassifier(n_jobs=1),
    "bayfold, ngrams=(1, 2)": lambda: NaiveBayesClassifier(ngrams=(1, 2), n_jobs=1),
    "bayfold, calibration=None": lambda: NaiveBayesClassifier(calibration=None, n_jobs=1),
    "bayfold, boosted": lambda: BoostedNaiveBayesClassifier(n_jobs=1),
}


def measure(
    name: str, columns: list[str], texts: list[str], repeats: int
) -> dict[str, float | None]:
    """Error in percent, log-loss, the shortest CPU seconds of fit and of prediction, and the memory of a fit."""
    warnings.simplefilter("ignore")
    table, y, train, test = read_packages()
    make = {**OURS, **PEERS, **SLOW_PEERS, **OF_OTHER_COLUMNS}[name]
    X: Any = table.select(columns)
    if name in OF_OTHER_COLUMNS:
        X = encode_columns(table)
    elif name not in OURS:
        X = np.array(join_texts(table, texts), object)
    take = X.take if name in OURS else X.__getitem__
    data, new, truth = take(train), take(test), y[test]
    if name in OURS:
        make().fit(data, y[train])  # compiled before the clock starts
    fits: list[float] = []
    answers: list[float] = []
    model: Any = None

    def fit() -> None:
        nonlocal model
        start = time.process_time()
        model = make().fit(data, y[train])
        fits.append(time.process_time() - start)

    peak = peak_resident_bytes(fit)
    for _ in range(repeats):
        if len(fits) < repeats:
            fit()
        start = time.process_time()
        p = model.predict_proba(new)
        answers.append(time.process_time() - start)
    wrong = 100 * float(np.mean(model.classes_[p.argmax(axis=1)] != truth))
    loss = float(log_loss(truth, np.clip(p, 1e-15, 1), labels=model.classes_))
    memory = None if peak is None else peak / 1e6
    return {"error": wrong, "loss": loss, "fit": min(fits), "predict": min(answers), "MB": memory}


def encode_columns(table: pa.Table) -> np.ndarray:
    """The columns that are no texts, as numbers."""
    others = table.drop(["package", "description", "depends"])
    columns = [
        column.dictionary_encode().combine_chunks().indices.to_numpy(zero_copy_only=False)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        else column.to_numpy()
        for column in others.columns
    ]
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def compare_packages(columns: list[str], texts: list[str], slow: bool) -> str:
    """A table of all models, each in a process of its own; ours see columns as they are, the peers one text."""
    lines = ["| model | error % | log-loss | fit s | predict s | MB |", "|---|---|---|---|---|---|"]
    names = dict.fromkeys(OURS, 3) | dict.fromkeys(PEERS, 2)
    names |= dict.fromkeys(SLOW_PEERS, 1) if slow else {}
    names |= dict.fromkeys(OF_OTHER_COLUMNS, 1) if len(columns) > 1 and slow else {}
    for name, repeats in names.items():
        arguments = {"name": name, "columns": columns, "texts": texts, "repeats": repeats}
        try:
            found = run_job(Job(name, "benchmarks.text:measure", arguments, ONE_THREAD))
        except ChildFailedError as error:
            lines.append(f"| {error} | | | | | |")
            continue
        memory = "" if found["MB"] is None else f"{found['MB']:.0f}"
        lines.append(
            f"| {name} | {found['error']:.1f} | {found['loss']:.3f} | {found['fit']:.3f} "
            f"| {found['predict']:.3f} | {memory} |"
        )
        print(lines[-1], flush=True)
    return "\n".join(lines)


def write_corpus(megabytes: float, path: str) -> None:
    """Texts of two classes, words by Zipf's law; a few words are more frequent in one class."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    lengths = rng.integers(3, 10, WORDS_OF_CORPUS)
    words = pa.array(["".join(rng.choice(letters, n)) for n in lengths])
    share = 1.0 / np.arange(1, WORDS_OF_CORPUS + 1)
    bounds = np.cumsum(share / share.sum())
    n_texts = int(megabytes * 1e6 / (WORDS_PER_TEXT * BYTES_PER_WORD))
    n_moved = WORDS_PER_TEXT // 10
    schema = pa.schema({"text": pa.large_string(), "class": pa.int64()})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_texts, TEXTS_AT_ONCE):
            y = rng.integers(0, 2, min(TEXTS_AT_ONCE, n_texts - start))
            places = np.searchsorted(bounds, rng.random((len(y), WORDS_PER_TEXT)))
            places[:, :n_moved] += (places[:, :n_moved] + y[:, None]) % 2
            places = np.minimum(places, WORDS_OF_CORPUS - 1)
            ends = np.arange(0, places.size + 1, WORDS_PER_TEXT, dtype=np.int32)
            rows = pa.ListArray.from_arrays(ends, words.take(pa.array(places.ravel())))
            texts = pc.binary_join(rows, " ").cast(pa.large_string())
            writer.write_table(pa.table({"text": texts, "class": y}, schema=schema))


def measure_corpus(name: str, path: str) -> dict[str, float]:
    """CPU seconds of fit and prediction of one column of text, and the memory of the fit beyond the texts given."""
    warnings.simplefilter("ignore")
    few = next(pq.ParquetFile(path).iter_batches(2000))
    few_classes = few.column("class").to_numpy()
    OURS["bayfold"]().fit(pa.table({"text": few.column("text")}), few_classes)  # compiled
    X: Any = None
    y = np.empty(0)
    if name != FROM_DISK:
        table = pq.read_table(path)
        y = table.column("class").to_numpy()
        X = table.select(["text"]) if name in OURS else table.column("text").to_pylist()
        del table
    model: Any = None
    seconds = 0.0

    def fit() -> None:
        nonlocal model, seconds
        start = time.process_time()
        if name == FROM_DISK:
            model = NaiveBayesClassifier(n_jobs=1).fit_source(path, "class", progress=False)
        else:
            model = {**OURS, **PEERS}[name]().fit(X, y)
        seconds = time.process_time() - start

    peak = peak_resident_bytes(fit)
    found = {"fit": seconds, "MB": (peak or 0) / 1e6}
    if name != FROM_DISK:
        begin = time.process_time()
        model.predict(X)
        found["predict"] = time.process_time() - begin
    return found


def compare_corpus(megabytes: float) -> str:
    """A table of one column of text, each model in a process of its own."""
    lines = ["| model | fit s | predict s | MB |", "|---|---|---|---|"]
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "corpus.parquet")
        write_corpus(megabytes, path)
        for name in ("bayfold", FROM_DISK, "CountVectorizer + MultinomialNB"):
            arguments = {"name": name, "path": path}
            try:
                found = run_job(Job(name, "benchmarks.text:measure_corpus", arguments, ONE_THREAD))
            except ChildFailedError as error:
                lines.append(f"| {error} | | | |")
                continue
            predict = f"{found['predict']:.1f}" if "predict" in found else ""
            lines.append(f"| {name} | {found['fit']:.1f} | {predict} | {found['MB']:.0f} |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def draw_picture(path: Path) -> None:
    """The strongest words of the descriptions of each section."""
    import matplotlib as mpl

    mpl.use("Agg")
    from bayfold.plot import plot_evidence

    table, y, _, _ = read_packages()
    model = NaiveBayesClassifier(n_jobs=1).fit(table.select(["description"]), y)
    plot_evidence(model, "description").figure.savefig(path, dpi=90)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--slow", action="store_true", help="logistic regression too")
    parser.add_argument("--megabytes", type=float, default=500.0)
    parser.add_argument("--picture", type=Path, help="draw the words of each class and end")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.picture is not None:
        draw_picture(arguments.picture)
        return
    slow = " --slow" if arguments.slow else ""
    command = f"python -m benchmarks.text{slow} --megabytes {arguments.megabytes:g}"
    table, *_ = read_packages()
    everything = ["package", "description", "depends"]
    parts = ["# Text", describe_run(command)]
    parts += [
        "61,832 software packages in 47 sections, the first of three folds; CPU seconds, one thread; MB is how far a "
        "fit raises resident memory. The least of two or three runs; medians of runs in turn: "
        "[text_in_turn.md](text_in_turn.md)."
    ]
    parts += [
        "## The description alone",
        compare_packages(["description"], ["description"], arguments.slow),
    ]
    whole = compare_packages(table.column_names, everything, arguments.slow)
    parts += ["## The whole table (the peers: its three texts as one)", whole]
    parts += [
        f"## A corpus of {arguments.megabytes:g} MB, two classes",
        compare_corpus(arguments.megabytes),
    ]
    publish("\n\n".join(parts) + "\n", arguments.output)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
