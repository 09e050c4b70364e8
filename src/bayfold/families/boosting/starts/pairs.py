"""Pairs of columns that tell something only together: found before any tree, and cut into cells.

A checkerboard has no first split that gains anything, and trees of a few leaves set its fields apart one by one. So
all pairs are looked at in coarse tables. Where two columns tell together most of what they tell, and no small tree
would see it, their bins are cut into the runs that make the labels most likely. What the cells of that grid say is
then counted like the categories of a column (``CrossFitStart``), and the trees go on from there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.kernels import count_codes
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS
from bayfold.core.long_arrays import cut_pieces, find_range, take_every
from bayfold.families.boosting import kernels
from bayfold.families.boosting.kernels.inputs import BYTE_CODES
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.rounds.resolution import merge_fine_bins
from bayfold.families.boosting.starts.tables import PairGrid

PAIR_ROWS_LOOKED_AT = 1 << 23
"""Rows times pairs that are looked at: about fifteen milliseconds. With many columns they are fewer rows, and with more
than 205 columns too few: no pair is then looked for."""

LEAST_PAIR_ROWS = 400
"""Of fewer rows, in as many cells as they pay for, a pair would have to explain more than a quarter to beat chance."""

ROWS_PER_PAIR_CELL = 5
"""Rows that pay for a cell of the coarse table, and for every group beyond two."""

FEWEST_BINS = 4
MOST_BOARD_BINS = 32
"""Of a numeric column in the coarse table; with fewer no board is to be seen."""

MORE_CELLS = 2.5
"""Times as many may be in a table of categories, which cannot be joined: two rows of a cell still show something."""

LEAST_TOGETHER = 0.02
"""Of what is to be explained, that two columns must explain together and not alone."""

MOSTLY_TOGETHER = 0.5
"""Of what two columns tell, that they must tell together alone: what each says for itself, a tree finds."""

BEYOND_CHANCE = 8.0
"""Standard deviations of the statistic that chance would have to reach: there may be 30,000 pairs."""

EASILY_SEEN = 0.25
"""Of what a grid explains, that the best tree of four leaves may explain: with more, trees learn fast, and their
average is smoother than a grid. A sum of five products had a log-loss of .368 from grids, of .362 from trees alone."""

MOST_GRIDS = 8
"""Pairs that boosting begins with, the strongest."""

CUTTING_STEPS = 1 << 23
"""Cells times groups that all runs of bins may have, when a column is cut: some tenths of a second."""


def find_hidden_pairs(
    rows: DistinctRows,
    n_codes: np.ndarray,
    ordered: np.ndarray,
    prior: np.ndarray,
    allowed: np.ndarray,
) -> list[PairGrid]:
    """Grids of the pairs that tell most beyond what their columns tell alone.

    Parameters
    ----------
    rows : DistinctRows
    n_codes : ndarray of int
        Of the columns to look at, the first ones of the rows.
    ordered : ndarray of bool
    prior : ndarray of shape (n_groups,)
    allowed : ndarray
        Which two columns may be looked at together; empty if all may.
    """
    if rows.n_rows < LEAST_PAIR_ROWS:
        return []
    # chance is as large as that of so many rows, or units of rows, of equal weight
    if find_range(rows.weights) != (1.0, 1.0) or rows.unit_of is not None:
        of_units = rows.weigh_units()
        scale = of_units.sum() / (of_units @ of_units)
        rows = replace(rows, weights=scale * rows.weights)
    n_columns = len(n_codes)
    n_pairs = n_columns * (n_columns - 1) // 2
    n_looked = min(rows.n_rows, PAIR_ROWS_LOOKED_AT // max(n_pairs, 1))
    step = -(-rows.n_rows // max(n_looked, 1))
    weight = take_every(rows.weights, step).sum()
    n_cells = weight / (ROWS_PER_PAIR_CELL * (len(prior) - 1.0))
    n_bins = min(int(np.sqrt(n_cells)), MOST_BOARD_BINS)
    if n_pairs == 0 or weight < LEAST_PAIR_ROWS or n_bins < FEWEST_BINS:
        return []
    counted = _count_codes(rows, n_columns)
    merges = [
        _merge(counts[:n], n_bins) if is_ordered else np.arange(n)
        for counts, n, is_ordered in zip(counted, n_codes.tolist(), ordered, strict=True)
    ]
    pairs = _screen(rows, merges, step, len(prior), int(n_cells * MORE_CELLS))
    pairs = [pair for pair in pairs if not len(allowed) or allowed[pair]][:MOST_GRIDS]
    found = []
    for a, b in pairs:
        grid = _cut_grid(rows, PairGrid((a, b), (merges[a], merges[b])), False, ordered, prior)
        if _is_hidden(rows, grid, ordered, len(prior)):
            found.append(_cut_grid(rows, grid, True, ordered, prior))
    return found


def _count_codes(rows: DistinctRows, n_columns: int) -> np.ndarray:
    """The weight of each code of the first columns."""
    counts = np.zeros(n_columns * BYTE_CODES)
    offsets = np.arange(n_columns) * BYTE_CODES
    for piece in cut_pieces(rows.n_rows):
        weights = rows.weights[piece]
        in_one = np.zeros(piece.stop - piece.start, np.int64)
        count_codes(rows.codes[piece, :n_columns], in_one, weights, offsets, 1, counts)
    return counts.reshape(n_columns, BYTE_CODES)


def _merge(counts: np.ndarray, n_bins: int) -> np.ndarray:
    """Bins of nearly equal weight of a numeric column; missing cells apart, at 0."""
    coarse = merge_fine_bins(counts, n_bins)
    return np.maximum(coarse - FIRST_BIN + 1, 0)


def _screen(
    rows: DistinctRows,
    merges: list[np.ndarray],
    step: int,
    n_groups: int,
    most_cells: int,
) -> list[tuple[int, int]]:
    """Pairs that tell clearly more together than alone, in one row of every ``step``; the strongest first."""
    n_columns = len(merges)
    arrays = rows.codes, rows.labels, rows.weights
    chosen, labels, weights = (take_every(array, step) for array in arrays)
    codes = np.empty((n_columns, len(labels)), np.uint8)
    for k, merge in enumerate(merges):
        codes[k] = merge.astype(np.uint8)[chosen[:, k]]
    n_bins = np.array([int(merge.max()) + 1 for merge in merges])
    excess = np.zeros((n_columns, n_columns))
    kernels.screen_pairs(codes, labels, weights, n_bins, n_groups, most_cells, excess)
    alone = np.maximum(excess.diagonal(), 0.0)
    together = excess - alone[:, None] - alone
    least = np.maximum(
        BEYOND_CHANCE * np.sqrt(2.0 * np.outer(n_bins, n_bins)), MOSTLY_TOGETHER * excess
    )
    least = np.maximum(least, LEAST_TOGETHER * weights.sum())
    a, b = np.nonzero(np.triu(together > least, 1))
    order = np.argsort(-together[a, b], kind="stable")
    return list(zip(a[order].tolist(), b[order].tolist(), strict=True))


def _cut_grid(
    rows: DistinctRows, grid: PairGrid, fine: bool, ordered: np.ndarray, prior: np.ndarray
) -> PairGrid:
    """The grid with bins of numeric columns, or if it is to be fine all codes, joined anew by what the other tells."""
    codes = [rows.codes[:, k] for k in grid.columns]
    found = list(grid.merges)
    for side in (0, 1):
        if ordered[grid.columns[side]]:
            bins = np.arange(len(found[side])) if fine else grid.merges[side]
            runs = _cut(bins, codes[side], found[1 - side][codes[1 - side]], rows, prior)
            found[side] = found[side] if runs is None else runs[bins]
    return PairGrid(grid.columns, (found[0], found[1]))


def _cut(
    bins: np.ndarray, codes: np.ndarray, other: np.ndarray, rows: DistinctRows, prior: np.ndarray
) -> np.ndarray | None:
    """The run of each bin of a numeric column, missing cells at 0; None where bins are too many to be compared.

    ``bins`` holds the bin of each code, ``other`` what the rows have in the other column.
    """
    shape = int(bins.max()) + 1, int(other.max()) + 1, len(prior)
    if shape[0] ** 2 * shape[1] * shape[2] > CUTTING_STEPS:
        return None
    flat = (bins[codes].astype(np.int64) * shape[1] + other) * shape[2] + rows.labels
    counts = np.bincount(flat, rows.weights, int(np.prod(shape))).reshape(shape)
    starts = np.zeros(shape[0], np.int64)
    n_runs = kernels.cut_runs(counts[1:], prior, np.log(NARROW_BINS), starts)
    first = np.zeros(shape[0], np.int64)
    first[1 + starts[:n_runs]] = 1
    return np.cumsum(first)


def _is_hidden(rows: DistinctRows, grid: PairGrid, ordered: np.ndarray, n_groups: int) -> bool:
    """Whether no tree of a root and two children explains much of what the grid explains."""
    shape = *grid.shape, n_groups
    flat = grid.find_cells(rows.codes) * n_groups + rows.labels
    counts = np.bincount(flat, rows.weights, int(np.prod(shape))).reshape(shape)
    is_ordered = ordered[list(grid.columns)]
    best = max(
        _explain_by_tree(counts, is_ordered[0], is_ordered[1]),
        _explain_by_tree(counts.transpose(1, 0, 2), is_ordered[1], is_ordered[0]),
    )
    everything = _explain(counts).sum()
    nothing = float(_explain(counts.sum(axis=(0, 1))))
    return bool(best - nothing < EASILY_SEEN * (everything - nothing))


def _explain_by_tree(counts: np.ndarray, root_ordered: bool, child_ordered: bool) -> float:
    """What the best tree of four leaves explains, whose root asks about the first column."""
    left = np.cumsum(counts, axis=0) if root_ordered else counts
    best = np.zeros(len(left))
    for side in (left, counts.sum(axis=0) - left):
        below = np.cumsum(side, axis=1) if child_ordered else side
        above = side.sum(axis=1, keepdims=True) - below
        best += (_explain(below) + _explain(above)).max(axis=1)
    return float(best.max())


def _explain(counts: np.ndarray) -> np.ndarray:
    """The sum of squared counts of each cell by the cell's own: most where all its rows are of one group."""
    totals = counts.sum(axis=-1)
    return (counts * counts).sum(axis=-1) / np.where(totals > 0, totals, 1.0)
