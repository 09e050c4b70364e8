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
from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.counts.sample_limits import guess_threshold
from bayfold.core.counts.sums import Sum
from bayfold.core.frames import Column, Table, concat_tables
from bayfold.core.frames.columns import number_column
from bayfold.core.schema.infer import ALL_ROWS

MOST_WAITING = 1.75
"""Times as many rows as a sample has wait to be joined: the parts of one, which have some more rows or some fewer, do;
two samples do not, which together say from which hash on rows are not wanted."""


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
    is_exact : bool
        Whether weights are whole numbers, whose sum is the same in any order.
    others : tuple of RawRows
        More rows, some of which may be among those of this one or of each other, or not wanted any more: samples of few
        rows wait until there are many, because to join them takes longer than to find them.
    """

    rows: LabelledRows | None = None
    hashes: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    threshold: int = LARGEST_HASH
    is_whole: bool = True
    is_exact: bool = False
    others: tuple[RawRows, ...] = ()

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
            found = _keep_smallest(rows, candidates, threshold)  # many equal rows
        return replace(found, is_exact=rows.weights is None)

    def _plus(self, other: RawRows) -> RawRows:
        if self.rows is None or other.rows is None:
            return other if self.rows is None else self
        is_exact = self.is_exact and other.is_exact
        threshold = min(self.threshold, other.threshold)
        parts = [*self.parts, *other.parts]
        n_rows = sum(len(part.hashes) for part in parts)
        if self.is_whole and other.is_whole and n_rows <= ALL_ROWS:
            return RawRows(*_join(parts))
        if is_exact and n_rows <= MOST_WAITING * ALL_ROWS:
            others = *self.others, *other.parts
            return replace(self, threshold=threshold, others=others)
        rows, hashes = _join(parts)
        candidates = Candidates(np.arange(rows.n_rows), hashes)
        return replace(_keep_smallest(rows, candidates, threshold), is_exact=is_exact)

    @property
    def parts(self) -> tuple[RawRows, ...]:
        """Its own rows without the others, and these."""
        return replace(self, others=()), *self.others

    def joined(self) -> RawRows:
        """The same without others."""
        if not self.others:
            return self
        rows, hashes = _join(self.parts)
        candidates = Candidates(np.arange(rows.n_rows), hashes)
        return _keep_smallest(rows, candidates, self.threshold)

    def in_order(self) -> LabelledRows:
        """The rows in an order that does not depend on the one they came in, unless they are all there are."""
        joined = self.joined()
        assert joined.rows is not None
        return joined.rows if self.is_whole else _reorder(joined.rows, np.argsort(joined.hashes))


def _join(parts: Sequence[RawRows]) -> tuple[LabelledRows, np.ndarray]:
    """The rows of all parts, one behind the other, and their hashes."""
    rows = LabelledRows.join([part.rows for part in parts if part.rows is not None])
    return rows, np.concatenate([part.hashes for part in parts])


def _keep_smallest(rows: LabelledRows, candidates: Candidates, threshold: int) -> RawRows:
    """Equal rows as one, and only the smallest hashes."""
    places = candidates.places
    weights = rows.weights
    weights = None if weights is None else weights[places]
    equal = collapse_equal_rows(candidates.hashes, weights)
    keep = int(np.searchsorted(equal.hashes, np.uint64(threshold), side="right"))
    if keep > ALL_ROWS:
        keep = ALL_ROWS
        threshold = int(equal.hashes[ALL_ROWS - 1])
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
        extras={name: values[order] for name, values in rows.extras.items()},
    )


def _reorder_column(column: Column, n_rows: int, order: np.ndarray) -> Column:
    if column.kind != "numeric":
        return column.take(order)
    return number_column(column.name, column.numbers(0, n_rows)[order], column.zone)
