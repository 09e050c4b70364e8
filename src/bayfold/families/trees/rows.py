"""From a training table to distinct rows of small codes, for learners that go over the rows many times.

Equal rows are one row with their summed weight, in an order that depends on their content alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts import JointCounts, LabelledRows, RowHashes, RowSample
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.equal_rows import collapse_equal_rows
from bayfold.core.counts.fold_counts import count_folds
from bayfold.core.counts.folds import Deal, GivenUnits
from bayfold.core.counts.units import mix_units
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.schema import Schema
from bayfold.errors import DataWarning, ignore_warnings
from bayfold.families.trees.binning import BinnedRows, Binning, RowBinner
from bayfold.families.trees.splits import HeldOutRows


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Distinct coded rows with their weights.

    Attributes
    ----------
    rows : BinnedRows
    group_of : ndarray of int32
    weights : ndarray
        Summed weight of the equal rows.
    n_groups : int
    said : GivenUnits or None
        What was said of rows that depend on each other: equal rows of different units are not one.
    """

    rows: BinnedRows
    group_of: np.ndarray
    weights: np.ndarray
    n_groups: int
    said: GivenUnits | None = None

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())

    def scaled(self, factor: float) -> WeightedRows:
        """The same rows with all weights multiplied."""
        return replace(self, weights=factor * self.weights)

    def sorted_by(self, row_hashes: RowHashes) -> WeightedRows:
        """The rows in the order of their hashes under other hash functions; those alike stay in theirs."""
        order = np.argsort(_hash_rows(self.rows, self.group_of, row_hashes), kind="stable")
        return replace(
            self,
            rows=self.rows.take(order),
            group_of=self.group_of[order],
            weights=self.weights[order],
            said=None if self.said is None else self.said.take(order),
        )

    def hold_out(self, group_ranks: np.ndarray) -> HeldOutRows | None:
        """Which rows are inside and outside the folds of units or times; None where single rows can be left out."""
        if self.said is None:
            return None
        places = np.arange(len(self.weights), dtype=np.uint64)  # in an order by content
        deal = Deal(places, self.group_of, group_ranks, LEFT_OUT_FOLDS)
        with ignore_warnings(DataWarning):  # few units are told about where their scale is fitted
            inside, outside = self.said.hold_out(deal, np.ones(len(places)))
        return HeldOutRows(inside > 0, outside > 0)


LEFT_OUT_FOLDS = 5
"""Folds of units by which splits are judged, where single rows cannot be left out: each takes another count."""


def collapse_rows(
    rows: BinnedRows,
    group_of: np.ndarray,
    weights: np.ndarray | None,
    row_hashes: RowHashes,
    said: GivenUnits | None = None,
) -> WeightedRows:
    """Sort rows by content and add up the weights of equal ones, of a unit and a time if they have some."""
    hashes = _hash_rows(rows, group_of, row_hashes)
    if said is not None:
        hashes = mix_units(hashes, said.units, said.time)
    equal = collapse_equal_rows(hashes, weights)
    first = equal.first
    return WeightedRows(
        rows.take(first),
        np.ascontiguousarray(group_of[first], np.int32),
        equal.weights,
        len(row_hashes.group_hashes),
        None if said is None else said.take(first),
    )


def _hash_rows(rows: BinnedRows, group_of: np.ndarray, row_hashes: RowHashes) -> np.ndarray:
    hashes = row_hashes.hash_codes(rows.codes, row_hashes.group_hashes[group_of])
    return (
        hashes
        if rows.split_codes is rows.codes
        else row_hashes.hash_codes(rows.split_codes, hashes)
    )


@dataclass(frozen=True, eq=False)
class Prepared:
    """Coded training rows, how they were coded, and their counts.

    Attributes
    ----------
    data : WeightedRows
        Weighted so that copies of a row count once.
    binner : RowBinner
    counts : JointCounts
        Of the rows as they were given.
    share : float
        Effective rows per weight.
    unit_shares : ndarray
        Share of the weight of each of the rows that is left out at once: as much as the largest weight of copies, so
        that no copy stays behind, and honest repeats do.
    sample : RowSample
        Some of the rows, as they were given.
    held_out : HeldOutRows or None
        Which rows splits are judged by, where rows depend on each other.
    """

    data: WeightedRows
    binner: RowBinner
    counts: JointCounts
    share: float
    unit_shares: np.ndarray
    sample: RowSample
    held_out: HeldOutRows | None = None

    @property
    def effective(self) -> JointCounts:
        """Counts in which copies of a row count once."""
        return self.counts.scaled(self.share)


def prepare_rows(
    rows: LabelledRows,
    schema: Schema,
    fine_splits: bool = False,
    n_threads: int = 1,
    prune: bool = False,
    copies_count: bool = False,
) -> Prepared:
    """Count once, cut numeric columns by MDL, and code the rows.

    With ``fine_splits`` trees split numeric columns at their fine bins instead of the MDL bins; with ``prune`` columns
    of many values that rows left out do not confirm are silent. With ``copies_count`` copies of a row are rows like
    others, as for a learner that holds nothing out and is wanted as it is written.
    """
    statistics = learn_statistics(rows, schema, n_threads=n_threads)
    counts = statistics.counts
    sample = statistics.sample
    share = unit = 1.0
    if not copies_count:
        units = find_units(counts, sample.block(), sample.group_of, sample.weights)
        share = units.share
        unit = share * float((sample.weights / units.units).max())
    said = None if copies_count else GivenUnits.of_dependent(rows)
    folds = None if said is None or not prune else count_folds(sample, counts, LEFT_OUT_FOLDS)
    leaves = Binning.mdl(counts.scaled(share), prune, folds)
    binner = RowBinner(leaves, Binning(leaves.schema) if fine_splits else leaves)
    binned = binner.bin_table(rows.table, n_threads)
    row_hashes = RowHashes(leaves.schema, rows.groups)
    data = collapse_rows(binned, rows.group_of, rows.weights, row_hashes, said)
    # bootstrap samples are drawn by position: no name may decide them
    frequencies = CountHashes(counts, sample.block(), sample.group_of, sample.weights)
    data = data.sorted_by(frequencies).scaled(share)
    unit_shares = unit / np.maximum(data.weights, unit)
    held_out = data.hold_out(frequencies.rank_groups())
    return Prepared(data, binner, counts, share, unit_shares, sample, held_out)
