"""Text: error, log-loss and CPU time beside scikit-learn, on a table of software packages and on a generated corpus.

``python -m benchmarks.text --output benchmarks/results/text.md``; ``--slow`` adds logistic regression, which takes
minutes, ``--megabytes 500`` sets the size of the corpus. The table is ``text/debian-packages.parquet`` in the folder
that ``BAYFOLD_DATA`` names.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier
from benchmarks.report import describe_run, publish

WORDS_OF_CORPUS = 400_000
"""Different words of the generated corpus, drawn by Zipf's law: more than are kept."""

WORDS_PER_TEXT = 120
"""About 800 bytes, a short message."""


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

OURS: dict[str, Callable[[], Any]] = {
    "bayfold": lambda: NaiveBayesClassifier(n_jobs=1),
    "bayfold, ngrams=(1, 2)": lambda: NaiveBayesClassifier(ngrams=(1, 2), n_jobs=1),
    "bayfold, calibration=None": lambda: NaiveBayesClassifier(calibration=None, n_jobs=1),
    "bayfold, boosted": lambda: BoostedNaiveBayesClassifier(n_jobs=1),
}


def measure(make: Callable[[], Any], data: tuple, repeats: int) -> dict[str, float]:
    """Error in percent, log-loss, and the shortest CPU seconds of fit and of prediction."""
    X, y, new, truth = data
    fits, answers, model, p = [], [], None, np.empty(0)
    for _ in range(repeats):
        start = time.process_time()
        model = make().fit(X, y)
        middle = time.process_time()
        p = model.predict_proba(new)
        fits.append(middle - start)
        answers.append(time.process_time() - middle)
    assert model is not None
    wrong = 100 * np.mean(model.classes_[p.argmax(axis=1)] != truth)
    loss = log_loss(truth, np.clip(p, 1e-15, 1), labels=model.classes_)
    return {"error": wrong, "loss": loss, "fit": min(fits), "predict": min(answers)}


def compare_packages(columns: list[str], texts: list[str], slow: bool) -> str:
    """A table of all models; ours see columns as they are, the peers one text."""
    table, y, train, test = read_packages()
    chosen = table.select(columns)
    ours = chosen.take(train), y[train], chosen.take(test), y[test]
    joined = np.array(join_texts(table, texts), object)
    peers = list(joined[train]), y[train], list(joined[test]), y[test]
    lines = ["| model | error % | log-loss | fit s | predict s |", "|---|---|---|---|---|"]
    rows = [(name, make, ours, 3) for name, make in OURS.items()]
    rows += [(name, make, peers, 2) for name, make in PEERS.items()]
    rows += [(name, make, peers, 1) for name, make in (SLOW_PEERS if slow else {}).items()]
    for name, make, data, repeats in rows:
        found = measure(make, data, repeats)
        lines.append(
            f"| {name} | {found['error']:.1f} | {found['loss']:.3f} | {found['fit']:.2f} | {found['predict']:.2f} |"
        )
        print(lines[-1], flush=True)
    return "\n".join(lines)


def make_corpus(megabytes: float) -> tuple[pa.Table, np.ndarray]:
    """Texts of two classes, words by Zipf's law; a few words are more frequent in one class."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    lengths = rng.integers(3, 10, WORDS_OF_CORPUS)
    words = np.array(["".join(rng.choice(letters, n)) for n in lengths], object)
    n_texts = int(megabytes * 1e6 / (WORDS_PER_TEXT * 6.6))
    y = rng.integers(0, 2, n_texts)
    texts, share = [], 1.0 / np.arange(1, WORDS_OF_CORPUS + 1)
    bounds = np.cumsum(share / share.sum())
    for label in y:
        places = np.searchsorted(bounds, rng.random(WORDS_PER_TEXT))
        places[: WORDS_PER_TEXT // 10] += (places[: WORDS_PER_TEXT // 10] + label) % 2
        texts.append(" ".join(words[np.minimum(places, WORDS_OF_CORPUS - 1)]))
    return pa.table({"text": pa.array(texts, pa.large_string())}), y


def compare_corpus(megabytes: float) -> str:
    """CPU seconds of fit and prediction of one column of text."""
    table, y = make_corpus(megabytes)
    some = table.slice(0, 2000)
    lines = ["| model | fit s | predict s |", "|---|---|---|"]
    NaiveBayesClassifier(n_jobs=1).fit(some, y[:2000])  # compiled before the clock starts
    for name, make, is_ours in (
        ("bayfold", OURS["bayfold"], True),
        ("CountVectorizer + MultinomialNB", PEERS["CountVectorizer + MultinomialNB"], False),
    ):
        X: Any = table if is_ours else table.column("text").to_pylist()
        start = time.process_time()
        model = make().fit(X, y)
        middle = time.process_time()
        model.predict(X)
        end = time.process_time()
        lines.append(f"| {name} | {middle - start:.1f} | {end - middle:.1f} |")
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
        "61,832 software packages in 47 sections, the first of three folds; CPU seconds, one thread."
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
