"""Columns and categories in an order of their own, so that neither names nor places decide what boosting draws.

A tree looks at some columns drawn at random, and takes the first of splits that are equally good. Drawn by position,
the columns of the same table in another order would be another draw, and on a few hundred rows another model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.long_arrays import cut_pieces
from bayfold.core.schema import Schema
from bayfold.families.boosting import kernels
from bayfold.families.boosting.kernels.inputs import BYTE_CODES, EQUAL, NO_SPLIT
from bayfold.families.boosting.rounds.cross_fit import CrossFit
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows


@dataclass(frozen=True, eq=False)
class ContentOrder:
    """Where the one-byte columns and their categories stand in an order by content.

    Attributes
    ----------
    columns : ndarray of int
        The column at each place. Those that are the same in all rows come last.
    n_telling : int
        How many are not the same in all rows, or are texts: trees are given these.
    codes : dict of int to ndarray of int
        The codes of each nominal column in their order; by the place of the column.
    """

    columns: np.ndarray
    n_telling: int
    codes: dict[int, np.ndarray]

    def leave_telling(self, rows: DistinctRows) -> DistinctRows:
        """The rows, in this order, without the columns that are always the same: these would be drawn in vain."""
        if self.n_telling == rows.codes.shape[1]:
            return rows
        codes = np.empty((rows.n_rows, self.n_telling), np.uint8)
        for piece in cut_pieces(rows.n_rows):
            codes[piece] = rows.codes[piece, : self.n_telling]
        return replace(rows, codes=codes)

    def arrange(self, rows: DistinctRows) -> DistinctRows:
        """The rows with columns and categories in this order."""
        return replace(rows, codes=self.arrange_codes(rows.codes))

    def arrange_codes(self, codes: np.ndarray) -> np.ndarray:
        """The codes of one-byte columns in this order."""
        places = np.tile(np.arange(BYTE_CODES, dtype=np.uint8), (len(self.columns), 1))
        for place, order in self.codes.items():
            places[place, order] = np.arange(len(order))
        arranged = np.empty(codes.shape, np.uint8)
        for piece in cut_pieces(len(codes)):
            kernels.arrange_codes(codes[piece], self.columns, places, arranged[piece])
        return arranged

    def restore_codes(self, arranged: np.ndarray) -> np.ndarray:
        """The codes as they were before."""
        codes = np.empty_like(arranged)
        for place, column in enumerate(self.columns.tolist()):
            order = self.codes.get(place)
            own = arranged[:, place]
            codes[:, column] = own if order is None else order[own]
        return codes

    def find_places(self, positions: list[int]) -> list[int]:
        """Where columns stand now; those of two-byte codes, which come after the others, stand where they stood."""
        n_wide = max([*positions, len(self.columns)]) + 1 - len(self.columns)
        places = np.append(np.argsort(self.columns), len(self.columns) + np.arange(n_wide))
        return sorted(places[positions].tolist())

    def restore(self, trees: CrossFit) -> CrossFit:
        """The trees as if columns and categories had stayed where they were."""
        splits = trees.splits.copy()
        column, kind, cut = (trees.splits[..., k] for k in range(3))
        splits[..., 0] = np.where(kind == NO_SPLIT, 0, self.columns[column])
        for place, order in self.codes.items():
            chosen = (column == place) & (kind == EQUAL)
            splits[..., 2][chosen] = order[cut[chosen]]
        start = trees.start.restored(self.columns, self.codes)
        return replace(trees, splits=splits, start=start)


def find_content_order(row_hashes: CountHashes, schema: Schema) -> ContentOrder:
    """Order columns and categories by the hashes of what is in them."""
    names = row_hashes.hash_columns()[schema.narrow]
    # what words say is added to all scores, and a tree without a split then moves those of the classes
    is_text = np.array([schema.columns[j].kind == "text" for j in schema.narrow], bool)
    tells = (names != 0) | is_text
    columns = np.lexsort((names, ~tells))
    codes = {}
    for place, k in enumerate(columns.tolist()):
        j = schema.narrow[k]
        if schema.columns[j].kind == "nominal":
            order = np.argsort(row_hashes.hashes_of(j)[FIRST_BIN:], kind="stable")
            codes[place] = np.append(np.arange(FIRST_BIN), FIRST_BIN + order)
    return ContentOrder(columns, int(tells.sum()), codes)
