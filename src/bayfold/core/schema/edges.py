"""Fine bins of a numeric column, and the rows of a long table that they come from.

One bin per value while there are few, otherwise quantiles. Quantiles of a sample are estimates, so edges may be moved
by some hundredths of a bin to where cells of the encoder's grid begin. The cell of a number alone then gives its bin,
and coding takes a quarter less time.

Rows are drawn by a hash of their numbers: the draw depends on what is in a row and not on where it stands, on no name,
and not on the order of columns.
"""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.frames import Column, Table
from bayfold.core.frames.labels import lend_cells
from bayfold.core.kernels.encode import NARROW_BINS
from bayfold.core.schema.grids import find_scale

MOST_MOVED = 0.2
"""Of the rows of a bin, the share that may come to the bin beside it. Of 20,000 normal numbers it is 0.12 at most; a
value that many rows have is never passed."""


def align_edges(edges: np.ndarray, values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The edges, moved to the nearest beginnings of cells where this is possible and hardly moves rows.

    Parameters
    ----------
    edges : ndarray
        In increasing order.
    values, weights : ndarray
        Distinct values in increasing order, from which the edges were estimated, and their weights.
    """
    scale = find_scale(edges) if len(edges) else 0.0
    if scale == 0.0:
        return edges
    starts = np.empty_like(edges)
    is_possible = kernels.move_to_cells(edges, scale, values, weights, MOST_MOVED, starts)
    # with another last edge the grid may be another one, of which they begin no cells
    return starts if is_possible and find_scale(starts) == scale else edges


ROUNDING_OF_WEIGHTS = 1e-9
"""Share of the total weight that distances to a quantile may be off by: equal up to it, the lower cut wins."""


def find_midpoints(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Points above ``lower`` and at most ``upper``, half-way between.

    >>> find_midpoints(np.array([1.0]), np.array([2.0]))
    array([1.5])
    """
    middle = lower / 2 + upper / 2  # the sum might overflow
    return np.where((middle > lower) & (middle <= upper), middle, upper)


def find_fine_edges(
    values: np.ndarray,
    weights: np.ndarray,
    width_bins: int = 0,
    max_bins: int = NARROW_BINS,
    range_share: float = 0.0,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Edges of at most ``max_bins`` bins over distinct sorted ``values`` with their summed ``weights``.

    Parameters
    ----------
    values, weights : ndarray
        Distinct values in increasing order and the weight of each.
    width_bins : int
        If positive, the edges of that many bins of equal width (254 at most) are among the edges.
    max_bins : int
        At most 254.
    range_share : float
        Bins hold equal shares of ``1 - range_share`` of the rows and of ``range_share`` of the range of values, so that
        a long tail is cut by value as well as by rank.

    Returns
    -------
    edges : ndarray
    values : ndarray or None
        The values when each has a bin of its own.

    Examples
    --------
    >>> find_fine_edges(np.array([1.0, 2.0, 4.0]), np.ones(3))
    (array([1.5, 3. ]), array([1., 2., 4.]))
    """
    if len(values) <= max_bins:
        return find_midpoints(values[:-1], values[1:]), values
    width_bins = min(width_bins, max_bins)
    mass = spread_over_range(values, weights, range_share) if range_share else weights
    cuts = find_quantile_cuts(mass, max_bins - max(width_bins - 1, 0))
    if width_bins:
        cuts = np.union1d(cuts, find_width_cuts(values, values[0], values[-1], width_bins))
    return find_midpoints(values[cuts - 1], values[cuts]), None


def spread_over_range(values: np.ndarray, weights: np.ndarray, range_share: float) -> np.ndarray:
    """The share of the weight that each value has, mixed with the share of the range that is nearest to it.

    >>> spread_over_range(np.array([0.0, 1.0, 4.0]), np.array([2.0, 1.0, 1.0]), 0.5)
    array([0.3125, 0.375 , 0.3125])
    """
    low = values[0] / 2
    part = (values / 2 - low) / (values[-1] / 2 - low)
    gaps = np.diff(part, prepend=0.0) + np.diff(part, append=1.0)
    return (1 - range_share) * weights / weights.sum() + range_share * gaps / 2


def keep_some_values(values: np.ndarray, limit: int) -> np.ndarray:
    """All values, or as many as the limit allows: those with the smallest hash.

    Like any sample of smallest hashes it can be taken of parts first, and it is spread over the range.
    """
    if len(values) <= limit:
        return values
    hashes = np.zeros(len(values), np.uint64)
    kernels.hash_numbers(values[:, None], hashes)
    return np.sort(values[np.argsort(hashes, kind="stable")[: max(limit, 0)]])


def find_quantile_cuts(weights: np.ndarray, n_bins: int) -> np.ndarray:
    """Positions that cut a sequence of weights into ``n_bins`` parts of nearly equal weight.

    A cut at k lies between entries k-1 and k, wherever the cumulated weight comes nearest to
    the quantile; heavy entries make for fewer parts, and entries without weight for none.

    >>> find_quantile_cuts(np.array([1.0, 1.0, 1.0, 1.0]), 2)
    array([2])
    """
    return kernels.cut_by_weight(
        np.ascontiguousarray(weights, np.float64), n_bins, ROUNDING_OF_WEIGHTS
    )


def find_width_cuts(values: np.ndarray, low: float, high: float, n_bins: int) -> np.ndarray:
    """Positions that cut sorted ``values`` at ``low + k (high - low) / n_bins``.

    A value on a cut up to rounding belongs above it, so that changing units moves nothing.

    >>> find_width_cuts(np.array([0.0, 1.0, 2.0, 10.0]), 0.0, 10.0, 5)
    array([2, 3])
    """
    if not high > low:
        return np.empty(0, np.int64)
    share = (values / 2 - low / 2) / (high / 2 - low / 2)
    cuts = np.searchsorted(share * n_bins, np.arange(1, n_bins) - 1e-9)
    cuts = np.unique(cuts)
    return cuts[(cuts > 0) & (cuts < len(values))]


CELLS_AT_ONCE = 1 << 16
"""Of a column before the next: half a megabyte, which stays near a core with the hashes."""

LEAST_UNEQUAL_ROWS = 0.9
"""Of the rows drawn by a small hash: where more of them are equal, equal rows are all in the sample or all out of it,
and shares in it are not those of the table."""

MOST_STANDARD_ERRORS = 3.0
"""Standard errors by which the number of rows with a small hash may differ from what is expected: rows that are very
often equal are missing in it, or too many."""


def draw_by_content(table: Table, weights: np.ndarray | None, n_wanted: int) -> np.ndarray:
    """About as many rows as are wanted, in the order of the table.

    Rows whose numbers have a small hash are drawn. Where many rows are equal, rows are drawn in even strips of all rows
    in the order of their hashes, so that each has its share. Rows without a number are drawn by their places.
    """
    numeric = [column for column in table.columns if column.kind == "numeric"]
    if not numeric:
        return choose_rows(table.n_rows, n_wanted)
    hashes = _hash_rows(numeric, table.n_rows)
    rows = np.flatnonzero(hashes <= np.uint64(n_wanted * (2**64 // table.n_rows)))
    is_as_expected = abs(len(rows) - n_wanted) <= MOST_STANDARD_ERRORS * np.sqrt(n_wanted)
    if is_as_expected and len(np.unique(hashes[rows])) >= LEAST_UNEQUAL_ROWS * len(rows):
        return rows
    digits = (
        hashes.view(np.uint16).reshape(-1, 4).T
    )  # sorted one after the other, which takes no comparisons
    order = np.lexsort(digits if weights is None else (weights, *digits))
    return np.sort(order[choose_rows(table.n_rows, n_wanted)])


def _hash_rows(columns: list[Column], n_rows: int) -> np.ndarray:
    hashes = np.zeros(n_rows, np.uint64)
    for start in range(0, n_rows, CELLS_AT_ONCE):
        stop = min(start + CELLS_AT_ONCE, n_rows)
        for column in columns:
            cells = lend_cells(np.asarray(column.numbers(start, stop), np.float64))
            kernels.add_number_hashes(cells, hashes[start:stop])
    return hashes


def choose_rows(n_rows: int, limit: int) -> np.ndarray:
    """At most ``limit`` rows, one at random in each of as many equal strips.

    Strips cover sorted tables evenly, and the random place within a strip does not fall into step with
    a pattern in the rows. The draw is fixed, so that a fit can be repeated.
    """
    if n_rows <= limit:
        return np.arange(n_rows)
    # bounds are whole numbers, so that no row is drawn twice
    bounds = np.linspace(0, n_rows, limit + 1).astype(np.int64)
    jitter = np.random.default_rng(0).random(limit) * np.diff(bounds)
    return bounds[:-1] + jitter.astype(np.int64)
