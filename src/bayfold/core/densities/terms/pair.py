"""A table over the codes of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.terms.protocol import Packing, stack_tables
from bayfold.core.schema import RowBlock

N_CODES = 256
"""Pairs are of columns with one-byte codes."""


@dataclass(frozen=True, eq=False)
class PairTerm:
    """``log_table[merge_a[code of a], merge_b[code of b], group]``.

    Attributes
    ----------
    columns : tuple of int
        The two columns, a before b.
    merges : tuple of ndarray of int
        The coarse bin of each code; bin 0 gives no evidence.
    log_table : ndarray of shape (n_coarse_a, n_coarse_b, n_groups)
    counts : ndarray of the same shape
        Weight of the training rows.
    """

    columns: tuple[int, int]
    merges: tuple[np.ndarray, np.ndarray]
    log_table: np.ndarray
    counts: np.ndarray
    kind: str = field(default="pair", init=False)

    @classmethod
    def pack(cls, terms: Sequence[PairTerm], packing: Packing) -> PackedPairs:
        """One flat table, and where each code leads within it."""
        place = {j: k for k, j in enumerate(packing.schema.narrow.tolist())}
        positions = np.array([[place[j] for j in pair.columns] for pair in terms], np.int64)
        tables = [packing.weigh(pair.log_table) for pair in terms]
        # scores that no pair moves would only fill the cache: a number's pairs speak of its location alone
        moves = np.any([table.any(axis=(0, 1)) for table in tables], axis=0)
        n_moved = int(np.flatnonzero(moves).max(initial=0)) + 1
        steps = np.zeros((len(terms), 2, N_CODES), np.int32)
        for k, pair in enumerate(terms):
            for side, width in ((0, pair.log_table.shape[1]), (1, 1)):
                merge = pair.merges[side]
                steps[k, side, : len(merge)] = merge * (width * n_moved)
        offsets, entries = stack_tables([table[..., :n_moved] for table in tables])
        return PackedPairs(positions, steps, offsets, entries, n_moved)


@dataclass(frozen=True, eq=False)
class PackedPairs:
    """Tables of several pairs of columns.

    Attributes
    ----------
    positions : ndarray of shape (n_pairs, 2)
        Of the columns among the narrow ones.
    steps : ndarray of shape (n_pairs, 2, 256)
        How far each code of either column leads into the pair's table.
    offsets, tables : ndarray
        Where each table begins, and all tables.
    n_moved : int
        Scores that the tables add to, the first ones.
    """

    positions: np.ndarray
    steps: np.ndarray
    offsets: np.ndarray
    tables: np.ndarray
    n_moved: int

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add the entries of each row's pairs of codes."""
        places = self.positions, self.steps, self.offsets
        kernels.score_pairs(block.narrow, *places, self.tables, self.n_moved, scores)
