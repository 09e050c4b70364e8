"""Evidence about a numeric target: joint counts of bins and target cells, smoothed by Gaussian kernels.

A column speaks of the target by ``p(x | y) = sum_i Kx(x - x_i) Ky(y - y_i) / sum_i Ky(y - y_i)``. Counts of
(bin, cell) stand for the rows, so the sums are products of small matrices whatever the number of rows, and
a row is left out of its own evidence by subtracting what it added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.families.regression import kernels
from bayfold.families.regression.bin_kernels import BinKernel
from bayfold.families.regression.widths import find_bin_shares


@dataclass(frozen=True, eq=False)
class SmoothedColumn:
    """Kernel sums of one column at every bin and every grid point of the target.

    Attributes
    ----------
    joint : ndarray of shape (n_bins, n_grid)
        Smoothed weight of the bin at the grid point.
    marginal : ndarray of shape (n_grid,)
        Smoothed weight of all known cells at the grid point.
    along_grid : ndarray of shape (n_cells, n_grid)
        What a row in a target cell adds to ``marginal``.
    heights : ndarray of shape (n_bins,)
        How many times that it adds to ``joint`` in its own bin.
    widths : tuple of float
        Bandwidths of the column (zero where rows count in their own bin alone) and of the target.
    """

    joint: np.ndarray
    marginal: np.ndarray
    along_grid: np.ndarray
    heights: np.ndarray
    widths: tuple[float, float]

    def log_table(self) -> np.ndarray:
        """Log p(bin | grid point) of shape (n_bins, n_grid)."""
        table = np.empty_like(self.joint)
        kernels.fill_log_ratios(self.joint, self.marginal, table)
        return table

    def update_without(
        self, bins: np.ndarray, cells: np.ndarray, own: np.ndarray, evidence: np.ndarray
    ) -> None:
        """Add the rows of the table for some rows of the data, each from all rows but itself, with a maximum of zero.

        A row weighs its own ``own``. To rows with a negative bin nothing is added.
        """
        sums = self.joint, self.marginal, self.along_grid, self.heights
        kernels.add_left_out(*sums, bins, cells, own, evidence)


def smooth_column(
    kernel: BinKernel, counts: np.ndarray, along_grid: np.ndarray, widths: tuple[float, float]
) -> SmoothedColumn:
    """Kernel sums of a column.

    Parameters
    ----------
    kernel : BinKernel
    counts : ndarray of shape (n_bins, n_cells)
    along_grid : ndarray of shape (n_cells, n_grid)
        What a row in a target cell adds at each grid point, with the target's bandwidth.
    widths : tuple of float
        Bandwidths of the column and of the target.
    """
    joint, heights = kernel.spread(counts @ along_grid, widths[0])
    joint = joint + kernel.pseudo_rows * find_bin_shares(counts)[:, None]
    marginal = counts.sum(axis=0) @ along_grid + kernel.pseudo_rows
    return SmoothedColumn(joint, marginal, along_grid, heights, widths)
