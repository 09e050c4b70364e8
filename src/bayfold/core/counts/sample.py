"""RowSample: the distinct coded rows with the smallest content hash.

A bottom-k sketch: whether a row is kept depends on what is in it and not on where it stood, so
samples of parts merge into exactly the sample of the whole, and a weight of 2 is the row twice.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.equal_rows import collapse_equal_rows
from bayfold.core.counts.joint import code_positions, find_nominal_positions
from bayfold.core.counts.layout import CodeLayout
from bayfold.core.counts.sums import SumOverSchema
from bayfold.core.frames.labels import label_of
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import (
    ColumnSchema,
    NominalColumn,
    NumericColumn,
    RowBlock,
    Schema,
    TextColumn,
    WordRows,
)
from bayfold.core.schema.types import COLUMNS_KEPT
from bayfold.errors import units_left_out, units_overlap

SAMPLE_SIZE = 20_000
"""Log-losses of so many rows have a standard error below a hundredth: enough to tell settings apart."""

SAMPLE_WORDS = 1 << 22
"""Fewer rows where texts are long: so many words take 50 megabytes."""

WORDS_KEPT = 1 << 16
"""Words kept for the next batch: those of a column of 1,000 categories take longer to find than its cells to count.
Twenty megabytes at most."""

LONGEST_KEPT = 1 << 8
"""Characters of what a word is kept for: whole texts are hashed again, they would fill the memory."""

LARGEST_HASH = np.iinfo(np.uint64).max


UNIT_BITS = np.uint64((1 << 24) - 1)
"""Of a row's hash where rows have units: the other 40 bits are of its content, so equal rows of two units stand next to
each other and are two rows. In 1,000 equal rows of different units .03 pairs share a unit's bits, in 1,000,000 rows of
one unit .5 pairs of different rows share those of their content, and become one row."""


class RowHashes:
    """Content hashes of rows, from a 64-bit hash of each code of each column and of each group.

    Codes are hashed by the name of the column and of the category (or the number of the bin), not by their number:
    a category that gets another code in another part of the data keeps its hash. The hashes of bins are multiples of
    one number per column, which need no table.
    """

    text_seeds: Sequence[int] = ()
    factors: np.ndarray = np.empty(0, np.uint64)

    def __init__(self, schema: Schema, groups: np.ndarray) -> None:
        columns = list(_name_apart(schema.columns))
        tables = [_hash_column_codes(column) for column in columns]
        self.factors = _find_factors(schema, columns)
        self.text_seeds = [hash_label("text", columns[j].name) for j in schema.text]
        starts = np.cumsum([0, *(len(table) for table in tables)])
        self._place_hashes(schema, starts, np.concatenate([*tables, np.empty(0, np.uint64)]))
        # 1 and 1.0 are one group: a target becomes float where some of it is missing
        self.group_hashes = np.array([hash_label("group", label_of(g)) for g in groups], np.uint64)

    def _place_hashes(self, schema: Schema, starts: np.ndarray, hashes: np.ndarray) -> None:
        self.code_hashes = hashes
        self.offsets = starts[:-1]
        self._numeric_position = schema.numeric_position
        self.narrow_offsets = starts[schema.narrow]
        self.wide_offsets = starts[schema.wide]

    def hash_block(self, block: RowBlock, groups: np.ndarray) -> np.ndarray:
        """The content hash of each row of a block together with its group."""
        hashes = self.group_hashes[groups]
        self._hash_texts(block, hashes)
        kernels.hash_rows(
            block.narrow,
            block.wide,
            self.narrow_offsets,
            self.wide_offsets,
            self.code_hashes,
            hashes,
        )
        return hashes

    def _hash_texts(self, block: RowBlock, hashes: np.ndarray) -> None:
        """Words of texts too are what is in a row."""
        for seed, words in zip(self.text_seeds, block.words, strict=False):
            words.hash_rows(seed, hashes)

    def count_and_hash(
        self,
        layout: CodeLayout,
        block: RowBlock,
        group_of: np.ndarray,
        weights: np.ndarray,
        counts: tuple[np.ndarray, np.ndarray],
    ) -> np.ndarray:
        """Count the rows of a block as the layout does, and hash them as ``hash_block`` does, in one pass."""
        hashes = self.group_hashes.take(group_of)
        self._hash_texts(block, hashes)
        factors = self.factors[: len(self.factors) // 2 * 2]
        kernels.hash_multiples(block.narrow, factors, hashes)
        of_narrow = block.narrow, layout.narrow_offsets, counts[0], self.narrow_offsets
        of_wide = block.wide, layout.wide_offsets, counts[1], self.wide_offsets
        for (codes, offsets, flat, word_offsets), n_hashed in zip(
            (of_narrow, of_wide), (len(factors), 0), strict=True
        ):
            if codes.shape[1]:
                kernels.count_and_hash(
                    codes,
                    group_of,
                    weights,
                    offsets,
                    layout.n_groups,
                    flat,
                    word_offsets,
                    self.code_hashes,
                    n_hashed,
                    hashes,
                )
        kernels.mix_hashes(hashes)
        return hashes

    def hash_values(
        self, block: RowBlock, group_of: np.ndarray, exact: Sequence[int]
    ) -> np.ndarray:
        """The content hash of each row, with the values of the numeric columns ``exact``, which may share a code."""
        mixed = np.zeros(block.n_rows, np.uint64)
        for j in exact:
            position = self._numeric_position[j]
            x = block.values[:, position] + 0.0  # minus zero is zero
            x[np.isnan(x)] = np.nan  # and one NaN is like another
            factor = self.code_hashes[self.offsets[j]] | np.uint64(1)
            word = x.view(np.uint64) * factor
            mixed ^= (word ^ (word >> np.uint64(29))) * factor
        return self.hash_block(block, group_of) ^ (mixed * np.uint64(0x9E3779B97F4A7C15))

    def hash_codes(self, codes: np.ndarray, hashes: np.ndarray) -> np.ndarray:
        """The hash of rows coded in the order of the schema, with other bins perhaps, and of what each was before."""
        hashes = hashes.copy()
        nothing = np.empty((len(codes), 0), np.uint16)
        kernels.hash_rows(codes, nothing, self.offsets, self.offsets[:0], self.code_hashes, hashes)
        return hashes


def _name_apart(columns: Sequence[ColumnSchema]) -> Iterator[ColumnSchema]:
    """The columns under different names: equal codes of two columns of one name would have one word, and cancel."""
    seen: Counter[str] = Counter()
    for column in columns:
        seen[column.name] += 1
        count = seen[column.name]
        yield column if count == 1 else replace(column, name=f"{column.name}\0{count}")


def _hash_column_codes(column: ColumnSchema) -> np.ndarray:
    if isinstance(column, NominalColumn):
        return _hash_categories(column)
    if isinstance(column, TextColumn):
        return _hash_bins(column.name, column.n_codes)
    return _hash_numeric_codes(column)


def _hash_numeric_codes(column: NumericColumn) -> np.ndarray:
    """Of the bins that were inferred by their number, so that units do not matter; of added values by what they are."""
    factor = _find_factor(column.name)
    if len(column.added) == 0:
        return factor * np.arange(column.n_codes, dtype=np.uint64)
    assert column.values is not None
    words = np.empty(column.n_codes, np.uint64)
    n_first = len(column.first_values)
    # nothing known is a bin too
    inferred = factor * np.arange(FIRST_BIN + max(n_first, 1), dtype=np.uint64)
    is_added = np.append(np.zeros(FIRST_BIN, bool), np.isin(column.values, column.added))
    words[~is_added] = inferred[: FIRST_BIN + n_first]
    added = np.full(len(column.added), hash_label("value", column.name), np.uint64)
    kernels.hash_numbers(column.added[:, None], added)
    words[is_added] = added
    return words


def _find_factors(schema: Schema, columns: Sequence[ColumnSchema]) -> np.ndarray:
    """Of how many of the first columns the words are multiples of their codes, and of what."""
    factors: list[np.uint64] = []
    for column in (columns[j] for j in schema.narrow):
        if not isinstance(column, NumericColumn) or len(column.added):
            break
        factors.append(_find_factor(column.name))
    return np.array(factors, np.uint64)


def _find_factor(name: str) -> np.uint64:
    """An odd number: multiples of it are all different."""
    return np.uint64(hash_label("column", name)) | np.uint64(1)


@lru_cache(maxsize=1024)
def _hash_bins(name: str, n_codes: int) -> np.ndarray:
    """Kept for the next table: a search fits many models to the same columns."""
    seed = hash_label("column", name)
    return np.random.default_rng(seed).integers(0, LARGEST_HASH, n_codes, np.uint64)


def _hash_categories(column: NominalColumn) -> np.ndarray:
    seed = hash_label("column", column.name)
    fixed = np.random.default_rng(seed).integers(0, LARGEST_HASH, FIRST_BIN + 1, np.uint64)
    named = _kept_hashes(column.name).find(column)
    other = fixed[FIRST_BIN:] if column.has_other else fixed[:0]
    return np.concatenate([fixed[:FIRST_BIN], named, other])


class _CategoryHashes:
    """The words of a column's categories, of which the last are kept: of the next batch, few categories are new."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.last = NominalColumn(name, ()), np.empty(0, np.uint64)

    def find(self, column: NominalColumn) -> np.ndarray:
        """One word per category."""
        before, words = self.last
        found = np.empty(len(column.categories), np.uint64)
        is_new = np.ones(column.n_codes, bool)
        if column.covers(before):
            codes = find_nominal_positions(before, column)[FIRST_BIN : FIRST_BIN + len(words)]
            found[codes - FIRST_BIN] = words
            is_new[codes] = False
        for k in np.flatnonzero(is_new[FIRST_BIN : FIRST_BIN + len(found)]).tolist():
            found[k] = hash_label("category", self.name, column.categories[k])
        self.last = column, found
        return found


_kept_hashes = lru_cache(maxsize=COLUMNS_KEPT)(_CategoryHashes)


def hash_label(role: str, *names: str) -> int:
    """The word of something; its role keeps a column named "group" apart from the groups."""
    is_short = sum(map(len, names)) <= LONGEST_KEPT
    return _find_kept_word(role, *names) if is_short else _hash_names(role, *names)


@lru_cache(maxsize=WORDS_KEPT)
def _find_kept_word(role: str, *names: str) -> int:
    return _hash_names(role, *names)


def _hash_names(role: str, *names: str) -> int:
    text = "\0".join([role, *names])
    content = text.encode(errors="surrogatepass")  # whatever a string may hold
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")


def guess_threshold(n_rows: int, size: int) -> int:
    """A hash below which a quarter more than the wanted rows are expected, if all rows differ."""
    wanted = 1.25 * size
    return LARGEST_HASH if n_rows <= wanted else int(LARGEST_HASH * (wanted / n_rows))


@dataclass(frozen=True, eq=False, repr=False)
class RowSample(SumOverSchema):
    """The distinct coded rows with the smallest hashes, each with its group and summed weight.

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
        is_full = self.n_rows >= self.size or _count_words(self.words) > SAMPLE_WORDS // 2
        return is_full or self.threshold == LARGEST_HASH

    def head(self, n_rows: int) -> RowSample:
        """The first rows in the order of hashes, which is as good as random."""
        return self if n_rows >= self.n_rows else self.take(slice(n_rows))

    def take(self, rows: np.ndarray | slice) -> RowSample:
        """Some of the rows."""
        fields = ("hashes", "narrow", "wide", "group_of", "weights", "numbers", "units", "time")
        words = tuple(words.take(rows) for words in self.words)
        taken: dict[str, Any] = {name: _take(getattr(self, name), rows) for name in fields}
        return replace(self, words=words, **taken)

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
        threshold: int = LARGEST_HASH,
        size: int = SAMPLE_SIZE,
        numbers: np.ndarray | None = None,
        units: np.ndarray | None = None,
        time: np.ndarray | None = None,
    ) -> RowSample:
        """The rows of a block whose hash does not exceed the threshold, not yet sorted or collapsed."""
        rows = np.flatnonzero(hashes <= np.uint64(threshold))
        return cls(
            schema,
            groups,
            hashes[rows],
            block.narrow[rows],
            block.wide[rows],
            group_of[rows],
            weights[rows],
            np.empty((len(rows), 0)) if numbers is None else numbers[rows],
            threshold,
            size,
            tuple(words.take(rows) for words in block.words),
            _take(units, rows),
            _take(time, rows),
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
        )
        return both._collapsed()

    def _collapsed(self) -> RowSample:
        """Equal rows as one, and only the smallest hashes."""
        equal = collapse_equal_rows(self.hashes, self.weights)
        hashes = equal.hashes
        threshold = self.threshold
        keep = int(np.searchsorted(hashes, np.uint64(threshold), side="right"))
        if keep > self.size:
            keep = self.size
            threshold = int(hashes[self.size - 1])
        n_words = sum((np.diff(words.begins) for words in self.words), np.zeros(len(self.hashes)))
        affordable = int(np.searchsorted(np.cumsum(n_words[equal.first[:keep]]), SAMPLE_WORDS))
        if affordable < keep - 1:
            keep = affordable + 1
            threshold = int(hashes[affordable])
        rows = equal.first[:keep]
        return RowSample(
            self.schema,
            self.groups,
            hashes[:keep],
            self.narrow[rows],
            self.wide[rows],
            self.group_of[rows],
            equal.weights[:keep],
            self.numbers[rows],
            threshold,
            self.size,
            tuple(words.take(rows) for words in self.words),
            _take(self.units, rows),
            _take(self.time, rows),
        )

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
        )


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
