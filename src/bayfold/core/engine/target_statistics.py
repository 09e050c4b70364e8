"""From a table and a numeric target to statistics: counts grouped by the target's cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.counts import Statistics
from bayfold.core.counts.target_axis import TARGET, moments_of_target
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.frames import Table
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import Coder, NumericColumn, Schema


def learn_regression_statistics(
    table: Table,
    schema: Schema,
    target: np.ndarray,
    weights: np.ndarray | None = None,
    keep_numbers: bool = False,
    n_threads: int = 1,
    threshold: int | None = None,
) -> Statistics:
    """Statistics of a table whose target's cells are part of the schema.

    Parameters
    ----------
    table, schema, target, weights
    keep_numbers : bool
        Whether the sample keeps numeric cells and targets as they are, beside their codes.
    n_threads, threshold
        As for ``fold_table``.
    """
    described = schema.target
    assert described is not None
    cells = find_cells_of_target(described, target)
    groups = np.arange(described.n_bins)
    kept = target if keep_numbers else None
    statistics = learn_statistics(
        table, schema, groups, cells, weights, (), n_threads, threshold, kept
    )
    moments = {TARGET: moments_of_target(described, cells, target, weights)}
    return replace(statistics, counts=replace(statistics.counts, moments=moments))


def find_cells_of_target(described: NumericColumn, target: np.ndarray) -> np.ndarray:
    """The cell of each target, by the encoder of numeric columns."""
    alone = Coder(Schema((described,))).open(Table.of_matrix(target[:, None]))
    return alone.block(0, len(target)).narrow[:, 0].astype(np.int32) - np.int32(FIRST_BIN)
