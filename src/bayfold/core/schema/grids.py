"""Grids that find the bin of a number: uniform, or logarithmic where edges crowd at the low end."""

from __future__ import annotations

import math

import numpy as np

from bayfold.core import kernels
from bayfold.core.kernels.encode import CELLS, FIRST_BIN, FIRST_CELL, MISSING, NARROW_BINS, STAGGER

PADDING = 256
"""Infinite edges behind the last, for the encoder's search to run into."""


class Grids:
    """The edges of numeric columns in the form the encoder wants them.

    Attributes
    ----------
    low, scale : ndarray of shape (n_columns,)
        x is in the cell ``floor((x - low) * scale)`` of a uniform grid, if it is not below ``low``, the first edge.
    first_code : ndarray of uint8 of shape (n_columns, CELLS + STAGGER)
        The code of numbers below all edges of a cell, counted from ``FIRST_CELL``; before these the codes of missing
        cells and of numbers below ``low``. In aligned columns the code of all numbers of a cell. Cells of crowded
        columns are counted from one.
    edges : ndarray of shape (n_columns, FIRST_BIN + NARROW_BINS + PADDING + STAGGER / 8)
        By code, the edge at which it ends; infinite for codes of no bin and behind the last edge.
    is_aligned : ndarray of bool of shape (n_columns,)
        Whether every edge is where a cell begins, so that no number need be compared with it.
    crowded : ndarray of int64 of shape (n_crowded, 4)
        Columns with more than one edge in some cell: the column, base and shift of its logarithmic grid
        (shift -1 if the uniform grid is no worse), and the steps of a bisection in the fullest cell.
    """

    def __init__(self, edges_of_columns: list[np.ndarray]) -> None:
        n = len(edges_of_columns)
        self.low = np.zeros(n)
        self.scale = np.zeros(n)
        self.first_code = np.full((n, CELLS + STAGGER), FIRST_BIN, np.uint8)
        self.first_code[:, 0] = MISSING
        self.edges = np.full((n, FIRST_BIN + NARROW_BINS + PADDING + STAGGER // 8), np.inf)
        self.is_aligned = np.ones(n, bool)
        crowded: list[tuple[int, int, int, int]] = []
        of_length: dict[int, list[int]] = {}
        for j, edges in enumerate(edges_of_columns):
            if len(edges) > 0:
                of_length.setdefault(len(edges), []).append(j)
        for columns in of_length.values():  # most often all of them: one step is for many
            crowded += self._lay_out(columns, np.stack([edges_of_columns[j] for j in columns]))
        self.crowded = np.array(sorted(crowded), np.int64).reshape(-1, 4)

    def _lay_out(self, columns: list[int], edges: np.ndarray) -> list[tuple[int, int, int, int]]:
        """Lay out the grids of columns of as many edges each; give the crowded ones."""
        self.edges[columns, FIRST_BIN : FIRST_BIN + edges.shape[1]] = edges
        self.low[columns] = edges[:, 0]
        self.scale[columns] = [find_scale(own) for own in edges]
        low = self.low[columns, None]
        scale = self.scale[columns, None]
        cells = find_uniform_cells(edges, low, scale)
        self.is_aligned[columns] = begin_cells(edges, cells, low, scale)
        is_crowded = (cells[:, 1:] == cells[:, :-1]).any(axis=1)
        for k in np.flatnonzero(~is_crowded).tolist():
            self._fill(columns[k], cells[k])
        return [self._crowd(columns[k], edges[k], cells[k]) for k in np.flatnonzero(is_crowded)]

    def _fill(self, j: int, cells: np.ndarray) -> None:
        """The first codes of a column whose edges lie in these cells, one in each."""
        first = FIRST_CELL if self.is_aligned[j] else FIRST_CELL + 1
        passed = np.zeros(CELLS + 1, np.uint8)
        passed[cells] = 1
        np.cumsum(passed, out=passed)
        self.first_code[j, first : FIRST_CELL + CELLS] += passed[: FIRST_CELL + CELLS - first]

    def _crowd(self, j: int, edges: np.ndarray, cells: np.ndarray) -> tuple[int, int, int, int]:
        """The first codes of a column with several edges in a cell, and what the encoder needs of it."""
        base, shift, per_cell = _better_grid(edges, _per_cell(cells))
        self.first_code[j, 2 : CELLS + 1] += np.cumsum(per_cell[:-1]).astype(np.uint8)
        return j, base, shift, int(per_cell.max()).bit_length()

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """What the encoder takes, in its order."""
        return self.low, self.scale, self.first_code, self.edges, self.is_aligned, self.crowded

    def encode(
        self, values: np.ndarray, codes: np.ndarray, minimum: np.ndarray, maximum: np.ndarray
    ) -> None:
        """Write the code of ``values[i, j]`` to ``codes[i, j]``; widen ``minimum`` and ``maximum``."""
        *grids, crowded = self.arrays
        kernels.encode_rows(values.reshape(-1), *grids, codes, minimum, maximum)
        if len(crowded):
            kernels.encode_crowded(values, *grids[:4], crowded, codes)


def find_scale(edges: np.ndarray) -> float:
    """Cells per unit of a grid whose last cell begins at the last edge; 0 where edges span nothing or too much."""
    span = float(edges[-1]) - float(edges[0])
    scale = (CELLS - 1) / span if span > 0 else math.inf
    if span * scale < CELLS - 1:
        scale = math.nextafter(scale, math.inf)
    return scale if math.isfinite(scale) else 0.0


def find_uniform_cells(
    values: np.ndarray, low: float | np.ndarray, scale: float | np.ndarray
) -> np.ndarray:
    """The cell of each value in a uniform grid, by the same operations as the encoder's; -1 below it."""
    with np.errstate(over="ignore", invalid="ignore"):
        t = (values - low) * scale
    cells = np.minimum(np.where(t > 0, t, 0.0), CELLS - 1).astype(np.int64)
    return np.where(values >= low, cells, -1)


def begin_cells(
    edges: np.ndarray, cells: np.ndarray, low: float | np.ndarray, scale: float | np.ndarray
) -> np.ndarray:
    """Whether every edge, of each column, is the smallest number of its cell."""
    with np.errstate(over="ignore"):
        below = np.nextafter(edges, -np.inf)
    return np.all(find_uniform_cells(below, low, scale) < cells, axis=-1)


def find_log_cells(values: np.ndarray, low: float, base: int, shift: int) -> np.ndarray:
    """The cell of each value in a logarithmic grid, by the same operations as the encoder's."""
    with np.errstate(over="ignore"):
        bits = (values - low).view(np.int64)
    return np.minimum((np.maximum(bits, base) - base) >> shift, CELLS - 1)


def _better_grid(edges: np.ndarray, per_cell: np.ndarray) -> tuple[int, int, np.ndarray]:
    """Base, shift and edges per cell of whichever grid has fewer edges in its fullest cell."""
    with np.errstate(over="ignore"):
        bits = (edges - edges[0]).view(np.int64)
    shift = max(int(bits[-1] - bits[1]).bit_length() - CELLS.bit_length() + 1, 0)
    base = int(bits[1]) - (1 << shift)  # the first edge has a cell to itself, the others follow
    in_log_grid = _per_cell(find_log_cells(edges, float(edges[0]), base, shift))
    if in_log_grid.max() < per_cell.max():
        return base, shift, in_log_grid
    return 0, -1, per_cell


def _per_cell(cells: np.ndarray) -> np.ndarray:
    return np.bincount(cells, minlength=CELLS)
