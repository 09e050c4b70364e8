"""Sampled rows dealt to folds: what every fold holds, and the statistics of the rows outside it.

Counts without a fold are the total of all rows, sampled or not, minus the fold's, and everything that depends on them,
cuts included, is derived again from them: keeping the cuts would leak the fold into its own evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayfold.core.counts import CodeLayout, JointCounts, RowSample
from bayfold.core.counts.copies import RowUnits, find_units
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.folds import Deal, GivenUnits, deal_rows
from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.counts.target_axis import TARGET
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NumericColumn, RowBlock, Schema
from bayfold.errors import DataWarning, ignore_warnings

TEN_FOLD_ROWS = 5_000
"""Up to so many distinct rows there are ten folds, beyond them five: four fifths of the rows then tell as much."""

LEAST_LEFT = 1e-9
"""Share of a count that sums of fractions may be off by, with room to spare: no row is so light beside its bin."""

UPDATED_TOGETHER = 1 << 15
"""Counts that are worked on together: a quarter of a megabyte, which stays in the core's cache."""


class Fold:
    """One fold. What it holds is counted when it is asked for: where groups are many, a few folds tell enough.

    Parameters
    ----------
    counter : _FoldCounter
    weights : ndarray of shape (n_rows,)
        Of the sampled rows in this fold.
    outside : ndarray of shape (n_rows,) or None
        Of those that its model learns from; None where these are all rows but its own.
    """

    def __init__(
        self, counter: _FoldCounter, weights: np.ndarray, outside: np.ndarray | None = None
    ) -> None:
        self._counter = counter
        self._weights = weights
        self._weights_outside = outside

    @cached_property
    def whole(self) -> tuple[np.ndarray, ...]:
        """Counts of the rows inside and outside, one table per column."""
        if self._weights_outside is None:
            return self._counter.whole
        return self._counter.count_rows(self._weights + self._weights_outside).tables

    @cached_property
    def outside(self) -> JointCounts:
        """Statistics of the rows that its model learns from: all other rows, of the other folds and of none."""
        if self._weights_outside is None:
            return self._counter.count_without(self._weights)
        return self._counter.count_rows(self._weights_outside)

    def inside(self, j: int) -> np.ndarray:
        """Counts of the fold's own rows in column ``j``."""
        return self.whole[j] - self.outside.tables[j]


@dataclass(frozen=True)
class Folds:
    """The folds of a sample.

    Attributes
    ----------
    sample : RowSample
    in_fold : ndarray of shape (n_rows, n_folds)
        The weight of each sampled row in each fold, where copies count once (see ``copies``).
    folds : list of Fold
    counts : JointCounts
        Of all rows.
    share : float
        What all weights were multiplied by.
    outside : ndarray of shape (n_rows, n_folds) or None
        The weight of each sampled row among those that the model of a fold learns from; None where it is what the row
        has in the other folds.
    """

    sample: RowSample
    in_fold: np.ndarray
    folds: list[Fold]
    counts: JointCounts
    share: float = 1.0
    outside: np.ndarray | None = None

    @cached_property
    def group_factors(self) -> np.ndarray:
        """How many rows each sampled row of a group stands for: groups have their shares of all rows then."""
        n_groups = len(self.counts.totals)
        sampled = np.bincount(self.sample.group_of, self.in_fold.sum(axis=1), n_groups)
        wanted = self.counts.totals * self.share
        return np.where(sampled > 0, wanted / np.where(sampled > 0, sampled, 1.0), 1.0)

    def find_factors(self, row: np.ndarray, fold_of: np.ndarray) -> np.ndarray:
        """The same where some rows in some folds stand for all: as many as these have among the first in the sample."""
        inside = self.in_fold[row, fold_of]
        sums = np.bincount(self.sample.group_of[row], inside, len(self.counts.totals))
        n_even = self.sample.n_even
        share = inside[row < n_even].sum() / max(self.in_fold[:n_even].sum(), 1e-300)
        wanted = self.counts.totals * self.share * min(share, 1.0)
        return np.where(sums > 0, wanted / np.where(sums > 0, sums, 1.0), 1.0)

    @cached_property
    def are_dependent(self) -> bool:
        """Whether rows depend on each other, so that none can be left out alone."""
        return GivenUnits.of_dependent(self.sample) is not None

    @cached_property
    def n_units(self) -> float:
        """How many rows are held out, or units of rows where these were given."""
        inside = self.in_fold.sum(axis=1)
        units = self.sample.units
        return float(inside.sum() if units is None else len(np.unique(units[inside > 0])))

    def find_centres(self, j: int) -> np.ndarray:
        """For a numeric column a number for every code, NaN for MISSING and UNSEEN."""
        assert self.sample.schema is not None
        return find_centres(self.sample.schema, self.counts, j)

    def weights_outside(self, k: int) -> np.ndarray:
        """What the sampled rows weigh among those that the model of a fold learns from."""
        if self.outside is not None:
            return self.outside[:, k]
        return np.delete(self.in_fold, k, axis=1).sum(axis=1)


def count_folds(sample: RowSample, counts: JointCounts, n_folds: int | None = None) -> Folds:
    """Deal the sampled rows to folds by what is in them, or by the units and the time that they were given.

    Parameters
    ----------
    sample : RowSample
    counts : JointCounts
        Of all rows.
    n_folds : int, optional
        By the number of rows if not given.
    """
    n_folds = n_folds or (10 if sample.n_rows <= TEN_FOLD_ROWS else 5)
    assert sample.schema is not None
    row_hashes = CountHashes(counts, sample.block(), sample.group_of, sample.weights)
    sample = sample.order_equal_rows(row_hashes.rank_groups())
    units = find_units(counts, sample.block(), sample.group_of, sample.weights)
    even = sample.even
    if even.n_rows < sample.n_rows:  # how many rows are copies is told by rows of all groups alike
        alike = find_units(counts, even.block(), even.group_of, even.weights)
        units = replace(units, share=alike.share)
    given = GivenUnits.of(sample)
    if given is None:
        in_fold = units.share * deal_sample(sample, row_hashes, units, n_folds)
        counter = _FoldCounter(sample, counts, in_fold.sum(axis=1), units.share)
        folds = [Fold(counter, weights) for weights in in_fold.T]
        return Folds(sample, in_fold, folds, counts, units.share)
    weights = units.share * sample.weights
    in_fold, outside = given.hold_out(plan_deal(sample, row_hashes, n_folds), weights)
    counter = _FoldCounter(sample, counts, weights, units.share)
    if given.time is None and sample.threshold == LARGEST_HASH:  # all rows but those of the fold
        folds = [Fold(counter, inside) for inside in in_fold.T]
    else:
        folds = [Fold(counter, *parts) for parts in zip(in_fold.T, outside.T, strict=True)]
    return Folds(sample, in_fold, folds, counts, units.share, outside)


def count_folds_outside(folds: Folds, k: int, n_folds: int) -> Folds | None:
    """The rows outside a fold dealt to folds again, where rows depend on each other and are of two units at least."""
    rows = np.flatnonzero(folds.weights_outside(k) > 0)
    given = GivenUnits.of(folds.sample)
    if given is None or not folds.are_dependent or not len(rows) or given.within(rows) is None:
        return None
    rest = replace(folds.sample.take(rows), weights=folds.weights_outside(k)[rows])
    with ignore_warnings(DataWarning):  # how few units there are was said of all rows
        return count_folds(rest, folds.folds[k].outside, n_folds)


class _FoldCounter:
    """Counts sampled rows but for some.

    Parameters
    ----------
    sample : RowSample
    counts : JointCounts
        Of all rows.
    weights : ndarray of shape (n_rows,)
        Of the sampled rows in all folds together.
    share : float
        What all weights were multiplied by.
    """

    def __init__(
        self, sample: RowSample, counts: JointCounts, weights: np.ndarray, share: float
    ) -> None:
        self._sample = sample
        self._counts = counts
        self._layout = CodeLayout(sample.schema, len(sample.groups))  # type: ignore[arg-type]
        if (
            sample.threshold < LARGEST_HASH
        ):  # the rows that are not in the sample are outside every fold
            self._total = self._layout.join(counts.scaled(share).tables)
        else:
            is_known = self._are_all(weights)
            self._total = self._layout.join(counts.tables) if is_known else self._count(weights)
        self.whole = self._layout.cut(self._total)

    def count_without(self, weights: np.ndarray) -> JointCounts:
        """Statistics of all rows but for so much of each that is sampled."""
        flat = self._count(weights)
        for part, total in zip(flat, self._total, strict=True):
            _update_to_rest(part, total)
        return self._to_counts(flat)

    def count_rows(self, weights: np.ndarray) -> JointCounts:
        """Statistics of sampled rows alone."""
        return self._to_counts(self._count(weights))

    def _to_counts(self, flat: tuple[np.ndarray, np.ndarray]) -> JointCounts:
        schema = self._sample.schema
        assert schema is not None
        return _counts_from_tables(schema, self._counts, self._layout.cut(flat), self._centres)

    @cached_property
    def _centres(self) -> dict[int, np.ndarray]:
        numeric = [j for j in self._counts.moments if j != TARGET]
        return {j: find_centres(self._sample.schema, self._counts, j) for j in numeric}  # type: ignore[arg-type]

    def _are_all(self, weights: np.ndarray) -> bool:
        """Whether the sample is all rows, with weights whose sums are exact: then what they add up to is known."""
        n_groups = len(self._counts.totals)
        in_groups = np.bincount(self._sample.group_of, weights, n_groups)
        is_exact = bool((weights == np.rint(weights)).all())
        return is_exact and np.array_equal(in_groups, self._counts.totals)

    def _count(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = np.flatnonzero(weights > 0)
        sample = self._sample
        flat = self._layout.zeros()
        # codes alone: words are not counted in folds
        block = RowBlock.of_codes(self._layout.schema, sample.narrow[rows], sample.wide[rows])
        self._layout.count(block, sample.group_of[rows], weights[rows], flat)
        return flat


def deal_sample(
    sample: RowSample, row_hashes: CountHashes, units: RowUnits, n_folds: int
) -> np.ndarray:
    """The weight of each sampled row in each fold, of shape (n_rows, n_folds)."""
    order = row_hashes.shuffle_rows(sample.block(), sample.group_of)
    turns = row_hashes.sort_by_group(order, sample.group_of)
    return deal_rows(turns, sample.weights, units.units, n_folds).as_matrix()


def plan_deal(sample: RowSample, row_hashes: CountHashes, n_folds: int) -> Deal:
    """The sampled rows in the same order, as units of them are dealt."""
    keys = row_hashes.draw_keys(sample.block(), sample.group_of)
    return Deal(keys, sample.group_of, row_hashes.rank_groups(), n_folds)


def count_in_folds(
    codes: np.ndarray,
    group_of: np.ndarray,
    fold_of: np.ndarray,
    weights: np.ndarray,
    shape: tuple[int, int, int],
) -> np.ndarray:
    """Counts of one column inside each fold, by fold, code and group.

    For methods that go through columns one by one, where the tables of all of them would fill the memory.

    Examples
    --------
    >>> one = np.array([0, 0, 1])
    >>> count_in_folds(np.array([0, 1, 1]), np.zeros(3, int), one, np.ones(3), (2, 2, 1))[:, :, 0]
    array([[1., 1.],
           [0., 1.]])
    """
    n_folds, n_codes, n_groups = shape
    place = (fold_of * n_codes + codes) * n_groups + group_of
    return np.bincount(place, weights, n_folds * n_codes * n_groups).reshape(shape)


def count_outside_folds(inside: np.ndarray) -> np.ndarray:
    """Counts outside each fold, from those inside; the folds are along the first axis."""
    outside = inside.copy()
    total = inside.sum(axis=0).reshape(-1)
    for fold in outside:
        _update_to_rest(fold.reshape(-1), total)
    return outside


def find_centres(schema: Schema, counts: JointCounts, j: int) -> np.ndarray:
    """A number for every code of a numeric column: the middle of its fine bin, NaN for none."""
    column_schema = schema.columns[j]
    assert isinstance(column_schema, NumericColumn)
    position = schema.numeric_position[j]
    middle = column_schema.centres(counts.minimum[position], counts.maximum[position])
    middle = np.where(
        np.isfinite(middle), middle, 0.0
    )  # where no cell is known, any number will do
    special = np.full(len(column_schema.special), np.nan)
    return np.concatenate([np.full(FIRST_BIN, np.nan), middle, special])


def place_at_centres(block: RowBlock, counts: JointCounts) -> RowBlock:
    """Rows of which the codes are known alone, each number at the middle of its bin."""
    schema = block.schema
    values = np.empty((block.n_rows, len(schema.numeric)))
    for j, position in schema.numeric_position.items():
        values[:, position] = find_centres(schema, counts, j)[block.codes(j)]
    return replace(block, values=values)


def _update_to_rest(part: np.ndarray, total: np.ndarray) -> None:
    """Make of counts what the total has besides; where that is rounding, nothing."""
    for start in range(0, len(part), UPDATED_TOGETHER):
        some = slice(start, start + UPDATED_TOGETHER)
        rest = np.subtract(total[some], part[some], out=part[some])
        rest[rest < LEAST_LEFT * total[some]] = 0.0


def _counts_from_tables(
    schema: Schema,
    counts: JointCounts,
    tables: tuple[np.ndarray, ...],
    centres: dict[int, np.ndarray],
) -> JointCounts:
    """Counts of some sampled rows; moments come from the middles of fine bins, those of the target from its cells."""
    totals = tables[0].sum(axis=0)
    moments = {}
    for j in counts.moments:
        if j == TARGET:
            share = totals / np.where(counts.totals > 0, counts.totals, 1.0)
            moments[j] = counts.moments[j] * share
            continue
        column_schema = schema.columns[j]
        assert isinstance(column_schema, NumericColumn)
        bins = slice(FIRST_BIN, column_schema.first_special)
        d = (centres[j][bins] - column_schema.shift) / column_schema.scale
        known = tables[j][bins]
        moments[j] = np.stack([known.sum(axis=0), d @ known, (d * d) @ known])
    ranges = counts.minimum, counts.maximum
    return JointCounts(schema, counts.groups, tables, totals, *ranges, moments)
