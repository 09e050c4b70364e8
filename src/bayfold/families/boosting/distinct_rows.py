"""The distinct coded rows of a table with their summed weights, in an order that depends on their content alone.

Boosting draws rows at random and deals them to folds. Because equal rows of a fold are one row here, and rows stand
in the order of a hash, a weight of 2 is the row twice, and the order of the table does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts, LabelledRows, RowWords
from bayfold.core.counts.layout import CodeLayout
from bayfold.core.engine import block_rows, map_blocks
from bayfold.core.schema import Coder, RowBlock, Schema


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Rows, fold by fold, distinct within each.

    Attributes
    ----------
    codes : ndarray of uint8 of shape (n_rows, n_columns)
        In the order of ``schema.narrow``.
    labels : ndarray of int64
        The group of each row.
    weights : ndarray
    folds : ndarray of int64 of shape (n_folds + 1,)
        Fold k is rows ``folds[k]`` to ``folds[k + 1]``.
    """

    codes: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    folds: np.ndarray

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    def head(self, n_rows: int) -> DistinctRows:
        """The first rows, without folds: a random draw, since rows stand in the order of a hash."""
        if self.n_rows <= n_rows:
            return self
        codes, labels, weights = self.codes[:n_rows], self.labels[:n_rows], self.weights[:n_rows]
        return DistinctRows(codes.copy(), labels.copy(), weights.copy(), np.array([0, n_rows]))


@dataclass(frozen=True, eq=False)
class CodedRows:
    """All rows of a table as one-byte codes, the content hash of each, and the range of each numeric column."""

    codes: np.ndarray
    hashes: np.ndarray
    minimum: np.ndarray
    maximum: np.ndarray


def code_rows(rows: LabelledRows, schema: Schema, n_threads: int = 1) -> CodedRows:
    """Code all rows; every column must have one-byte codes."""
    assert len(schema.wide) == 0
    coder = Coder(schema)
    coded, words = coder.open(rows.table), RowWords(schema, rows.groups)
    n_rows, size = rows.n_rows, block_rows(len(schema.columns))
    codes = np.empty((n_rows, len(schema.narrow)), np.uint8)
    hashes = np.empty(n_rows, np.uint64)

    def code_block(start: int) -> tuple[np.ndarray, np.ndarray]:
        stop = min(start + size, n_rows)
        ranges = coder.new_ranges()
        block = coded.block(start, stop, ranges)
        codes[start:stop] = block.narrow
        hashes[start:stop] = words.hash_block(block, rows.group_of[start:stop])
        return ranges

    ranges = map_blocks(code_block, range(0, n_rows, size), n_threads)
    minimum = np.min([low for low, _ in ranges], axis=0)
    maximum = np.max([high for _, high in ranges], axis=0)
    return CodedRows(codes, hashes, minimum, maximum)


def count_rows(coded: CodedRows, rows: LabelledRows, schema: Schema) -> JointCounts:
    """The counts of the coded rows."""
    layout = CodeLayout(schema, len(rows.groups))
    flat = layout.zeros()
    n_rows = len(coded.codes)
    block = RowBlock(np.empty((n_rows, 0)), coded.codes, np.empty((n_rows, 0), np.uint16))
    layout.count(block, rows.group_of, rows.find_weights(), flat)
    tables = layout.cut(flat)
    totals = tables[0].sum(axis=0)
    return JointCounts(schema, rows.groups, tables, totals, coded.minimum, coded.maximum)


def deal_rows(coded: CodedRows, rows: LabelledRows, n_folds: int, seed: int) -> DistinctRows:
    """Deal each group's rows in turn to the folds, and make equal ones of a fold one."""
    # an odd factor permutes the hashes: another seed, another order
    factor = np.random.default_rng(seed).integers(1 << 63, dtype=np.uint64) | np.uint64(1)
    hashes, first, inverse = np.unique(
        coded.hashes * factor, return_index=True, return_inverse=True
    )
    weights = np.bincount(inverse, rows.weights, minlength=len(hashes)).astype(np.float64)
    labels = rows.group_of[first].astype(np.int64)
    row, fold_of, dealt = _deal_copies_in_turn(labels, weights, n_folds)
    order = np.argsort(fold_of, kind="stable")
    row, folds = row[order], np.searchsorted(fold_of[order], np.arange(n_folds + 1))
    return DistinctRows(coded.codes[first[row]], labels[row], dealt[order], folds.astype(np.int64))


def _deal_copies_in_turn(
    labels: np.ndarray, weights: np.ndarray, n_folds: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, folds and weights of the entries when each group's rows are dealt in turn, copies one by one.

    A row that stands for several equal ones is dealt like them and has an entry in each fold they reach. Where few
    values make many rows equal, all copies in one fold would leave that fold's model without a row like them.
    """
    copies = np.maximum(np.floor(weights), 1.0).astype(np.int64)
    by_group = np.argsort(labels, kind="stable")
    start = np.empty(len(labels), np.int64)
    start[by_group] = np.cumsum(copies[by_group]) - copies[by_group]
    single = np.flatnonzero(copies == 1)
    several = np.flatnonzero(copies > 1)
    # no more entries than copies, however many folds there are
    n_entries = np.minimum(copies[several], n_folds)
    place = np.repeat(np.arange(len(several)), n_entries)
    turn = np.arange(len(place)) - np.repeat(np.cumsum(n_entries) - n_entries, n_entries)
    each, left = np.divmod(copies[several], n_folds)
    fold = (start[several][place] + turn) % n_folds
    share = (each[place] + (turn < left[place])) * (weights / copies)[several][place]
    return (
        np.append(single, several[place]),
        np.append(start[single] % n_folds, fold),
        np.append(weights[single], share),
    )
