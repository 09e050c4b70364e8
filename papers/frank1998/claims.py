"""What Frank et al. (1998) claim, and what becomes of it."""

from __future__ import annotations

import pandas as pd

from papers.frank1998.protocol import (
    ACCURACY,
    CLASSES,
    CURVES,
    LINEAR,
    MEDIAN,
    MODEL_TREE,
    NB,
    NEAREST,
    THROUGH,
    TREE,
)
from papers.shared.paper import Results
from papers.shared.significance import count_significant
from papers.shared.verdict import Claim, judge_order

UNKNOWN = "WEKA was not there, or its folds are not in."


def judge_claims(results: Results, by_repeat: pd.DataFrame) -> list[Claim]:
    """Claim by claim."""
    return [
        against_model_trees(by_repeat),
        against_neighbours(by_repeat),
        against_lines(by_repeat),
        mean_and_median(by_repeat),
        as_classifier(results),
        on_the_spiral(results),
    ]


def has_repeats(errors: pd.DataFrame, *methods: str) -> bool:
    """Whether a paired test over repeats can be made."""
    if not set(methods) <= set(errors.columns):
        return False
    return errors[list(methods)].dropna().groupby(level=0).size().max() >= 2


def against_model_trees(by_repeat: pd.DataFrame) -> Claim:
    """The main result."""
    says = "Naive Bayes for regression is worse than model trees: better on 1 dataset, worse on 24 of 32 (RMSE)"
    errors = by_repeat["rmse_test"]
    if not has_repeats(errors, NB, MODEL_TREE):
        return Claim(says, "not measured yet", UNKNOWN)
    better, worse = count_significant(errors, NB, MODEL_TREE)
    return Claim(
        says,
        judge_order([worse > 2 * better, worse >= 16]),
        f"better on {better}, worse on {worse}",
    )


def against_neighbours(by_repeat: pd.DataFrame) -> Claim:
    """Level with the simplest peer."""
    says = (
        "It is level with distance-weighted nearest neighbours (11 to 11 by RMSE, 12 to 10 by MAE)"
    )
    if not has_repeats(by_repeat["rmse_test"], NB, NEAREST):
        return Claim(says, "not measured yet", "a test needs two repeats")
    found = [count_significant(by_repeat[f"{m}_test"], NB, NEAREST) for m in ("rmse", "mae")]
    near = [abs(better - worse) <= 6 for better, worse in found]
    words = "; ".join(f"{m} {b} to {w}" for m, (b, w) in zip(("RMSE", "MAE"), found, strict=True))
    return Claim(says, judge_order(near), words)


def against_lines(by_repeat: pd.DataFrame) -> Claim:
    """Which error is measured decides."""
    says = "Linear regression beats it by squared error (18 to 4) and is level by absolute error (12 to 15)"
    if not has_repeats(by_repeat["rmse_test"], NB, LINEAR):
        return Claim(says, "not measured yet", "a test needs two repeats")
    (better, worse), (b, w) = (
        count_significant(by_repeat[f"{m}_test"], NB, LINEAR) for m in ("rmse", "mae")
    )
    holds = [worse > 2 * better, abs(b - w) <= 6]
    return Claim(says, judge_order(holds), f"RMSE {worse} to {better}, MAE {w} to {b}")


def mean_and_median(by_repeat: pd.DataFrame) -> Claim:
    """A surprise of the paper."""
    says = "The mean often has a lower absolute error than the median: better on 15 datasets, worse on 8"
    errors = by_repeat["mae_test"]
    if not has_repeats(errors, NB, MEDIAN):
        return Claim(says, "not measured yet", "a test needs two repeats")
    better, worse = count_significant(errors, NB, MEDIAN)
    return Claim(says, judge_order([better > worse]), f"better on {better}, worse on {worse}")


def as_classifier(results: Results) -> Claim:
    """Table 6: independence hurts numbers, not classes."""
    says = (
        "Used for classification the same method is as good as C4.5 and naive Bayes classification"
    )
    means = results.rows(ACCURACY).groupby(["method", "dataset"]).accuracy.mean().unstack(0)
    if not {TREE, THROUGH, CLASSES} <= set(means.columns):
        return Claim(says, "not measured yet", UNKNOWN)
    means = means[[TREE, THROUGH, CLASSES]].dropna().mean()
    holds = [means[THROUGH] >= means[other] - 0.5 for other in (TREE, CLASSES)]
    words = ", ".join(f"{method} {value:.1f} %" for method, value in means.items())
    return Claim(says, judge_order(holds), words)


def on_the_spiral(results: Results) -> Claim:
    """Section 3.5: where independence holds."""
    says = "Where columns are independent given the target (the spiral), it beats model trees"
    means = results.rows(CURVES).groupby(["dataset", "size", "method"]).rmse.mean().unstack()
    if not {NB, MODEL_TREE} <= set(means.columns):
        return Claim(says, "not measured yet", UNKNOWN)
    both = means[[NB, MODEL_TREE]].dropna()
    wins = both[NB] < both[MODEL_TREE]
    return Claim(says, judge_order(list(wins)), f"lower error at {wins.sum()} of {len(wins)} sizes")
