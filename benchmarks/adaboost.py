"""One round of AdaBoost over naive Bayes: nanoseconds per row and column, and scikit-learn beside it.

*Round*: the time between two rounds of the boosting loop on coded rows, divided by rows and columns. *Fit*: ``fit``
with four rounds less ``fit`` with one, per further round, for ``AdaBoostNaiveBayesClassifier`` and for scikit-learn's
``AdaBoostClassifier`` over ``CategoricalNB`` on the same whole numbers, interleaved. Neither starts threads in a round.
Run it on an idle machine, from the root of the repository:

    python -m benchmarks.adaboost --output benchmarks/results/adaboost.md
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.naive_bayes import CategoricalNB

from bayfold import AdaBoostNaiveBayesClassifier
from bayfold.core.counts import LabelledRows
from bayfold.core.frames import find_groups, read_table
from bayfold.core.schema import infer_schema
from bayfold.errors import DataWarning
from bayfold.families.adaboost.m1 import TableBase, boost_m1
from bayfold.families.adaboost.row_weights import BoostedPart, RowWeights
from bayfold.families.trees.model import LeafSettings
from bayfold.families.trees.prepare import CodingPlan, prepare_rows
from benchmarks.measure import time_interleaved

N_COLUMNS = 20
N_VALUES = 10
N_HIDDEN = 5
ROUNDS = 4
LIMITS = {2: 3.0, 10: 8.0}
"""Nanoseconds per row and column that a round may take, by number of classes."""

LEAST_RATIO = 20.0


def make_codes(n_rows: int, n_classes: int, seed: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers that are noisy copies of a few hidden ones, on which the class depends.

    Columns that repeat each other are what makes naive Bayes wrong and boosting go on.
    """
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, N_VALUES, (n_rows, N_HIDDEN))
    scores = 0.1 * rng.gumbel(size=(n_rows, n_classes))
    for j in range(N_HIDDEN):
        scores += rng.normal(0, (j + 1) / 3, (N_VALUES, n_classes))[hidden[:, j]]
    is_copied = rng.random((n_rows, N_COLUMNS)) < np.linspace(0.5, 0.95, N_COLUMNS)
    noise = rng.integers(0, N_VALUES, (n_rows, N_COLUMNS))
    codes = np.where(is_copied, hidden[:, np.arange(N_COLUMNS) % N_HIDDEN], noise)
    return codes.astype(np.uint8), scores.argmax(axis=1)


def time_rounds(codes: np.ndarray, y: np.ndarray, repeats: int) -> float:
    """Nanoseconds per row and column of a round, the best of all."""
    table = read_table(codes.astype(np.float64))
    group_of, groups = find_groups(y)
    schema = infer_schema(table, None, frozenset(range(codes.shape[1])))
    rows = LabelledRows(table, groups, group_of)
    prepared = prepare_rows(rows, schema, plan=CodingPlan(), kind=BoostedPart)
    leaves = prepared.coding.binner.leaves
    data = prepared.rows.part.data
    seconds = []
    for _ in range(repeats):
        weights = RowWeights.of(data)
        base = TableBase(weights.rows, leaves, LeafSettings())
        rounds = boost_m1(weights, base, ROUNDS, np.random.RandomState(0))
        next(rounds)  # compiles, and has not reweighed
        for _ in range(ROUNDS - 1):
            start = time.perf_counter()
            made = next(rounds)
            seconds.append(time.perf_counter() - start)
            if made.n_restarts:
                raise SystemExit("a round was tried again: its time is not that of one round.")
    return 1e9 * min(seconds) / (data.rows.n_rows * codes.shape[1])


def fit_ours(codes: np.ndarray, y: np.ndarray, n_rounds: int) -> None:
    """Boost naive Bayes by bayfold."""
    model = AdaBoostNaiveBayesClassifier(
        n_rounds=n_rounds,
        calibration=None,
        categorical_features=list(range(N_COLUMNS)),
        n_jobs=1,
    )
    model.fit(codes, y)
    check_rounds(model.n_rounds_, n_rounds, "bayfold")


def fit_theirs(codes: np.ndarray, y: np.ndarray, n_rounds: int) -> None:
    """Boost naive Bayes by scikit-learn."""
    base = CategoricalNB(min_categories=N_VALUES)
    model = AdaBoostClassifier(base, n_estimators=n_rounds, random_state=0).fit(codes, y)
    check_rounds(len(model.estimators_), n_rounds, "scikit-learn")


def check_rounds(made: int, wanted: int, who: str) -> None:
    """A model that stopped early would look fast."""
    if made != wanted:
        raise SystemExit(f"{who} made {made} of {wanted} rounds: no fair comparison.")


def compare_fits(codes: np.ndarray, y: np.ndarray, repeats: int) -> tuple[float, float, float]:
    """Milliseconds per further round of each, and their ratio."""
    actions = {
        "ours, few": partial(fit_ours, codes, y, 1),
        "ours, many": partial(fit_ours, codes, y, ROUNDS),
        "theirs, few": partial(fit_theirs, codes, y, 1),
        "theirs, many": partial(fit_theirs, codes, y, ROUNDS),
    }
    actions["ours, few"]()
    actions["theirs, few"]()
    times = time_interleaved(actions, repeats)
    ours = (np.array(times["ours, many"]) - times["ours, few"]) / (ROUNDS - 1)
    peer = (np.array(times["theirs, many"]) - times["theirs, few"]) / (ROUNDS - 1)
    # a difference of two times may be off either way: compared are their medians
    mine, theirs = float(np.median(ours)), float(np.median(peer))
    return 1e3 * mine, 1e3 * theirs, theirs / mine


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)
    n_rows = int(arguments.rows)
    command = f"python -m benchmarks.adaboost --rows {n_rows} --repeats {arguments.repeats}"
    lines = [
        "# One round of AdaBoost over naive Bayes",
        "",
        f"Written by `{command}`. {n_rows:,} rows, {N_COLUMNS} columns of {N_VALUES} values, one thread.",
        "",
        "| classes | ns per row and column of a round | at most | reached | ms per round in fit | scikit-learn | ratio "
        "| at least | reached |",
        "|---:|---:|---:|---|---:|---:|---:|---:|---|",
    ]
    for n_classes, limit in LIMITS.items():
        codes, y = make_codes(n_rows, n_classes)
        nanoseconds = time_rounds(codes, y, arguments.repeats)
        ours, theirs, ratio = compare_fits(codes, y, arguments.repeats)
        marks = ["yes" if ok else "no" for ok in (nanoseconds <= limit, ratio >= LEAST_RATIO)]
        lines.append(
            f"| {n_classes} | {nanoseconds:.2f} | {limit:g} | {marks[0]} | {ours:.1f} | {theirs:.1f} | {ratio:.1f} "
            f"| {LEAST_RATIO:g} | {marks[1]} |"
        )
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
