"""Copies of a row and honest repeats: in how many units a row is dealt to folds, and how many rows there really are.

Rows are held out to see what a model makes of rows it does not know. Equal rows come about in two ways. Where few
values make few possible rows, they are independent observations, and each may be held out on its own: all of them in
one fold would leave no row like them outside. Where a row of measurements stands there twice (a weight, a bootstrap, an
oversampled class, a join), its copy outside the fold gives the answer away.

The counts know how many equal rows to expect. If the columns were independent within a group, a row of group g would
occur

    e = n_g * product over columns j of p_j(code | g)

times. Columns that repeat each other make rows more frequent than that, so the same is asked of two halves of the
columns, each taken as one, ``e = n_g * p(first half | g) * p(second half | g)``, and the larger answer counts. A
category that another one tells (a country by its city) is left out of both. Where rows differ by their exact numbers or
texts, or by a combination of columns, what no other row has is no frequent one, however often its row was copied: it
counts as one row's. Rows that are alike in all columns but most often of several groups are no copies at all, as a row
and its copies have one group.

A row of weight w is dealt in u = e units, at least one and not more than it has copies, each of weight ``w / u``:
copies beyond those expected stay together. So a weight of 2 is still the row twice, whichever they are. A factor that
all weights have in common says how often the whole table was copied, and is divided out first.

Copies add no information either. Where a number of rows is weighed against a penalty, a prior or a bandwidth, a row
counts as its units do, unless chance may well have made more of it: all weights are multiplied by the share of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayfold.core.counts.expected_rows import FEWEST_UNITS, ExpectedRows
from bayfold.core.counts.joint import JointCounts
from bayfold.core.schema import RowBlock

CHANCE_ERRORS = 3.0
"""Standard errors by which equal rows may be more than expected and still all count. Without any, 400 honest rows of
81 equally likely ones were worth 350: the more frequent ones were cut, and the others not raised."""

MOST_EXACT_WEIGHT = 2.0**53
"""Weights beyond are whole numbers whatever they were."""


@dataclass(frozen=True, eq=False)
class RowUnits:
    """What distinct rows are worth.

    Attributes
    ----------
    units : ndarray of int64
        In how many parts each row may be held out.
    share : float
        Effective rows per weight: 1 where there are no copies.
    """

    units: np.ndarray
    share: float


def find_units(
    counts: JointCounts,
    block: RowBlock,
    group_of: np.ndarray,
    weights: np.ndarray,
    exact: Sequence[int] = (),
    likely: np.ndarray | None = None,
) -> RowUnits:
    """Tell copies from repeats.

    Parameters
    ----------
    counts : JointCounts
        Of all rows.
    block : RowBlock
        Distinct rows.
    group_of : ndarray of int
    weights : ndarray
        Summed weight of the equal rows.
    exact : sequence of int
        Numeric columns in which rows differ by their numbers, not by their bins alone.
    likely : ndarray, optional
        The probability, given its group, of whatever else tells a row apart, such as its exact target.
    """
    if (
        len(weights) == 0 or weights.max() < 2.0
    ):  # every row once: nothing to tell, and no room taken for it
        return RowUnits(np.ones(len(weights), np.int64), 1.0)
    factor = find_common_factor(weights)
    rows = ExpectedRows(counts, block, group_of, weights, exact)
    if factor > 1.0 and not rows.are_a_design():
        once = counts.scaled(1.0 / factor)
        found = find_units(once, block, group_of, weights / factor, exact, likely)
        return RowUnits(found.units, found.share / factor)
    several = np.flatnonzero(weights >= 2.0)  # of the others each stands for one row
    copies = count_copies(weights[several])
    expected = np.maximum(rows.expect_by_columns(several), rows.expect_by_halves(several))
    if rows.are_repeats():
        expected = np.maximum(expected, copies)
    if likely is not None:
        expected *= likely[several]
    if rows.are_of_one_column():
        expected = np.maximum(expected, copies)
    units = np.ones(len(weights), np.int64)
    units[several] = np.clip(np.floor(expected), 1, copies)
    if units.sum() < FEWEST_UNITS:
        more = -(-FEWEST_UNITS // len(units))
        units[several] = np.maximum(units[several], np.minimum(copies, more))
    # what chance may well add to rows that are expected is no copy
    by_chance = (expected >= 1) & (copies <= expected + CHANCE_ERRORS * np.sqrt(expected))
    worth = np.where(by_chance | rows.is_coarse(), copies, units[several])
    lost = float(weights[several] @ (1.0 - worth / copies))
    return RowUnits(units, 1.0 - lost / float(weights.sum()))


def find_common_factor(weights: np.ndarray) -> float:
    """The largest number of which all weights are multiples, at least one: how often the whole table was copied.

    Repeats come about by chance, and chance gives no twenty rows weights with a common factor. Without it, rows of a
    weight beyond their number would expect themselves: 300 rows of weight 1,000 each were worth 1,938.

    >>> find_common_factor(np.repeat([2000.0, 3000.0], 10)), find_common_factor(np.full(20, 2.5))
    (1000.0, 2.5)
    """
    least = float(weights.min())
    if len(weights) < FEWEST_UNITS or least < 2.0:
        return 1.0
    if (weights == least).all():
        return least
    whole = weights < MOST_EXACT_WEIGHT
    whole &= weights == np.floor(weights)
    return float(np.gcd.reduce(weights.astype(np.int64))) if whole.all() else 1.0


def count_copies(weights: np.ndarray) -> np.ndarray:
    """How many equal rows a summed weight stands for.

    >>> count_copies(np.array([0.3, 1.0, 2.5]))
    array([1, 1, 2])
    """
    return np.maximum(np.floor(weights), 1.0).astype(np.int64)
