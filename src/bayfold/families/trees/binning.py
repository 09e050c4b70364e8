"""Rows as one matrix of small codes: numeric columns in merged bins, found once on the training rows.

Learners that go over the rows many times (boosting, trees) work on this matrix alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import Folds
from bayfold.core.counts.identifiers import find_identifiers, find_unconfirmed
from bayfold.core.discretize import merge_mdl
from bayfold.core.engine import block_rows, map_in_threads
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import Coder, NumericColumn, RowBlock, Schema
from bayfold.core.stored import Stored


@dataclass(frozen=True, eq=False)
class CodePlaces:
    """Where the codes of each column begin when those of all columns are numbered through, and how many there are."""

    starts: np.ndarray
    total_codes: int


class Binning(Stored):
    """How cells become the codes of a learner.

    Parameters
    ----------
    schema : Schema
    merges : mapping of int to ndarray
        For numeric columns, the coarse bin of each fine bin; columns left out keep theirs.
    is_silent : ndarray of bool, optional
        Columns that are neither split by nor counted as evidence.

    Attributes
    ----------
    n_codes : ndarray of int64
        Codes of each column: missing, unseen, then the bins.
    starts : ndarray of int64
        Where the codes of each column begin when those of all columns are numbered through.
    """

    def __init__(
        self,
        schema: Schema,
        merges: dict[int, np.ndarray] | None = None,
        is_silent: np.ndarray | None = None,
    ) -> None:
        self.schema = schema
        self.merges = merges or {}
        self.is_silent = np.zeros(len(schema.columns), np.bool_) if is_silent is None else is_silent
        n_codes = [
            int(self.merges[j][-1]) + 1 + FIRST_BIN if j in self.merges else column.n_codes
            for j, column in enumerate(schema.columns)
        ]
        self.n_codes = np.array(n_codes, np.int64)
        self.starts = np.append(0, np.cumsum(self.n_codes)[:-1])
        self.dtype = np.uint8 if self.n_codes.max() <= 256 else np.uint16
        self._lookup = {
            j: np.concatenate([np.arange(FIRST_BIN), merge + FIRST_BIN]).astype(self.dtype)
            for j, merge in self.merges.items()
        }

    @classmethod
    def mdl(cls, counts: JointCounts, prune: bool = False, folds: Folds | None = None) -> Binning:
        """Numeric columns cut where the groups change (Fayyad & Irani 1993).

        Identifiers are silent: with them every training row is known by heart, so that a tree splits by nothing
        else and boosting finds no error to correct. With ``prune``, so are columns of many values that rows left out
        do not confirm, or folds of units. Copies of a row confirm nothing and pay for no cut: they are to count once.
        """
        assert counts.schema is not None
        numeric = counts.schema.numeric.tolist()
        merges = {
            j: merge_mdl(counts.tables[j][FIRST_BIN:])
            for j in numeric
            if not counts.schema.columns[j].is_given
        }
        is_silent = find_identifiers(counts)
        if prune:
            is_silent = is_silent | find_unconfirmed(counts, folds)
        return cls(counts.schema, merges, is_silent)

    @property
    def total_codes(self) -> int:
        """Codes of all columns together."""
        return int(self.n_codes.sum())

    @property
    def places(self) -> CodePlaces:
        """All that must be known for counting."""
        return CodePlaces(self.starts, self.total_codes)

    @property
    def is_ordered(self) -> np.ndarray:
        """Which columns are numeric."""
        return np.array([isinstance(c, NumericColumn) for c in self.schema.columns])

    def bin_block(self, block: RowBlock) -> np.ndarray:
        """The codes of a block of rows, columns in the order of the table."""
        codes: np.ndarray = np.empty((block.n_rows, len(self.n_codes)), self.dtype)
        for j, fine in enumerate(block.columns()):
            codes[:, j] = self._lookup[j][fine] if j in self._lookup else fine
        return codes


@dataclass(frozen=True, eq=False)
class BinnedRows:
    """Coded rows.

    Attributes
    ----------
    split_codes : ndarray of shape (n_rows, n_columns)
        In the bins that trees split by; the same array as ``codes`` where these are the same.
    codes : ndarray of shape (n_rows, n_columns)
        In the bins that naive Bayes counts.
    """

    split_codes: np.ndarray
    codes: np.ndarray

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def take(self, rows: np.ndarray) -> BinnedRows:
        """Some of the rows."""
        codes = self.codes[rows]
        return BinnedRows(
            codes if self.split_codes is self.codes else self.split_codes[rows], codes
        )

    def joined(self, other: BinnedRows) -> BinnedRows:
        """These rows, and others behind them."""
        codes = np.concatenate([self.codes, other.codes])
        if self.split_codes is self.codes:
            return BinnedRows(codes, codes)
        return BinnedRows(np.concatenate([self.split_codes, other.split_codes]), codes)


class RowBinner(Stored):
    """Tables to binned rows, for training and for prediction alike.

    Parameters
    ----------
    leaves : Binning
        Bins of the naive Bayes models.
    splits : Binning
        Bins of the splits; may be the same.
    """

    def __init__(self, leaves: Binning, splits: Binning) -> None:
        self.leaves = leaves
        self.splits = splits
        self.coder = Coder(leaves.schema)

    def bin_block(self, block: RowBlock) -> BinnedRows:
        """The codes of a block of rows."""
        codes = self.leaves.bin_block(block)
        return BinnedRows(
            codes if self.splits is self.leaves else self.splits.bin_block(block), codes
        )

    def bin_table(self, table: Table, n_threads: int = 1) -> BinnedRows:
        """The codes of a whole table."""
        coded = self.coder.open(table)
        size = block_rows(len(self.leaves.n_codes))

        def bin_rows(start: int) -> BinnedRows:
            return self.bin_block(coded.block(start, min(start + size, table.n_rows)))

        parts = map_in_threads(bin_rows, range(0, max(table.n_rows, 1), size), n_threads)
        codes = np.concatenate([part.codes for part in parts])
        shared = self.splits is self.leaves
        return BinnedRows(
            codes if shared else np.concatenate([part.split_codes for part in parts]), codes
        )
