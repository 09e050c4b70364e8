"""Content hashes of rows, by which samples are drawn and equal rows are found."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.joint import find_nominal_positions
from bayfold.core.counts.layout import CodeLayout
from bayfold.core.frames.labels import label_of
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import (
    ColumnSchema,
    NominalColumn,
    NumericColumn,
    RowBlock,
    Schema,
    TextColumn,
)
from bayfold.core.schema.types import COLUMNS_KEPT

LARGEST_HASH = np.iinfo(np.uint64).max

LEAST_EDGES = 3
"""With fewer there is no place between the outermost edges to know a column by."""

WORDS_KEPT = 1 << 16
"""Words kept for the next batch: those of a column of 1,000 categories take longer to find than its cells to count.
Twenty megabytes at most."""

LONGEST_KEPT = 1 << 8
"""Characters of what a word is kept for: whole texts are hashed again, they would fill the memory."""

UNIT_BITS = np.uint64((1 << 24) - 1)
"""Of a sampled row's hash, for its group and its unit: the other 40 bits are of its content, so no name of a group
decides which rows are drawn, and equal rows of two groups or units stand next to each other and are two rows. In 1,000
equal rows of different units .03 pairs share a unit's bits, in 1,000,000 rows of one unit .5 pairs of different rows
share those of their content, and become one row."""


class RowHashes:
    """Content hashes of rows, from a 64-bit hash of each code of each column and of each group.

    Categories are hashed by their names, not by their codes: a category that gets another code in another part of the
    data keeps its hash. Columns of numbers are known by the places of their edges, whatever their names and units, and
    columns of labels by their rank among these. The hashes of bins are multiples of one number per column, which need
    no table.
    """

    text_seeds: Sequence[int] = ()
    factors: np.ndarray = np.empty(0, np.uint64)

    def __init__(self, schema: Schema, groups: np.ndarray) -> None:
        keys = find_column_keys(schema.columns)
        tables = [
            _hash_column_codes(column, key)
            for column, key in zip(schema.columns, keys, strict=True)
        ]
        self.factors = _find_factors(schema, keys)
        self.text_seeds = [hash_label("text", keys[j]) for j in schema.text]
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

    def hash_content(self, block: RowBlock) -> np.ndarray:
        """The content hash of each row of a block, whatever its group."""
        return self._hash_from(block, np.zeros(block.n_rows, np.uint64))

    def mark_groups(self, hashes: np.ndarray, groups: np.ndarray) -> np.ndarray:
        """Content hashes that end on bits of the groups."""
        return (hashes & ~UNIT_BITS) | (self.group_hashes & UNIT_BITS).take(groups)

    def hash_block(self, block: RowBlock, groups: np.ndarray) -> np.ndarray:
        """The content hash of each row of a block together with its group."""
        return self._hash_from(block, self.group_hashes[groups])

    def _hash_from(self, block: RowBlock, hashes: np.ndarray) -> np.ndarray:
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
        """Count the rows of a block as the layout does, and hash them as ``hash_content`` does, in one pass."""
        hashes = np.zeros(block.n_rows, np.uint64)
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


def find_column_keys(columns: Sequence[ColumnSchema]) -> list[str]:
    """What each column is hashed by: numbers by how their edges lie, others by their kind and the rank of their name.

    Columns of numbers that are alike in that are numbered in the order of their names: equal codes of two columns of
    one key would have one hash, and cancel. No name enters a key, only the order of names.
    """
    n_alike: Counter[str] = Counter()
    keys = [""] * len(columns)
    for rank, j in enumerate(sorted(range(len(columns)), key=lambda j: columns[j].name)):
        column = columns[j]
        look = _describe_edges(column) if isinstance(column, NumericColumn) else ""
        keys[j] = f"{look} {n_alike[look]}" if look else f"{column.kind} {rank}"
        n_alike[look] += 1
    return keys


def _describe_edges(column: NumericColumn) -> str:
    """How many edges there are and where two of them lie between the outermost, which no unit changes."""
    edges = column.edges
    if column.values is not None:  # those that came later move edges
        edges = column.first_values if len(column.added) else column.values
    n_edges = len(edges)
    if n_edges < LEAST_EDGES:
        return ""
    span = float(edges[-1]) - float(edges[0])
    places = [(float(edges[k]) - float(edges[0])) / span for k in (n_edges // 3, n_edges // 2)]
    return f"numeric {n_edges} {places[0]:.6f} {places[1]:.6f}"


def _hash_column_codes(column: ColumnSchema, key: str) -> np.ndarray:
    if isinstance(column, NominalColumn):
        return _hash_categories(column, key)
    if isinstance(column, TextColumn):
        return _hash_bins(key, column.n_codes)
    return _hash_numeric_codes(column, key)


def _hash_numeric_codes(column: NumericColumn, key: str) -> np.ndarray:
    """Of the bins that were inferred by their number, so that units do not matter; of added values by what they are."""
    factor = _find_factor(key)
    if len(column.added) == 0:
        return factor * np.arange(column.n_codes, dtype=np.uint64)
    assert column.values is not None
    words = np.empty(column.n_codes, np.uint64)
    n_first = len(column.first_values)
    # nothing known is a bin too
    inferred = factor * np.arange(FIRST_BIN + max(n_first, 1), dtype=np.uint64)
    is_added = np.append(np.zeros(FIRST_BIN, bool), np.isin(column.values, column.added))
    words[~is_added] = inferred[: FIRST_BIN + n_first]
    added = np.full(len(column.added), hash_label("value", key), np.uint64)
    kernels.hash_numbers(column.added[:, None], added)
    words[is_added] = added
    return words


def _find_factors(schema: Schema, keys: Sequence[str]) -> np.ndarray:
    """Of how many of the first columns the words are multiples of their codes, and of what."""
    factors: list[np.uint64] = []
    for j in schema.narrow.tolist():
        column = schema.columns[j]
        if not isinstance(column, NumericColumn) or len(column.added):
            break
        factors.append(_find_factor(keys[j]))
    return np.array(factors, np.uint64)


def _find_factor(key: str) -> np.uint64:
    """An odd number: multiples of it are all different."""
    return np.uint64(hash_label("column", key)) | np.uint64(1)


@lru_cache(maxsize=1024)
def _hash_bins(key: str, n_codes: int) -> np.ndarray:
    """Kept for the next table: a search fits many models to the same columns."""
    seed = hash_label("column", key)
    return np.random.default_rng(seed).integers(0, LARGEST_HASH, n_codes, np.uint64)


def _hash_categories(column: NominalColumn, key: str) -> np.ndarray:
    seed = hash_label("column", key)
    fixed = np.random.default_rng(seed).integers(0, LARGEST_HASH, FIRST_BIN + 1, np.uint64)
    named = _kept_hashes(key).find(column)
    other = fixed[FIRST_BIN:] if column.has_other else fixed[:0]
    return np.concatenate([fixed[:FIRST_BIN], named, other])


class _CategoryHashes:
    """The words of a column's categories, of which the last are kept: of the next batch, few categories are new."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.last = NominalColumn(key, ()), np.empty(0, np.uint64)

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
            found[k] = hash_label("category", self.key, column.categories[k])
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
