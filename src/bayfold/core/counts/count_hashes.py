"""Row hashes that do not depend on names, column order or units: every code is hashed by its counts, not its label.

They give the order in which rows are dealt to folds.

Were folds dealt by a hash of names, another name for a category, a class or a column would deal other folds, and on a
few hundred rows other folds are another model. So these hashes are computed from counts: a category is
known by its counts in the groups, a bin also by its rank, a column by its categories, a group by its counts in them
all. This is the refinement of colours by which graphs are compared, on the graph whose edges are the counts. Columns
and categories that it leaves alike are distinguished by the rows in which they stand.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.equal_rows import sort_by_hash
from bayfold.core.counts.joint import JointCounts
from bayfold.core.counts.layout import join_counts
from bayfold.core.counts.row_hashes import RowHashes
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.long_arrays import cut_pieces, sum_rows
from bayfold.core.schema import RowBlock, Schema

ROUNDS = 2
"""Refinements of the hashes: after two, a category knows the groups by their counts in all columns."""

DISTINCT_SHARES = 2.0**24
"""Counts are distinguished to this share of the total: finer than counts of rows, coarser than rounding."""

MIXED_AT_ONCE = 1 << 16
"""What is worked out for so many stays in the second-level cache, and takes no memory that grows with the table."""

_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_STEP = np.uint64(0x9E3779B97F4A7C15)
"""The constants of splitmix64 (Steele, Lea & Flood 2014)."""


class CountHashes(RowHashes):
    """Hashes of codes and of groups that depend on counts, not on names, column order or units.

    Parameters
    ----------
    counts : JointCounts
    block : RowBlock
        Distinct rows of the same schema: all, or a sample.
    group_of, weights : ndarray
        Of these rows.
    """

    def __init__(
        self, counts: JointCounts, block: RowBlock, group_of: np.ndarray, weights: np.ndarray
    ) -> None:
        schema = counts.schema
        assert schema is not None
        self.text_seeds = [0] * len(schema.text)  # words have no frequencies
        flat = join_counts(counts.tables)
        occurs = np.asarray(flat.any(axis=1))
        starts = np.cumsum([0, *(len(table) for table in counts.tables)])
        # a column that is the same in all rows deals no other folds
        tells = np.repeat(
            np.add.reduceat(occurs.astype(np.int64), starts[:-1]) > 1, np.diff(starts)
        )
        # a power of two apart from the total: the shares are those of `_find_shares`, to the last bit
        seen = flat, tells, max(counts.n_rows, 1e-300) / DISTINCT_SHARES
        hashes = _find_places(schema, occurs)
        group_hashes = finalize_hashes(_find_shares(counts.totals, counts.n_rows))
        for _ in range(ROUNDS):
            found = np.zeros_like(hashes)
            kernels.add_groups_to_codes(*seen, group_hashes, found)
            hashes = finalize_hashes(hashes + found)
            codes = np.where(occurs, finalize_hashes(hashes), np.uint64(0))
            names = finalize_hashes(np.add.reduceat(codes, starts[:-1]))
            hashes = hashes + np.repeat(names, np.diff(starts))
            found = np.zeros_like(group_hashes)
            kernels.add_codes_to_groups(*seen, hashes, found)
            group_hashes = finalize_hashes(group_hashes + found)
        self.group_hashes = group_hashes
        self._starts = starts
        self._place_hashes(schema, starts, np.where(tells, finalize_hashes(hashes), np.uint64(0)))
        tied = _find_tied(self.hash_columns())
        if tied.any():
            self._learn_rows(block, group_of, weights, np.repeat(tied, np.diff(starts)))
            self._number_columns([column.name for column in schema.columns])

    def shuffle_rows(
        self, block: RowBlock, group_of: np.ndarray, seed: int | None = None
    ) -> np.ndarray:
        """The order of a random draw that is always the same for the same rows; another seed, another order.

        Rows come in the order of their content hashes, and stay so where all their frequencies are the same.
        """
        return sort_by_hash(self.draw_keys(block, group_of, seed))[1]

    def draw_keys(
        self, block: RowBlock, group_of: np.ndarray, seed: int | None = None
    ) -> np.ndarray:
        """The hashes of rows by which they are shuffled."""
        with_texts = self.hash_block(block, group_of) if block.words else None
        keys = np.empty(block.n_rows, np.uint64)
        for part in _cut_rows(block.n_rows):
            if with_texts is None:
                own = RowBlock.of_codes(block.schema, block.narrow[part], block.wide[part])
                keys[part] = self._shuffle_keys(self.hash_block(own, group_of[part]), seed)
            else:
                keys[part] = self._shuffle_keys(with_texts[part], seed)
        return keys

    @staticmethod
    def _shuffle_keys(keys: np.ndarray, seed: int | None) -> np.ndarray:
        """The keys of another draw for every seed."""
        if seed is None:
            return keys
        # odd factors permute the hashes
        factor = np.random.default_rng(seed).integers(1 << 63, dtype=np.uint64) | np.uint64(1)
        return finalize_hashes(keys * factor)

    def sort_by_group(self, order: np.ndarray, group_of: np.ndarray) -> np.ndarray:
        """An order of rows made one group after the other, the groups in an order that knows no names."""
        rank = self.rank_groups()
        # small integers are sorted by radix, in a fraction of the time
        rank = rank.astype(np.min_scalar_type(len(rank)))
        return order[np.argsort(rank[group_of[order]], kind="stable")]

    def rank_groups(self) -> np.ndarray:
        """The place of each group in an order that knows no names."""
        return np.argsort(np.argsort(self.group_hashes, kind="stable"))

    def line_up_groups(self, group_of: np.ndarray, units: np.ndarray | None) -> np.ndarray:
        """Where the units of each group begin if groups follow each other in an order that knows no names.

        Without units each row is one.
        """
        n_units = np.zeros(len(self.group_hashes), np.int64)
        for piece in cut_pieces(len(group_of)):
            own = None if units is None else units[piece]
            n_units += np.bincount(group_of[piece], own, len(n_units)).astype(np.int64)
        order = np.argsort(self.group_hashes, kind="stable")
        first = np.empty_like(n_units)
        first[order] = np.cumsum(n_units[order]) - n_units[order]
        return first

    def learn_rows(self, block: RowBlock, group_of: np.ndarray, weights: np.ndarray) -> None:
        """Tell codes of the same frequencies apart by the rows in which they stand.

        An identifier then decides as much as any other column.
        """
        if _find_tied(self.code_hashes).any():
            self._learn_rows(block, group_of, weights, np.ones(len(self.code_hashes), bool))

    def _learn_rows(
        self, block: RowBlock, group_of: np.ndarray, weights: np.ndarray, chosen: np.ndarray
    ) -> None:
        """Add to the chosen hashes the rows in which they stand."""
        total = sum_rows(weights)
        mixed = finalize_hashes(self.code_hashes)
        found = np.zeros_like(self.code_hashes)
        for part in _cut_rows(len(weights)):
            shares = _find_shares(weights[part], total)
            mixed_rows = finalize_hashes(self.group_hashes[group_of[part]] + shares * _STEP)
            coded = (
                (block.narrow[part], self.narrow_offsets),
                (block.wide[part], self.wide_offsets),
            )
            for codes, offsets in coded:
                for k, start in enumerate(offsets.tolist()):
                    mixed_rows += mixed[start + codes[:, k].astype(np.int64)]
            mixed_rows = finalize_hashes(mixed_rows)
            for codes, offsets in coded:
                kernels.add_to_codes(codes, offsets, mixed_rows, found)
        self._change_hashes(np.where(chosen, finalize_hashes(found), np.uint64(0)))

    def _number_columns(self, names: list[str]) -> None:
        """Tell columns apart that are alike in all that they hold: alike, they would cancel in the hash of a row."""
        sums = self.hash_columns()
        order = np.lexsort((np.array(names), sums))
        is_new = np.append(True, sums[order][1:] != sums[order][:-1])
        begin = np.flatnonzero(is_new)[np.cumsum(is_new) - 1]
        number = np.empty(len(sums), np.uint64)
        number[order] = np.arange(len(sums)) - begin
        if number.any():
            self._change_hashes(np.repeat(finalize_hashes(number), np.diff(self._starts)))

    def _change_hashes(self, found: np.ndarray) -> None:
        """Words with something more to know them by; those that tell nothing stay zero."""
        keep = (self.code_hashes == 0) | (found == 0)
        self.code_hashes = np.where(
            keep, self.code_hashes, finalize_hashes(self.code_hashes + found)
        )

    def hashes_of(self, j: int) -> np.ndarray:
        """The hashes of the codes of a column."""
        return self.code_hashes[self._starts[j] : self._starts[j + 1]]

    def hash_columns(self) -> np.ndarray:
        """A hash for each column, from those of its codes."""
        return np.add.reduceat(self.code_hashes, self.offsets)


def _cut_rows(n_rows: int) -> Iterator[slice]:
    """Rows that are worked on together."""
    for piece in cut_pieces(n_rows):
        for start in range(piece.start, piece.stop, MIXED_AT_ONCE):
            yield slice(start, min(start + MIXED_AT_ONCE, piece.stop))


def _find_tied(hashes: np.ndarray) -> np.ndarray:
    """Which hashes, other than zero, occur more than once."""
    _, place, n_times = np.unique(hashes, return_inverse=True, return_counts=True)
    return (n_times[place] > 1) & (hashes != 0)


def _find_shares(counts: np.ndarray, total: float) -> np.ndarray:
    return np.rint(counts / max(total, 1e-300) * DISTINCT_SHARES).astype(np.uint64)


def _find_places(schema: Schema, occurs: np.ndarray) -> np.ndarray:
    """Where each code starts: missing and unseen cells as such, bins by rank, categories all alike."""
    places = np.full(len(occurs), FIRST_BIN, np.uint64)
    start = 0
    for column in schema.columns:
        stop = start + column.n_codes
        if column.kind == "numeric":
            places[start:stop] += np.cumsum(occurs[start:stop]).astype(np.uint64)
        places[start : start + FIRST_BIN] = np.arange(FIRST_BIN)
        start = stop
    return finalize_hashes(places)


def finalize_hashes(hashes: np.ndarray) -> np.ndarray:
    """The finalizer of splitmix64."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * _FIRST
    hashes = (hashes ^ (hashes >> np.uint64(27))) * _SECOND
    return hashes ^ (hashes >> np.uint64(31))
