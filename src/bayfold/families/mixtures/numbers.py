"""What the numbers of a column are like, as far as a normal distribution cares: few values, ties, values far out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.counts.sample import SAMPLE_SIZE
from bayfold.core.schema import NumericColumn, Schema
from bayfold.core.schema.infer import collapse_values
from bayfold.core.scoring.derive import Settings

FEW_VALUES = 10
"""A column with so few values is counted value by value: no normal distribution looks like a die or a rating."""

COPIES_OF_FEW = 5
"""Few values are only told from a small sample of many if each occurs so often on average."""

ATOM = 3.0
"""A value this many times as frequent as its neighbours is an atom: rounding to some unit makes neighbours alike,
and heaping (ages that end in 0 or 5) doubles a count, hardly more."""

LUCK = 3.0
"""Standard deviations of a count (the root of what is expected) that may be luck."""

ATOM_SHARE = 0.03
"""Atoms with this share of the rows (zeros, prices, limits) make a column unfit for normal distributions: each atom
would be a component of its own, as narrow as the floor lets it be."""

FAR = 2.0
"""A cell this many times as far from the median as the fifth farthest of all is far out: of normal numbers none is, of
a log-normal column of 1,000 rows hardly one."""

ALONE = 5
"""Rows that could be a component of their own; fewer are outliers."""

ROWS_PER_OUTLIER = 20
"""Below this many rows for each one that may be an outlier, one far away may as well be the first of a group."""


def choose_densities(
    schema: Schema, settings: Settings, values: np.ndarray, weights: np.ndarray
) -> Settings:
    """The settings with a density for each column that was left to the data."""
    methods = dict(settings.methods)
    for position, j in enumerate(schema.numeric.tolist()):
        if methods[j] == "auto":
            column_schema = schema.columns[j]
            assert isinstance(column_schema, NumericColumn)
            methods[j] = choose_density(column_schema, values[:, position], weights)
    return replace(settings, methods=methods)


def choose_density(column_schema: NumericColumn, x: np.ndarray, weights: np.ndarray) -> str:
    """The density that suits a column: ``"values"``, ``"equal_frequency"`` or ``"gaussian"``.

    Parameters
    ----------
    column_schema : NumericColumn
    x : ndarray
        Of distinct rows; NaN where missing.
    weights : ndarray
        Of the equal rows that each stands for, together.
    """
    distinct, count = count_values(x, weights)
    own_bins = column_schema.values is not None and column_schema.n_bins <= FEW_VALUES
    if (
        own_bins
        and 0 < len(distinct) <= FEW_VALUES
        and count.sum() >= COPIES_OF_FEW * len(distinct)
    ):
        return "values"
    return "equal_frequency" if find_atom_share(count) >= ATOM_SHARE else "gaussian"


def count_values(x: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct known values in increasing order, and how many rows have each.

    A row of weight 2 is two rows; one of a weight below one is still a row.
    """
    copies = np.maximum(np.floor(weights), 1.0)
    return collapse_values(x, None if copies.max(initial=1.0) == 1.0 else copies)


def find_atom_share(count: np.ndarray) -> float:
    """Share of the rows that values have beyond what their two neighbours on either side, and luck, allow.

    >>> find_atom_share(np.array([3.0, 4.0, 5.0, 4.0, 2.0]))
    0.0
    >>> round(find_atom_share(np.array([40.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])), 2)
    0.68
    """
    if len(count) < 2 or count.max() <= ATOM + LUCK * np.sqrt(
        ATOM
    ):  # as of neighbours that occur once
        return 0.0
    around = np.pad(count, 2, constant_values=np.nan)
    beside = np.stack([around[:-4], around[1:-3], around[3:-1], around[4:]])
    at_most = ATOM * np.nanmedian(beside, axis=0)
    excess = count - at_most - LUCK * np.sqrt(at_most)
    return float(np.maximum(excess, 0.0).sum() / count.sum())


def find_resolution(x: np.ndarray, weights: np.ndarray) -> float:
    """How far apart values are where they repeat: the unit numbers were rounded to. Zero where none repeats.

    The gap between neighbours that both repeat, its median over rows: neither a few odd values between the marks of
    the scale nor a single value that stands apart (all the zeros) say what the unit is.

    >>> find_resolution(np.array([0.0, 1.0, 1.0, 2.0, 2.0, 2.5, 3.0, 4.0, 4.0, 5.0, 5.0]), np.ones(11))
    1.0
    """
    distinct, count = count_values(x, weights)
    both = (count[:-1] > 1) & (count[1:] > 1)
    if not both.any():
        return 0.0
    gaps = np.diff(distinct)[both]
    n_rows = (count[:-1] + count[1:])[both]
    return _find_median(gaps, n_rows)


def find_outlying(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Which cells lie so far out, and are so few, that no component can be estimated from them.

    A component that takes them in loses its shape, and one for them alone is as likely as its floor allows. So does
    one value that stands for something else (99999 for missing), though it repeats.

    >>> x = np.append(np.arange(100.0), 1e5)
    >>> np.flatnonzero(find_outlying(x, np.ones(101)))
    array([100])
    """
    known = np.flatnonzero(~np.isnan(x))
    outlying = np.zeros(len(x), bool)
    n_alone = min(ALONE, len(known) // ROWS_PER_OUTLIER)
    if n_alone < 2:
        return outlying
    some = known[:SAMPLE_SIZE]  # rows stand in an order by content: these are as good as drawn
    distance = np.abs(x[known] - _find_median(x[some], weights[some]))
    rows = _count_far_rows(x[known], weights[known])
    if rows[distance >= distance.max() / FAR].sum() >= n_alone:  # the usual case, and quick to see
        return outlying
    order = np.argsort(-distance, kind="stable")
    reached = np.cumsum(rows[order])
    usual = distance[order][np.searchsorted(reached, n_alone)]
    if usual > 0:
        outlying[known] = distance > FAR * usual
    return outlying


def _count_far_rows(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """What each row counts for: its weight by the mean weight, so that tenfold weights change nothing.

    Those with the smallest or the largest value, if they are too few for an atom, count for one together.
    """
    rows = weights / weights.mean()
    for extreme in (x.min(), x.max()):
        same = x == extreme
        if rows[same].sum() < ATOM_SHARE * len(x):
            rows[same] /= max(rows[same].sum(), 1.0)
    return rows


def _find_median(x: np.ndarray, weights: np.ndarray) -> float:
    alike = weights.min() == weights.max()
    distinct, summed = collapse_values(x, None if alike else weights)
    reached = np.cumsum(summed)
    return float(distinct[np.searchsorted(reached, reached[-1] / 2.0)])
