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
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.schema import Schema
from bayfold.families.trees.binning import BinnedRows, Binning, RowBinner


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
    """

    rows: BinnedRows
    group_of: np.ndarray
    weights: np.ndarray
    n_groups: int

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
        )


def collapse_rows(
    rows: BinnedRows, group_of: np.ndarray, weights: np.ndarray | None, row_hashes: RowHashes
) -> WeightedRows:
    """Sort rows by content and add up the weights of equal ones."""
    equal = collapse_equal_rows(_hash_rows(rows, group_of, row_hashes), weights)
    groups = np.ascontiguousarray(group_of[equal.first], np.int32)
    return WeightedRows(rows.take(equal.first), groups, equal.weights, len(row_hashes.group_hashes))


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
    """

    data: WeightedRows
    binner: RowBinner
    counts: JointCounts
    share: float
    unit_shares: np.ndarray
    sample: RowSample

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
    leaves = Binning.mdl(counts.scaled(share), prune)
    binner = RowBinner(leaves, Binning(leaves.schema) if fine_splits else leaves)
    binned = binner.bin_table(rows.table, n_threads)
    row_hashes = RowHashes(leaves.schema, rows.groups)
    data = collapse_rows(binned, rows.group_of, rows.weights, row_hashes)
    # bootstrap samples are drawn by position: no name may decide them
    frequencies = CountHashes(counts, sample.block(), sample.group_of, sample.weights)
    data = data.sorted_by(frequencies).scaled(share)
    unit_shares = unit / np.maximum(data.weights, unit)
    return Prepared(data, binner, counts, share, unit_shares, sample)
