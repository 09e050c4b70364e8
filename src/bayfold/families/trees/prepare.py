"""From a training table to distinct rows of small codes, for learners that go over the rows many times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts, LabelledRows, RowWords
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.frequency_words import FrequencyWords
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.schema import Schema
from bayfold.families.trees.binning import Binning, RowBinner
from bayfold.families.trees.weighted_rows import WeightedRows, collapse_rows


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
    """

    data: WeightedRows
    binner: RowBinner
    counts: JointCounts
    share: float
    unit_shares: np.ndarray

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
) -> Prepared:
    """Count once, cut numeric columns by MDL, and code the rows.

    With ``fine_splits`` trees split numeric columns at their fine bins instead of the MDL bins; with ``prune`` columns
    of many values that rows left out do not confirm are silent.
    """
    statistics = learn_statistics(rows, schema, n_threads=n_threads)
    counts, sample = statistics.counts, statistics.sample
    units = find_units(counts, sample.block(), sample.group_of, sample.weights)
    leaves = Binning.mdl(counts.scaled(units.share), prune)
    binner = RowBinner(leaves, Binning(leaves.schema) if fine_splits else leaves)
    binned = binner.bin_table(rows.table, n_threads)
    words = RowWords(leaves.schema, rows.groups)
    data = collapse_rows(binned, rows.group_of, rows.weights, words)
    # bootstrap samples are drawn by position: no name may decide them
    frequencies = FrequencyWords(counts, sample.block(), sample.group_of, sample.weights)
    data = data.sorted_by(frequencies).scaled(units.share)
    unit = units.share * float((sample.weights / units.units).max())
    return Prepared(data, binner, counts, units.share, unit / np.maximum(data.weights, unit))
