"""What Frank et al. (1998) claim, and what becomes of it, by the tables of the page."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from bayfold.evaluate import sign_test
from papers.frank1998.protocol import (
    CLASSES,
    LINEAR,
    MEDIAN,
    MODEL_TREE,
    NB,
    NEAREST,
    THROUGH,
    TREE,
)
from papers.shared.paper import Tables, take_table
from papers.shared.verdict import Claim, Condition, UnknownError, judge_claim

LEVEL = "level: no sign test of the significant differences has p < .05"

LEAST_DIFFERENCES = 5
"""Significant ones, without which no record is judged: a sign test of fewer can never have p < .05."""


def judge_claims(tables: Tables) -> list[Claim]:
    """Claim by claim."""
    return [
        judge_record(
            "Naive Bayes for regression is worse than model trees: better on 1 dataset, worse on 24 of 32 (RMSE)",
            tables,
            "table3",
            (NB, MODEL_TREE),
            [
                ("worse on more than twice as many datasets as better", lambda b, w: w > 2 * b),
                ("worse on at least half of the 32", lambda b, w: w >= 16),
            ],
        ),
        judge_record(
            "It is level with distance-weighted nearest neighbours by squared error (11 to 11)",
            tables,
            "table3",
            (NB, NEAREST),
            [(LEVEL, is_level)],
        ),
        judge_record(
            "and by absolute error (12 to 10)", tables, "table5", (NB, NEAREST), [(LEVEL, is_level)]
        ),
        judge_record(
            "Linear regression beats it by squared error (better on 4, worse on 18)",
            tables,
            "table3",
            (NB, LINEAR),
            [("worse on more than twice as many datasets as better", lambda b, w: w > 2 * b)],
        ),
        judge_record(
            "and is level with it by absolute error, naive Bayes ahead (better on 15, worse on 12)",
            tables,
            "table5",
            (NB, LINEAR),
            [
                (LEVEL, is_level),
                ("better on at least as many datasets as worse", lambda b, w: b >= w),
            ],
        ),
        judge_record(
            "The mean often has a lower absolute error than the median: better on 15 datasets, worse on 8",
            tables,
            "table5",
            (NB, MEDIAN),
            [("better on more datasets than worse", lambda b, w: b > w)],
        ),
        judge_classifier(tables),
        judge_spiral(tables),
    ]


Holds = Callable[[int, int], bool]


def is_level(better: int, worse: int) -> bool:
    """Whether neither side wins by a sign test."""
    return sign_test(max(better, worse), min(better, worse)) >= 0.05


def judge_record(
    says: str,
    tables: Tables,
    name: str,
    methods: tuple[str, str],
    rules: list[tuple[str, Holds]],
) -> Claim:
    """A claim about the datasets where the first method is significantly better, and worse, than the second."""

    def count() -> tuple[int, int]:
        table = take_table(tables, name)
        found = table[(table["first"] == methods[0]) & (table["second"] == methods[1])]
        if not len(found):
            raise UnknownError
        record = int(found.first_better.iloc[0]), int(found.second_better.iloc[0])
        if sum(record) < LEAST_DIFFERENCES:
            raise UnknownError
        return record

    conditions: list[Condition] = [(words, lambda h=holds: h(*count())) for words, holds in rules]
    return judge_claim(says, conditions, lambda: "better on {}, worse on {}".format(*count()))


def judge_classifier(tables: Tables) -> Claim:
    """Table 6: independence hurts numbers, not classes."""

    def means() -> pd.Series:
        table = take_table(tables, "table6")[[TREE, THROUGH, CLASSES]]
        if table.isna().any(axis=None):
            raise UnknownError
        return table.mean()

    return judge_claim(
        "Used for classification the same method is as good as C4.5 and naive Bayes classification",
        [
            (
                f"mean accuracy at most half a point below that of {other}",
                lambda other=other: means()[THROUGH] >= means()[other] - 0.5,
            )
            for other in (TREE, CLASSES)
        ],
        lambda: ", ".join(f"{method} {value:.1f} %" for method, value in means().items()),
    )


def judge_spiral(tables: Tables) -> Claim:
    """Section 3.5: where independence holds."""

    def wins() -> pd.Series:
        table = take_table(tables, "spiral")
        if not {NB, MODEL_TREE} <= set(table.method):
            raise UnknownError
        means = table.set_index(["dataset", "size", "method"])["mean"].unstack()
        return means[NB] < means[MODEL_TREE]

    return judge_claim(
        "Where columns are independent given the target (the spiral), it beats model trees",
        [
            ("lower mean error at more than half of the sizes", lambda: wins().mean() > 0.5),
            ("at all of them", lambda: bool(wins().all())),
        ],
        lambda: f"lower error at {wins().sum()} of {len(wins())} sizes",
    )
