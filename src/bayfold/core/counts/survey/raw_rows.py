"""Some rows as they are: all of a short table, and of a longer one the distinct rows with the smallest content hash.

A bottom-k sketch like ``RowSample``, before there are codes: which rows are kept depends on what is in them, so parts
merge into the sample of the whole in any order, and a weight of 2 is the row twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core.counts.equal_rows import collapse_equal_rows
from bayfold.core.counts.labelled_rows import LabelledRows
from bayfold.core.counts.sample import LARGEST_HASH, guess_threshold
from bayfold.core.counts.sums import Sum
from bayfold.core.frames import Column, Table, concat_tables
from bayfold.core.frames.columns import number_column
from bayfold.core.schema.infer import ALL_ROWS


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rows that may be in a sample.

    Attributes
    ----------
    places : ndarray of int
        Of the rows in their table, in increasing order.
    hashes : ndarray of uint64
    """

    places: np.ndarray
    hashes: np.ndarray

    @staticmethod
    def join(parts: Sequence[Candidates]) -> Candidates:
        """The candidates of neighbouring parts of a table."""
        places = np.concatenate([part.places for part in parts])
        return Candidates(places, np.concatenate([part.hashes for part in parts]))

    def below(self, threshold: int) -> Candidates:
        """Those with a hash of at most the threshold."""
        kept = np.flatnonzero(self.hashes <= np.uint64(threshold))
        return Candidates(self.places[kept], self.hashes[kept])


@dataclass(frozen=True, eq=False)
class RawRows(Sum):
    """Rows and their hashes.

    Attributes
    ----------
    rows : LabelledRows or None
        None for no rows.
    hashes : ndarray of uint64
    threshold : int
        Every row seen whose hash is at most this is here.
    is_whole : bool
        Whether these are all rows, in their order; otherwise equal rows are one.
    """

    rows: LabelledRows | None = None
    hashes: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    threshold: int = LARGEST_HASH
    is_whole: bool = True

    @classmethod
    def of(
        cls, rows: LabelledRows, candidates: Candidates, threshold: int = LARGEST_HASH
    ) -> RawRows:
        """Of some rows, of which all with a hash of at most the threshold are candidates; no others are wanted."""
        if rows.n_rows <= ALL_ROWS and threshold == LARGEST_HASH:
            # copied: the chunk they come from is let go
            return cls(replace(rows, table=concat_tables([rows.table])), candidates.hashes)
        guess = min(threshold, guess_threshold(rows.n_rows, ALL_ROWS))
        found = _keep_smallest(rows, candidates.below(guess), guess)
        if guess < threshold and len(found.hashes) < ALL_ROWS:
            return _keep_smallest(rows, candidates, threshold)  # many equal rows
        return found

    def _plus(self, other: RawRows) -> RawRows:
        if self.rows is None or other.rows is None:
            return other if self.rows is None else self
        rows = LabelledRows.join([self.rows, other.rows])
        hashes = np.concatenate([self.hashes, other.hashes])
        if self.is_whole and other.is_whole and rows.n_rows <= ALL_ROWS:
            return RawRows(rows, hashes)
        candidates = Candidates(np.arange(rows.n_rows), hashes)
        return _keep_smallest(rows, candidates, min(self.threshold, other.threshold))

    def in_order(self) -> LabelledRows:
        """The rows in an order that does not depend on the one they came in, unless they are all there are."""
        assert self.rows is not None
        return self.rows if self.is_whole else _reorder(self.rows, np.argsort(self.hashes))


def _keep_smallest(rows: LabelledRows, candidates: Candidates, threshold: int) -> RawRows:
    """Equal rows as one, and only the smallest hashes."""
    places, weights = candidates.places, rows.weights
    weights = None if weights is None else weights[places]
    equal = collapse_equal_rows(candidates.hashes, weights)
    keep = int(np.searchsorted(equal.hashes, np.uint64(threshold), side="right"))
    if keep > ALL_ROWS:
        keep, threshold = ALL_ROWS, int(equal.hashes[ALL_ROWS - 1])
    first = equal.first[:keep]
    order = np.argsort(first)
    taken = rows.take(places[first[order]])
    taken = replace(taken, weights=equal.weights[:keep][order], kept=None)
    return RawRows(taken, equal.hashes[:keep][order], threshold, is_whole=False)


def _reorder(rows: LabelledRows, order: np.ndarray) -> LabelledRows:
    table = rows.table
    columns = tuple(_reorder_column(column, table.n_rows, order) for column in table.columns)
    return LabelledRows(
        Table(columns, table.n_rows, table.names),
        rows.groups,
        rows.group_of[order],
        None if rows.weights is None else rows.weights[order],
        None if rows.target is None else rows.target[order],
    )


def _reorder_column(column: Column, n_rows: int, order: np.ndarray) -> Column:
    if column.kind != "numeric":
        return column.take(order)
    return number_column(column.name, column.numbers(0, n_rows)[order], column.zone)
