"""The groups that a column is predicted by: pieces of its range, or its categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn
from bayfold.families.mte.distribution import Pieces
from bayfold.families.mte.target_pieces import cut_target

MOST_CATEGORIES = 50
"""Categories that are told apart; of a column with more, only the most frequent are filled in."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of a column: its pieces, or its categories.

    Attributes
    ----------
    group_of_bin : ndarray of int
        The group of each bin; -1 where it has none.
    share : ndarray
        Weight of each group.
    pieces : Pieces
    labels : ndarray of object or None
        The categories; None for a numeric column.
    """

    group_of_bin: np.ndarray
    share: np.ndarray
    pieces: Pieces
    labels: np.ndarray | None

    @property
    def n_groups(self) -> int:
        """How many there are."""
        return len(self.share)


def group_column(column_schema: ColumnSchema, sums: np.ndarray, n_pieces: int) -> Grouping | None:
    """The groups of a column from the sums of its cells; None if none is known.

    Parameters
    ----------
    column_schema : ColumnSchema
    sums : ndarray
        As in ``CellStatistics``.
    n_pieces : int
        Of a numeric column.
    """
    if not sums[0].any():
        return None
    if isinstance(column_schema, NominalColumn):
        return _by_category(column_schema, sums[0])
    assert isinstance(column_schema, NumericColumn)
    cut = cut_target(column_schema, sums, n_pieces)
    pieces = cut.pieces
    return Grouping(cut.piece_of, cut.weights, pieces, None)


def _by_category(column_schema: NominalColumn, weights: np.ndarray) -> Grouping | None:
    """The most frequent categories; those that share one bin have no name to be filled in."""
    count = weights[: len(column_schema.categories)]
    frequent = np.sort(np.argsort(-count, kind="stable")[:MOST_CATEGORIES])
    frequent = frequent[count[frequent] > 0]
    if not len(frequent):
        return None
    place = np.full(column_schema.n_bins, -1)
    place[frequent] = np.arange(len(frequent))
    labels = np.array(column_schema.categories, object)[frequent]
    pieces = Pieces(np.arange(len(frequent) + 1.0), np.zeros(len(frequent)))
    return Grouping(place, count[frequent], pieces, labels)
