"""A numeric target's cells merged into pieces with equally many rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.target_axis import TARGET, find_cell_values, find_span
from bayfold.core.schema import NumericColumn
from bayfold.core.schema.edges import find_quantile_cuts
from bayfold.families.mte.distribution import Pieces

ROWS_PER_PIECE = 5.0
"""Rows of the smallest piece."""

NO_CUTS = np.empty(0, np.int64)
"""The target is one piece."""


@dataclass(frozen=True, eq=False)
class TargetCut:
    """How the target's cells are cut into pieces.

    Attributes
    ----------
    piece_of : ndarray of int, of shape (n_cells,)
        Increasing: the piece of each cell.
    edges : ndarray of shape (n_pieces + 1,)
        Where the pieces begin and end.
    means : ndarray of shape (n_pieces,)
        Mean target of each piece's rows.
    weights : ndarray of shape (n_pieces,)
        Rows of each piece.
    pieces : Pieces
        What the target is within each: atoms, and intervals between them.
    """

    piece_of: np.ndarray
    edges: np.ndarray
    means: np.ndarray
    weights: np.ndarray
    pieces: Pieces

    @property
    def n_pieces(self) -> int:
        """How many pieces there are."""
        return len(self.weights)

    def merge(self, table: np.ndarray) -> np.ndarray:
        """Counts by cell, the last axis, as counts by piece."""
        begins = np.searchsorted(self.piece_of, np.arange(self.n_pieces))
        return np.add.reduceat(table, begins, axis=-1)


def cut_target(column_schema: NumericColumn, moments: np.ndarray, n_pieces: int) -> TargetCut:
    """Pieces of equal frequency: ties are never split, cuts lie midway between neighbouring targets.

    Parameters
    ----------
    column_schema : NumericColumn
        The cells of the target.
    moments : ndarray of shape (3, n_cells)
        Sums of w, w d and w d^2 in each cell.
    n_pieces : int
        At most so many; fewer where a piece would hold fewer than 5 rows.
    """
    weight, first, _ = moments
    # asked for no more than there are rows for: pieces a row too small would be merged in pairs
    most = max(min(n_pieces, int(weight.sum() / ROWS_PER_PIECE)), 1)
    cuts = _drop_small(weight, find_quantile_cuts(weight, most)) if most > 1 else NO_CUTS
    piece_of = np.searchsorted(cuts, np.arange(len(weight)), side="right")
    n = np.bincount(piece_of, weight)
    means = column_schema.shift + column_schema.scale * (np.bincount(piece_of, first) / n)
    low, high = _find_range(column_schema, weight, first)
    edges = np.concatenate([[low], column_schema.edges[cuts - 1], [high]])
    edges = _widen_ends(edges, weight, piece_of)
    means = np.clip(means, edges[:-1], edges[1:])
    pieces = _find_pieces(column_schema, moments, piece_of, edges, means)
    return TargetCut(piece_of, edges, means, n, pieces)


def _find_pieces(
    column_schema: NumericColumn,
    moments: np.ndarray,
    piece_of: np.ndarray,
    edges: np.ndarray,
    means: np.ndarray,
) -> Pieces:
    """The pieces, in parts where they hold atoms: the atoms, what lies between them, and gaps that nothing lies in."""
    values, is_atom = find_cell_values(column_schema, moments)
    if not is_atom.any() or len(values) == 1:
        return Pieces.with_means(edges, means)
    weight = moments[0][moments[0] > 0]
    piece = piece_of[moments[0] > 0]
    # a part is an atom, or neighbouring cells of one piece
    starts = np.append(True, is_atom[1:] | is_atom[:-1] | (np.diff(piece) > 0)).nonzero()[0]
    of_part = np.add.reduceat(weight, starts)
    middle = np.add.reduceat(weight * (values - values[0]), starts) / of_part + values[0]
    piece, atom = piece[starts], is_atom[starts]
    low = np.where(atom, values[starts], edges[piece])
    high = np.where(atom, values[starts], edges[piece + 1])
    low[1:] = np.where(atom[:-1] & ~atom[1:], high[:-1], low[1:])
    high[:-1] = np.where(atom[1:] & ~atom[:-1], low[1:], high[:-1])
    shares = of_part / np.bincount(piece, of_part)[piece]
    # behind an atom, a gap up to the next
    gaps = np.flatnonzero(low[1:] > high[:-1]) + 1
    bounds = np.insert(high, gaps, low[gaps])
    middle, shares = (np.insert(part, gaps, 0.0) for part in (middle, shares))
    bounds = np.append(low[0], bounds)
    middle = np.clip(middle, bounds[:-1], bounds[1:])
    return Pieces.with_means(bounds, middle, np.insert(piece, gaps, piece[gaps - 1]), shares)


def pieces_of_counts(counts: JointCounts, n_pieces: int) -> TargetCut:
    """Pieces of the target that the counts are grouped by."""
    assert counts.schema is not None
    assert counts.schema.target is not None
    return cut_target(counts.schema.target, counts.moments[TARGET], n_pieces)


def _widen_ends(edges: np.ndarray, weight: np.ndarray, piece_of: np.ndarray) -> np.ndarray:
    """An outermost piece of one value goes on beyond it as far as within, so that an interval can hold the value."""
    edges = edges.copy()
    n_values = np.bincount(piece_of, weight > 0)
    if len(edges) > 2:
        if n_values[0] == 1:
            edges[0] = 2 * edges[0] - edges[1]
        if n_values[-1] == 1:
            edges[-1] = 2 * edges[-1] - edges[-2]
    return edges


def _drop_small(weight: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """The cuts without those around pieces of too few rows."""
    while len(cuts):
        inside = np.add.reduceat(weight, np.append(0, cuts))
        smallest = int(inside.argmin())
        if inside[smallest] >= ROWS_PER_PIECE:
            break
        # it joins the smaller of its neighbours
        left = inside[smallest - 1] if smallest > 0 else np.inf
        right = inside[smallest + 1] if smallest < len(cuts) else np.inf
        cuts = np.delete(cuts, smallest - 1 if left <= right else smallest)
    return cuts


def _find_range(
    column_schema: NumericColumn, weight: np.ndarray, first: np.ndarray
) -> tuple[float, float]:
    """The training range. Of an outermost cell of several values only the mean is known, and its middle is there."""
    occupied = np.flatnonzero(weight > 0)
    ends = []
    for cell, side in ((occupied[0], -1), (occupied[-1], 0)):
        mean = column_schema.shift + column_schema.scale * (first[cell] / weight[cell])
        if column_schema.values is not None and len(column_schema.values) == len(weight):
            ends.append(float(column_schema.values[cell]))
            continue
        inner = cell if side == -1 else cell - 1
        edge = float(column_schema.edges[np.clip(inner, 0, len(column_schema.edges) - 1)])
        beyond = min(mean, 2 * mean - edge) if side == -1 else max(mean, 2 * mean - edge)
        ends.append(float(beyond))
    low, high = ends
    if not high > low:
        span = find_span(low, high)
        return low - span, high + span
    return low, high
