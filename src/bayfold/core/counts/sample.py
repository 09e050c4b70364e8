"""RowSample: the distinct coded rows with the smallest content hash.

A bottom-k sketch: whether a row is kept depends on what is in it and not on where it stood, so
samples of parts merge into exactly the sample of the whole, and a weight of 2 is the row twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayfold.core.counts.equal_rows import collapse_equal_rows
from bayfold.core.counts.joint import code_positions
from bayfold.core.counts.row_hashes import LARGEST_HASH, UNIT_BITS
from bayfold.core.counts.sample_limits import NO_LIMITS, SampleLimits, count_rare
from bayfold.core.counts.sums import SumOverSchema
from bayfold.core.schema import RowBlock, Schema, WordRows
from bayfold.errors import units_left_out, units_overlap

SAMPLE_SIZE = 20_000
"""Log-losses of so many rows have a standard error below a hundredth: enough to tell settings apart."""

SAMPLE_WORDS = 1 << 22
"""Fewer rows where texts are long: so many words take 50 megabytes."""


@dataclass(frozen=True, eq=False, repr=False)
class RowSample(SumOverSchema):
    """The distinct rows with the smallest hashes, of all and of each class, each with its group and summed weight.

    Rows of a rare class that are kept beside the others have larger hashes than ``threshold`` and stand last.

    Attributes
    ----------
    schema : Schema or None
    groups : ndarray
        Sorted labels of the groups.
    hashes : ndarray of uint64
        In increasing order.
    narrow, wide : ndarray
        Codes of the rows, as in a RowBlock.
    group_of : ndarray of int32
        Position of each row's group in ``groups``.
    weights : ndarray
        Summed weight of all rows with this content.
    numbers : ndarray of shape (n_rows, n_numbers)
        The numeric cells and the target as they were, where a model asks for them; otherwise of no columns.
    threshold : int
        Every row seen whose hash is at most this is in the sample.
    bounds : ndarray of uint64 or None
        And every row of a group whose hash is at most the group's.
    size : int
        How many rows are kept.
    words : tuple of WordRows
        Of the columns of text.
    units : ndarray of uint64 or None
        The hash of the group that each row is held out with, if groups were given.
    time : ndarray or None
        When each row was observed, if that was given.
    """

    schema: Schema | None = None
    groups: np.ndarray = field(default_factory=lambda: np.empty(0))
    hashes: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    narrow: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.uint8))
    wide: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.uint16))
    group_of: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    weights: np.ndarray = field(default_factory=lambda: np.empty(0))
    numbers: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    threshold: int = LARGEST_HASH
    size: int = SAMPLE_SIZE
    words: tuple[WordRows, ...] = ()
    units: np.ndarray | None = None
    time: np.ndarray | None = None
    bounds: np.ndarray | None = None

    def __repr__(self) -> str:
        """How many rows there are, not every code."""
        return f"RowSample({self.n_rows} distinct rows of at most {self.size})"

    @property
    def n_rows(self) -> int:
        """Distinct rows kept."""
        return len(self.hashes)

    @property
    def is_complete(self) -> bool:
        """Whether the sample is as large as it should be, or holds every distinct row."""
        is_full = self.n_even >= self.size or _count_words(self.words) > SAMPLE_WORDS // 2
        return (is_full or self.threshold == LARGEST_HASH) and self._has_rare()

    def _has_rare(self) -> bool:
        """Whether there are as many rows of each group as there should be, or all of them."""
        if self.bounds is None or self.schema is None:
            return True
        n_rare = count_rare(self.schema, len(self.groups), self.size)
        n_kept = np.bincount(self.group_of, minlength=len(self.groups))
        return bool(((n_kept >= n_rare) | (self.bounds == LARGEST_HASH)).all())

    @property
    def n_even(self) -> int:
        """Rows that are kept whatever their group."""
        return int(np.searchsorted(self.hashes, np.uint64(self.threshold), side="right"))

    @property
    def even(self) -> RowSample:
        """The rows that are kept whatever their group: groups have about their shares of all rows among them."""
        return self.head(self.n_even)

    @property
    def limits(self) -> SampleLimits:
        """The largest hashes that another row may have to belong to the sample."""
        if self.bounds is None:
            return SampleLimits(self.threshold)
        own = dict(zip(self.groups.tolist(), self.bounds.tolist(), strict=True))
        return SampleLimits(self.threshold, own)

    def head(self, n_rows: int) -> RowSample:
        """The first rows in the order of hashes, which is as good as random."""
        return self if n_rows >= self.n_rows else self.take(slice(n_rows))

    def take(self, rows: np.ndarray | slice) -> RowSample:
        """Some of the rows."""
        fields = ("hashes", "narrow", "wide", "group_of", "weights", "numbers", "units", "time")
        words = tuple(words.take(rows) for words in self.words)
        taken: dict[str, Any] = {name: _take(getattr(self, name), rows) for name in fields}
        return replace(self, words=words, **taken)

    def order_equal_rows(self, rank: np.ndarray) -> RowSample:
        """The same rows, those of equal content in the order of their groups' ranks: sums then depend on no name."""
        content = self.hashes & ~UNIT_BITS
        is_settled = len(content) < 2 or (content[1:] > content[:-1]).all()
        if is_settled or self.units is not None or self.time is not None:
            return self
        return self.take(np.lexsort((rank[self.group_of], content)))

    def is_among_first(self, n_rows: int) -> np.ndarray:
        """Whether a row is one of the first, or of the first of its group that are kept of a rare one."""
        is_first = np.arange(self.n_rows) < n_rows
        if not is_first.all() and self.schema is not None:
            n_rare = count_rare(self.schema, len(self.groups), self.size)
            order = np.argsort(self.group_of, kind="stable")
            sizes = np.bincount(self.group_of)
            place = np.arange(self.n_rows) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            is_first[order] |= place < n_rare
        return is_first

    def block(self, rows: np.ndarray | slice = slice(None)) -> RowBlock:
        """The codes of some rows."""
        assert self.schema is not None
        words = tuple(words.take(rows) for words in self.words)
        return RowBlock.of_codes(self.schema, self.narrow[rows], self.wide[rows], words)

    @classmethod
    def candidates(
        cls,
        schema: Schema,
        groups: np.ndarray,
        block: RowBlock,
        hashes: np.ndarray,
        group_of: np.ndarray,
        weights: np.ndarray,
        limits: SampleLimits = NO_LIMITS,
        size: int = SAMPLE_SIZE,
        numbers: np.ndarray | None = None,
        units: np.ndarray | None = None,
        time: np.ndarray | None = None,
    ) -> RowSample:
        """The rows of a block whose hash does not exceed the limits, not yet sorted or collapsed."""
        own = limits.of(groups)
        rows = np.flatnonzero(hashes <= own[group_of])
        return cls(
            schema,
            groups,
            hashes[rows],
            block.narrow[rows],
            block.wide[rows],
            group_of[rows],
            weights[rows],
            np.empty((len(rows), 0)) if numbers is None else numbers[rows],
            limits.threshold,
            size,
            tuple(words.take(rows) for words in block.words),
            _take(units, rows),
            _take(time, rows),
            own if count_rare(schema, len(groups), size) else None,
        )

    def _plus_aligned(
        self,
        other: RowSample,
        schema: Schema,
        groups: np.ndarray,
        places: tuple[np.ndarray, np.ndarray],
    ) -> RowSample:
        a = self._aligned(schema, groups, places[0])
        b = other._aligned(schema, groups, places[1])
        if self.n_rows and other.n_rows:
            a, b = _share_units(a, b)
        return RowSample.merge_all([a, b])

    @classmethod
    def merge_all(cls, parts: list[RowSample]) -> RowSample:
        """The sample of the rows of all parts, which share one schema and one list of groups.

        Parts may be candidates; equal rows become one, and only the smallest hashes are kept.
        """
        if not parts:
            return cls.zero()
        both = cls(
            parts[0].schema,
            parts[0].groups,
            np.concatenate([part.hashes for part in parts]),
            np.concatenate([part.narrow for part in parts]),
            np.concatenate([part.wide for part in parts]),
            np.concatenate([part.group_of for part in parts]),
            np.concatenate([part.weights for part in parts]),
            np.concatenate([part.numbers for part in parts]),
            min(part.threshold for part in parts),
            min(part.size for part in parts),
            tuple(map(WordRows.concat, zip(*(part.words for part in parts), strict=True))),
            _concat([part.units for part in parts if part.n_rows]),
            _concat([part.time for part in parts if part.n_rows]),
            _merge_bounds(parts),
        )
        return both._collapsed()

    def _collapsed(self) -> RowSample:
        """Equal rows as one, and only the smallest hashes."""
        equal = collapse_equal_rows(self.hashes, self.weights)
        hashes = equal.hashes
        threshold = self.threshold
        keep = int(np.searchsorted(hashes, np.uint64(threshold), side="right"))
        if keep > self.size:
            last = hashes[self.size - 1]
            if self.units is None and self.time is None:
                last |= UNIT_BITS  # rows of equal content are all kept, so no bits of groups decide
            threshold = int(last)
            keep = int(np.searchsorted(hashes, last, side="right"))
        n_words = sum((np.diff(words.begins) for words in self.words), np.zeros(len(self.hashes)))
        affordable = int(np.searchsorted(np.cumsum(n_words[equal.first[:keep]]), SAMPLE_WORDS))
        if affordable < keep - 1:
            keep = affordable + 1
            threshold = int(hashes[affordable])
        places, bounds = self._find_kept(hashes, self.group_of[equal.first], keep)
        rows = equal.first[places]
        return RowSample(
            self.schema,
            self.groups,
            hashes[places],
            self.narrow[rows],
            self.wide[rows],
            self.group_of[rows],
            equal.weights[places],
            self.numbers[rows],
            threshold,
            self.size,
            tuple(words.take(rows) for words in self.words),
            _take(self.units, rows),
            _take(self.time, rows),
            bounds,
        )

    def _find_kept(
        self, hashes: np.ndarray, group_of: np.ndarray, n_even: int
    ) -> tuple[slice | np.ndarray, np.ndarray | None]:
        """The places of the first rows and of those that each group keeps beyond them, and the bounds of groups."""
        if self.bounds is None or self.schema is None:
            return slice(n_even), None
        n_rare = count_rare(self.schema, len(self.groups), self.size)
        bounds = self.bounds.copy()
        order = np.argsort(group_of, kind="stable")
        n_rows = np.bincount(group_of, minlength=len(bounds))
        first = np.cumsum(n_rows) - n_rows
        for g in np.flatnonzero(n_rows > n_rare):
            bounds[g] = min(bounds[g], hashes[order[first[g] + n_rare - 1]])
        is_kept = hashes <= bounds[group_of]
        is_kept[:n_even] = True
        return np.flatnonzero(is_kept), bounds

    def _aligned(self, schema: Schema, groups: np.ndarray, place: np.ndarray) -> RowSample:
        """The sample coded by a schema with more categories and over more groups."""
        if schema is self.schema and len(groups) == len(self.groups):
            return self
        assert self.schema is not None
        block = RowBlock.of_nothing(schema, self.n_rows)
        for j, codes in enumerate(self.block().columns()):
            block.codes(j)[:] = code_positions(self.schema, schema, j)[codes]
        return RowSample(
            schema,
            groups,
            self.hashes,
            block.narrow,
            block.wide,
            place[self.group_of].astype(np.int32),
            self.weights,
            self.numbers,
            self.threshold,
            self.size,
            self.words,
            self.units,
            self.time,
            self._align_bounds(len(groups), place),
        )

    def _align_bounds(self, n_groups: int, place: np.ndarray) -> np.ndarray | None:
        """The bounds of more groups, of which no row was seen: all of those that were are in the sample."""
        if self.bounds is None:
            return None
        bounds = np.full(n_groups, LARGEST_HASH, np.uint64)
        bounds[place] = self.bounds
        return bounds


def _merge_bounds(parts: list[RowSample]) -> np.ndarray | None:
    """The smaller bound of each group; a part without bounds knows of no row beyond its threshold."""
    if all(part.bounds is None for part in parts):
        return None
    n_groups = len(parts[0].groups)
    known = [
        np.full(n_groups, part.threshold, np.uint64) if part.bounds is None else part.bounds
        for part in parts
    ]
    return np.minimum.reduce(known)


def _take(values: np.ndarray | None, rows: Any) -> np.ndarray | None:
    return None if values is None else values[rows]


def _concat(parts: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """The values of all parts, which all have some or none."""
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if known else None


def _share_units(a: RowSample, b: RowSample) -> tuple[RowSample, RowSample]:
    """The same samples, both with units or both without: rows that were given none are each their own."""
    if (a.time is None) != (b.time is None):
        raise units_left_out("time")
    if (a.units is None) == (b.units is None):
        return a, b
    if len(np.intersect1d(a.hashes | UNIT_BITS, b.hashes | UNIT_BITS)):
        raise units_overlap()
    found = [
        part if part.units is not None else replace(part, units=part.hashes) for part in (a, b)
    ]
    return found[0], found[1]


def _count_words(words: tuple[WordRows, ...]) -> int:
    return sum(len(rows.hashes) for rows in words)
