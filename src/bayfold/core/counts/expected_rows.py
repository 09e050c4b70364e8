"""How often distinct rows are to be expected: by their columns, by two halves of them, and by what one column tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayfold.core.counts.equal_rows import number_keys
from bayfold.core.counts.joint import JointCounts
from bayfold.core.schema import RowBlock

SHRINKAGE = 2.0
"""Distinct rows by which the shares within a group are drawn to those of all rows. The only row of a group would expect
itself otherwise, however many columns it has; a group of some rows is believed to know its own shares."""

FEWEST_UNITS = 20
"""A table of fewer distinct rows is dealt in so many units all the same: two for each of ten folds."""

MOST_OF_A_DESIGN = 0.5
"""The share of all combinations of values from which on rows of equal weights are an experiment that was repeated, and
no table that was copied: 32 combinations of five switches, ten times each, are 320 observations."""

MOST_ARE_MIXED = 0.5
"""The share of equal rows, whatever their group, that stand in several groups, from which on equal rows are repeats: a
row and its copies have one group. Places by their codes and names are no product of shares, nor of two halves; all
rows of a place, held out together, left a model of 100,000 rows without any use for the only columns it had."""

ROWS_THAT_SHOW = 1000
"""Rows that show of nearly all pairs of columns that none tells the other."""

COARSE = 5.0
"""Rows for each possible one, from which on all equal rows count: there are not enough different ones to go round,
however the columns depend on each other (exclusive-or of two columns was worth two thirds of its rows)."""


class ExpectedRows:
    """Distinct rows and how often they are to be expected."""

    def __init__(
        self,
        counts: JointCounts,
        block: RowBlock,
        group_of: np.ndarray,
        weights: np.ndarray,
        exact: Sequence[int] = (),
    ) -> None:
        self.counts = counts
        self.group_of = group_of
        self.weights = weights
        self.n_distinct = np.bincount(group_of, minlength=len(counts.groups))
        self.columns: list[_Binned | _Measured] = [
            _Binned(block.codes(j), table, block.schema.columns[j].kind == "numeric")
            for j, table in enumerate(counts.tables)
        ]
        self._exact = {j: block.values[:, block.schema.numeric_position[j]] for j in exact}
        for j, x in self._exact.items():
            if self._are_measured(x):
                self.columns[j] = _Measured.of(x, group_of, weights, len(self.n_distinct))
        for j, words in zip(block.schema.text, block.words, strict=False):
            hashes = np.zeros(words.n_rows, np.uint64)
            words.hash_rows(0, hashes)
            self.columns[j] = _Measured.of(hashes, group_of, weights, len(self.n_distinct))

    def is_coarse(self) -> bool:
        """Whether there are many rows for each combination of codes and group that could be."""
        log_possible = self._count_possible(self._telling) + np.log(len(self.n_distinct))
        return bool(np.log(self.counts.n_rows) >= np.log(COARSE) + log_possible)

    def are_a_design(self) -> bool:
        """Whether most combinations of codes that could be are there, and no column is of measurements."""
        if any(column.is_measured for column in self.columns):
            return False
        log_possible = self._count_possible(range(len(self.columns)))
        return bool(np.log(len(self.weights)) >= np.log(MOST_OF_A_DESIGN) + log_possible)

    def _count_possible(self, columns: Sequence[int]) -> float:
        """The logarithm of how many combinations of codes there could be: their number may overflow."""
        n_values = [np.count_nonzero(self.columns[j].of_code) for j in columns]
        return float(np.log(np.maximum(n_values, 1)).sum())

    @staticmethod
    def _are_measured(x: np.ndarray) -> bool:
        """Whether most rows have a number of their own."""
        n_rows = np.unique(x, return_counts=True)[1]
        return bool((n_rows == 1).sum() > max(len(x) // 2, FEWEST_UNITS))

    def expect_by_columns(self, rows: np.ndarray) -> np.ndarray:
        """How often some rows would occur if all columns were independent within a group."""
        group = self.group_of[rows]
        totals = np.maximum(self.counts.totals, 1e-300)[group]
        log_expected = np.log(totals)
        for column in (self.columns[j] for j in self._telling):
            overall = column.of_code[column.codes[rows]] / self.counts.n_rows
            within = column.count_like(rows, group) / totals
            log_expected += np.log(_shrink(within, overall, self.n_distinct[group]))
        return np.exp(log_expected)

    def expect_by_halves(self, rows: np.ndarray) -> np.ndarray:
        """How often they would occur if two halves of the columns were."""
        group = self.group_of[rows]
        expected = self.counts.totals[group]
        for half in self._split_columns():
            expected = expected * self._find_share(half, rows)
        return expected

    def are_repeats(self) -> bool:
        """Whether rows that are alike in all columns are most often of several groups, which copies never are."""
        if len(self.n_distinct) == 1:
            return False
        like, n_like = self._alike
        some_group = np.empty(len(n_like), np.int64)
        some_group[like] = self.group_of  # that of any row
        differ = self.group_of != some_group[like]
        of_like = np.bincount(like, self.weights)
        mixed = of_like[np.bincount(like, differ) > 0].sum()
        return bool(mixed > MOST_ARE_MIXED * of_like[of_like >= 2.0].sum())

    def are_of_one_column(self) -> bool:
        """Whether one category tells all others, and there are many rows of each: they are as frequent as it is.

        Not where there are numbers: an identifier tells all of them too, and its rows may have large weights.
        """
        if any(column.is_number for column in self.columns):
            return False
        if self.weights.sum() < COARSE * len(self.weights):
            return False
        n_alike = np.count_nonzero(self._alike[1])
        return n_alike in [np.count_nonzero(column.of_code) for column in self.columns]

    @cached_property
    def _telling(self) -> list[int]:
        """The columns without categories that another category tells, as a place tells its name and its country.

        Of many values, and with many rows of each: an identifier tells everything.
        """
        n_values = [np.count_nonzero(column.of_code) for column in self.columns]
        most = self.weights.sum() / COARSE
        named = [j for j, column in enumerate(self.columns) if not column.is_number]
        telling = list(range(len(self.columns)))
        for j in sorted(
            (j for j in named if FEWEST_UNITS <= n_values[j] <= most), key=lambda j: -n_values[j]
        ):
            for k in named:
                if (
                    j in telling
                    and k in telling
                    and k != j
                    and n_values[k] <= n_values[j]
                    and self._tells(j, k)
                ):
                    telling.remove(k)
        return telling

    def _tells(self, j: int, k: int) -> bool:
        """Whether all rows of a category of one column have the same of another."""
        for rows in (slice(ROWS_THAT_SHOW), slice(None)):
            codes = self.columns[k].codes[rows]
            own = self.columns[j].codes[rows]
            other = np.empty(len(self.columns[j].of_code), codes.dtype)
            other[own] = codes  # that of any row
            if (other[own] != codes).any():
                return False
        return True

    @cached_property
    def _alike(self) -> tuple[np.ndarray, np.ndarray]:
        """A number that rows alike in all columns share, whatever their group, and how many rows have each."""
        columns = self.columns.copy()
        for j, x in self._exact.items():
            columns[j] = _Measured.of(x, self.group_of, self.weights, len(self.n_distinct))
        return self._number_alike(columns)

    def _split_columns(self) -> tuple[list[int], list[int]]:
        """Columns dealt in turn to two halves, those with the fewest equal cells first, wherever they stand."""
        columns = [self.columns[j] for j in self._telling]
        squares = [float(np.square(column.of_code).sum()) for column in columns]
        within = [column.squares for column in columns]  # tells columns of equal shares apart
        order = [self._telling[k] for k in np.lexsort((within, squares))]
        return order[::2], order[1::2]

    def _find_share(self, half: list[int], rows: np.ndarray) -> np.ndarray:
        """The share of the rows of its group that are like a row in some columns, for some rows."""
        if not half:
            return np.ones(len(rows))  # in no column all rows are alike
        columns = [self.columns[j] for j in half]
        n_groups = len(self.n_distinct)
        if len(columns) == 1 and isinstance(columns[0], _Measured):
            like = columns[0].codes
            in_cell = columns[0].in_cell
            of_like = columns[0].of_code
        else:
            like, n_like = self._number_alike(columns)
            weights = _count_once(self.weights, (n_like[like] == 1) & self._are_combined(columns))
            in_cell, _ = _add_alike(like * n_groups + self.group_of, weights)
            of_like = np.bincount(like, weights)
        group = self.group_of[rows]
        of_group = np.bincount(self.group_of, self.weights, n_groups)[group]
        overall = of_like[like[rows]] / self.weights.sum()
        return _shrink(in_cell[rows] / of_group, overall, self.n_distinct[group])

    def _are_combined(self, columns: list[_Binned | _Measured]) -> np.ndarray:
        """Which rows are the only ones of their kind, if they are, by measuring or by many columns and not by one code.

        Of a category that only one row has, or a name for it, nobody can say whether it is frequent or was copied; its
        weight says so. The only row of a combination is as rare as its distinct row, whatever it weighs.
        """
        is_combined = np.ones(len(self.weights), bool)
        if not any(column.is_measured for column in columns):
            for column in columns:
                if not column.is_number:
                    is_combined &= np.bincount(column.codes)[column.codes] > 1
        return is_combined

    def _number_alike(self, columns: list[_Binned | _Measured]) -> tuple[np.ndarray, np.ndarray]:
        """A number that rows alike in some columns share, and how many rows have each."""
        if len(columns) == 1:
            codes = columns[0].codes.astype(np.int64)  # of one byte, they have no room for groups
            return codes, np.bincount(codes)
        rng = np.random.default_rng(0)
        keys = np.zeros(len(self.weights), np.uint64)
        for column in columns:
            words = rng.integers(1 << 63, size=len(column.of_code), dtype=np.uint64)
            keys += words[column.codes]
        like = number_keys(keys)
        return like, np.bincount(like)


class _Binned:
    """A column by its codes, as all rows were counted."""

    is_measured = False

    def __init__(self, codes: np.ndarray, table: np.ndarray, is_number: bool) -> None:
        self.codes = codes
        self._table = table
        self.is_number = is_number
        self.of_code = table.sum(axis=1)

    @property
    def squares(self) -> float:
        """The sum of the squares of all counts."""
        return float(np.square(self._table).sum())

    def count_like(self, rows: np.ndarray, group: np.ndarray) -> np.ndarray:
        """The weight of the rows of a group that are like some rows of it."""
        return self._table[self.codes[rows], group]


@dataclass(frozen=True, eq=False)
class _Measured:
    """A column number by number, or text by text.

    Attributes
    ----------
    codes : ndarray of int
        Equal for equal cells.
    of_code : ndarray
        The weight of the rows that have it.
    in_cell : ndarray
        The weight of the rows of the same group that are like each row.
    squares : float
        The sum of the squares of all counts by code and group.
    """

    codes: np.ndarray
    of_code: np.ndarray
    in_cell: np.ndarray
    squares: float
    is_measured = is_number = True

    @classmethod
    def of(
        cls, x: np.ndarray, group_of: np.ndarray, weights: np.ndarray, n_groups: int
    ) -> _Measured:
        """Of the cells, and the groups and weights of their rows."""
        # missing cells are alike, as np.unique takes them to be
        codes = number_keys(x) if x.dtype == np.uint64 else np.unique(x, return_inverse=True)[1]
        alone = np.bincount(codes)[codes] == 1
        in_cell = _count_once(weights, alone)
        of_code = np.bincount(codes, in_cell)
        rest = np.flatnonzero(~alone)
        squares = float(np.square(in_cell[alone]).sum())
        if len(rest):  # most cells have no equal, and are added to nothing
            keys = codes[rest] * n_groups + group_of[rest]
            in_cell[rest], sums = _add_alike(keys, in_cell[rest])
            squares += float(np.square(sums).sum())
        return cls(codes, of_code, in_cell, squares)

    def count_like(self, rows: np.ndarray, group: np.ndarray) -> np.ndarray:
        """The weight of the rows of a group that are like some rows of it."""
        return self.in_cell[rows]


def _add_alike(keys: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The summed weight of the rows with the key of each row, and the sums of all keys."""
    place = number_keys(keys.astype(np.uint64))
    sums = np.bincount(place, weights)
    return sums[place], sums


def _count_once(weights: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """The weights, where those of some rows count for one row each."""
    return np.where(alone, np.minimum(weights, 1.0), weights)


def _shrink(within: np.ndarray, overall: np.ndarray, n_distinct: np.ndarray) -> np.ndarray:
    return (n_distinct * within + SHRINKAGE * overall) / (n_distinct + SHRINKAGE)
