"""What an order along all columns of numbers costs on new rows, and whether given bins are counted as others do.

Each table is cut in two by some seeds. `monotone="auto"` orders every column of numbers, most of which nobody would
order: the cost is that of the most that can be asked for. Bins are those of optbinning
(`pip install optbinning`, which may want an environment apart) and of `pandas.cut`; without optbinning the second part
has pandas alone.

    python -m benchmarks.shape --output benchmarks/results/shape.md
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.progress import track

from bayfold import (
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    NaiveBayesClassifier,
)
from bayfold.datasets import load_dataset, make_credit
from benchmarks.report import publish

CLASSES = ("diabetes", "heart-statlog", "breast-w", "credit-g")
NUMBERS = ("autoPrice", "housing", "cpu", "pwLinear")
SEEDS = 3
"""Cuts of each table: standard errors are of the differences over all of them."""

CUTS = {"age": [25, 32, 40, 55, 65], "income": [15_000, 22_500, 40_000, 61_250.5]}


def cut_table(name: str, seed: int) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Two thirds of the rows of a table to learn from, and the others."""
    data = load_dataset(name)
    frame = data.frame.to_pandas()
    known = pd.notna(data.target)
    order = np.random.default_rng(seed).permutation(np.flatnonzero(known))
    first, second = order[: 2 * len(order) // 3], order[2 * len(order) // 3 :]
    return frame.iloc[first], data.target[first], frame.iloc[second], data.target[second]


def find_loss(model: Any, X: Any, y: np.ndarray) -> float:
    """Log-loss, or the root mean squared error in standard deviations of the target."""
    if hasattr(model, "classes_"):
        place = np.searchsorted(model.classes_, y)
        return float(-np.log(model.predict_proba(X)[np.arange(len(y)), place]).mean())
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)) / y.std())


def measure_costs() -> Iterator[str]:
    """A line for each table and model."""
    kinds = [
        (name, cls)
        for cls in (NaiveBayesClassifier, BoostedNaiveBayesClassifier)
        for name in CLASSES
    ]
    kinds += [(name, BoostedNaiveBayesRegressor) for name in NUMBERS]
    for name, cls in track(kinds, description="costs"):
        found = []
        for seed in range(SEEDS):
            X, y, X_new, y_new = cut_table(name, seed)
            ordered, free = (cls(monotone=given).fit(X, y) for given in ("auto", None))
            wrong = len(ordered.monotone_violations_)
            rule = ordered._find_monotone()
            price = (rule.ordered - rule.free) / (1.0 if hasattr(free, "classes_") else y.std())
            found.append(
                (find_loss(free, X_new, y_new), find_loss(ordered, X_new, y_new), price, wrong)
            )
        free_loss, ordered_loss, price, wrong = np.array(found).T
        more = ordered_loss - free_loss
        error = more.std(ddof=1) / np.sqrt(SEEDS)
        yield (
            f"| {cls.__name__} | {name} | {free_loss.mean():.4f} | {ordered_loss.mean():.4f} | {more.mean():+.4f} "
            f"({error:.4f}) | {price.mean():+.4f} | {int(wrong.sum())} |"
        )


def count_bins() -> Iterator[str]:
    """A line for each column whose bins are counted by all."""
    credit = make_credit(20_000, random_state=0)
    frame = credit.frame.to_pandas()
    model = NaiveBayesClassifier(bins=CUTS).fit(frame, credit.target)
    for name, cuts in CUTS.items():
        shown = model.evidence_.where(column=name)
        ours = np.column_stack([shown["total"] - shown["count"], shown["count"]])
        inside = pd.cut(frame[name], [-np.inf, *cuts, np.inf], right=False)
        code = inside.cat.codes.to_numpy() + 1
        is_paid = credit.target == model.classes_[1]
        pandas = np.stack(
            [np.bincount(code[is_paid == k], minlength=len(cuts) + 2) for k in (0, 1)], axis=1
        )
        others = {"pandas.cut": pandas}
        if find_spec("optbinning") is not None:
            others["optbinning"] = count_by_optbinning(frame[name], is_paid, cuts)
        for library, counts in others.items():
            equal = "equal" if np.array_equal(ours, counts) else "different"
            yield f"| {name} | {library} | {len(cuts) + 2} | {equal} |"


def count_by_optbinning(values: pd.Series, is_event: np.ndarray, cuts: list[float]) -> np.ndarray:
    """Rows of both classes: of missing cells, then of each bin."""
    from optbinning import OptimalBinning

    binning = OptimalBinning(user_splits=cuts, user_splits_fixed=[True] * len(cuts))
    binning.fit(values.to_numpy(float), is_event.astype(int))
    table = binning.binning_table.build()
    counts = table[["Non-event", "Event"]].to_numpy()[:-1].astype(float)  # the last is the total
    bins, missing = counts[: len(cuts) + 1], counts[len(cuts) + 2]
    return np.concatenate([missing[None], bins])


def main() -> None:
    """Measure and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only-bins", action="store_true", help="Print the second table alone.")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.only_bins:
        print("\n".join(count_bins()))
        return
    lines = [
        "# Shape: what an order costs, and who counts the same",
        "",
        "Written by `python -m benchmarks.shape`.",
        "",
        "Log-loss (of numbers the RMSE in standard deviations) on the third of the rows that was left out, mean of",
        f'{SEEDS} cuts, `monotone="auto"` along all columns of numbers beside none; in brackets the standard error.',
        "The price is what the model itself says of training rows that were held out. Violations are steps against the",
        "order over all cells.",
        "",
        "| model | table | free | ordered | difference | price | violations |",
        "|---|---|---|---|---|---|---|",
        *measure_costs(),
        "",
        "Rows of both classes by bin, missing cells apart, of 20,000 rows of the credit data. Those of",
        "optbinning are by `python -m benchmarks.shape --only-bins` in an environment of its own.",
        "",
        "| column | beside | bins | counts |",
        "|---|---|---|---|",
        *count_bins(),
    ]
    publish("\n".join(lines) + "\n", arguments.output)


if __name__ == "__main__":
    main()
