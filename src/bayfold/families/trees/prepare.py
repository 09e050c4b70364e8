"""From a training table to distinct rows of small codes, for learners that go over the rows many times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.families.trees.binning import Binning, RowBinner
from bayfold.families.trees.weighted_rows import WeightedRows, collapse_rows


@dataclass(frozen=True, eq=False)
class Prepared:
    """Coded training rows, how they were coded, and their counts."""

    data: WeightedRows
    binner: RowBinner
    counts: JointCounts


def prepare_rows(
    table: Table,
    groups: np.ndarray,
    group_of: np.ndarray,
    weights: np.ndarray | None,
    schema: Schema,
    fine_tests: bool = False,
    n_threads: int = 1,
) -> Prepared:
    """Count once, cut numeric columns by MDL, and code the rows.

    With ``fine_tests`` trees test numeric columns in their fine bins instead of the MDL bins.
    """
    statistics = learn_statistics(table, schema, groups, group_of, weights, n_threads=n_threads)
    leaves = Binning.mdl(statistics.counts)
    binner = RowBinner(leaves, Binning(leaves.schema) if fine_tests else leaves)
    rows = binner.bin_table(table, n_threads)
    data = collapse_rows(rows, group_of, weights, len(groups))
    return Prepared(data, binner, statistics.counts)
