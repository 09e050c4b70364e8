"""Products of two columns as features of a linear model: each is read from two codes, a table of two columns.

Two numbers are multiplied, and a number with the indicator of a category: a slope of its own. Trees draw a smooth bend
of two columns slowly, in steps; a product draws it at once. Numbers are seen by few bins, as a table of two columns of
all bins would be large and say the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import NumericColumn
from bayfold.families.boosting.linear.models import LinearModel
from bayfold.families.boosting.rounds.resolution import merge_fine_bins
from bayfold.families.boosting.starts.tables import CurvedTables, LinearTables, PairTable

MOST_PRODUCTS = 300
"""With more, products are left to the trees: normal equations of 300 features take as long as small trees."""

PRODUCT_CATEGORIES = 8
"""Commonest categories that have a slope of their own."""

PRODUCT_BINS = 32
"""Of a number in a product."""

CURVED_TO = 3.0
"""Standard deviations up to which a number is bent or multiplied: beyond, where rows are few, it stays what it is
there."""

CURVE_SCALE = 0.5
"""Of squares and products beside slopes, so that the penalty of a bend is four times that of a slope: .3 did as well on
38 datasets."""


class Factor(NamedTuple):
    """What a column brings to products.

    Attributes
    ----------
    column : int
        Its position.
    merge : ndarray of int
        The bin of each code, 0 where it says nothing.
    worth : ndarray of shape (n_bins, n_factors)
        What bins are worth: one number, or an indicator of each of some categories.
    is_number : bool
    """

    column: int
    merge: np.ndarray
    worth: np.ndarray
    is_number: bool


@dataclass(frozen=True, eq=False)
class Products:
    """Products of columns.

    Attributes
    ----------
    pairs : list of tuple of Factor
        Two columns each, the earlier first: every factor of the one times every factor of the other.
    """

    pairs: list[tuple[Factor, Factor]]

    @property
    def n_features(self) -> int:
        """Of all pairs together."""
        return sum(a.worth.shape[1] * b.worth.shape[1] for a, b in self.pairs)

    def design(self, codes: np.ndarray) -> np.ndarray:
        """The products of coded rows."""
        factors = {factor.column: factor for pair in self.pairs for factor in pair}
        values = {k: f.worth[f.merge[codes[:, k]]] for k, f in factors.items()}
        found = np.empty((len(codes), self.n_features))
        n = 0
        for a, b in self.pairs:
            for i, j in np.ndindex(a.worth.shape[1], b.worth.shape[1]):
                np.multiply(values[a.column][:, i], values[b.column][:, j], out=found[:, n])
                n += 1
        return np.multiply(CURVE_SCALE, found, out=found)

    def tabulate(self, coefficients: np.ndarray) -> tuple[PairTable, ...]:
        """What a linear model says of two columns: a table each, of shape (n_bins, n_bins, n_scores)."""
        tables = []
        n = 0
        for a, b in self.pairs:
            shape = a.worth.shape[1], b.worth.shape[1], coefficients.shape[1]
            part = coefficients[n : n + shape[0] * shape[1]].reshape(shape)
            table = CURVE_SCALE * np.einsum("ai,bj,ijs->abs", a.worth, b.worth, part)
            tables.append(PairTable((a.column, b.column), (a.merge, b.merge), table))
            n += shape[0] * shape[1]
        return tuple(tables)


def pair_up(factors: list[Factor], allowed: np.ndarray) -> Products | None:
    """Products of all allowed pairs of columns one of which is a number; None if there are none, or too many."""
    pairs = [(a, b) for a, b in combinations(factors, 2) if a.is_number or b.is_number]
    if len(allowed):
        pairs = [(a, b) for a, b in pairs if allowed[a.column, b.column]]
    found = Products(pairs)
    return found if 0 < found.n_features <= MOST_PRODUCTS else None


def bend(slope: np.ndarray, counts: np.ndarray, n_special: int = 0) -> np.ndarray:
    """The square of a standardised number, centred over the rows, for each code; nothing where there is no number."""
    square = CURVE_SCALE * np.clip(slope, -CURVED_TO, CURVED_TO) ** 2
    bins = slice(FIRST_BIN, len(counts) - n_special)
    known = counts[bins]
    bent = np.zeros(len(counts))
    bent[bins] = square[bins] - known @ square[bins] / known.sum()
    return bent


def make_number_factor(
    column: int, slope: np.ndarray, counts: np.ndarray, n_special: int = 0
) -> Factor:
    """A standardised number by few bins, each of which is worth the mean of its rows; special codes are worth none."""
    fine = merge_fine_bins(counts, PRODUCT_BINS, n_special)
    merge = np.maximum(fine - FIRST_BIN + 1, 0)
    # a bin that no row has is worth the middle of what it merges
    weights = np.where(np.bincount(merge, counts)[merge] > 0, counts, 1.0)
    total = np.bincount(merge, weights * np.clip(slope, -CURVED_TO, CURVED_TO))
    worth = total / np.maximum(np.bincount(merge, weights), np.finfo(float).tiny)
    worth[0] = 0.0
    return Factor(column, merge, worth[:, None], True)


def make_category_factor(column: int, indicators: np.ndarray, counts: np.ndarray) -> Factor:
    """The commonest of the categories that have an indicator."""
    codes = indicators.argmax(axis=0)
    weights = np.where(codes < FIRST_BIN, 0.0, counts[codes])  # what is missing has no slope
    common = np.argsort(-weights, kind="stable")[:PRODUCT_CATEGORIES]
    worth = indicators[:, np.sort(common[weights[common] > 0])].copy()
    worth[:FIRST_BIN] = 0.0
    return Factor(column, np.arange(len(counts)), worth, False)


COMMONEST = 30
"""Categories with an indicator of their own: the rare ones would add parameters that few rows can fix."""

TAIL = 0.01
"""Share of the rows at either end that may lie beyond the rest by no more than the rest is wide: a slope is a statement
about the bulk of the rows, and one typing error of six digits would flatten all of its column."""

DECIMALS = 9
"""Of a standardised number: another unit or origin of a column leaves its rounding beyond them, so that the same table
in other units is the same model."""


@dataclass(frozen=True, eq=False)
class LinearFeatures:
    """What each code of each column is worth.

    Attributes
    ----------
    tables : list of ndarray of shape (n_codes, n_features of the column)
        Column by column, as the codes stand. Centred over the rows.
    products : Products or None
        What is read from two columns; these features come last.
    """

    tables: list[np.ndarray]
    products: Products | None = None

    @property
    def n_features(self) -> int:
        """Of all columns together."""
        n_products = self.products.n_features if self.products is not None else 0
        return sum(table.shape[1] for table in self.tables) + n_products

    def design(self, codes: np.ndarray) -> np.ndarray:
        """The features of coded rows."""
        parts = [table[codes[:, k]] for k, table in enumerate(self.tables)]
        if self.products is not None:
            parts.append(self.products.design(codes))
        return np.concatenate(parts, axis=1, dtype=np.float64)

    def tabulate(self, model: LinearModel) -> LinearTables:
        """What a linear model says of each code, and of two codes."""
        ends = np.cumsum([table.shape[1] for table in self.tables])
        *parts, of_pairs = np.split(model.coefficients, ends)
        tables = tuple(table @ part for table, part in zip(self.tables, parts, strict=True))
        if self.products is None:
            return LinearTables(model.intercept, tables)
        return CurvedTables(model.intercept, tables, self.products.tabulate(of_pairs))


def make_features(
    codes: np.ndarray, weights: np.ndarray, values: list[np.ndarray | None], n_codes: np.ndarray
) -> LinearFeatures:
    """Features of all columns.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_columns)
    weights : ndarray
    values : list of ndarray or None
        The number that each bin of a numeric column stands for; None for nominal columns.
    n_codes : ndarray of int
    """
    tables = []
    for k, numbers in enumerate(values):
        counts = np.bincount(codes[:, k], weights, minlength=n_codes[k])
        table = _indicators(counts) if numbers is None else _standardised(counts, numbers)
        tables.append(table)
    return LinearFeatures(tables)


def add_curves(
    features: LinearFeatures,
    codes: np.ndarray,
    weights: np.ndarray,
    values: list[np.ndarray | None],
    with_products: bool,
    allowed: np.ndarray,
) -> LinearFeatures | None:
    """The same with the square of each number of more than two values, and with products of columns.

    None where products are asked for, and there are none or too many: squares of dozens of columns did not help.
    """
    tables = list(features.tables)
    factors = []
    for k, (table, numbers) in enumerate(zip(features.tables, values, strict=True)):
        counts = np.bincount(codes[:, k], weights, minlength=len(table))
        if table.shape[1] == 0:
            continue
        if numbers is None:
            factors.append(make_category_factor(k, table, counts))
        elif (
            np.ptp(table[FIRST_BIN : FIRST_BIN + len(numbers), 0]) > 0
        ):  # else all that it tells is whether it is missing
            n_special = len(counts) - FIRST_BIN - len(numbers)
            factors.append(make_number_factor(k, table[:, 0], counts, n_special))
            if len(numbers) > 2:
                bent = bend(table[:, 0], counts, n_special)[:, None]
                tables[k] = np.append(table, bent, axis=1)
    if not with_products:
        return LinearFeatures(tables)
    products = pair_up(factors, allowed)
    return None if products is None else LinearFeatures(tables, products)


def find_bin_values(counts: JointCounts, columns: np.ndarray) -> list[np.ndarray | None]:
    """The number each bin of some columns stands for; None for nominal columns."""
    assert counts.schema is not None
    found: list[np.ndarray | None] = []
    for j in columns:
        column = counts.schema.columns[j]
        if isinstance(column, NumericColumn):
            at = counts.schema.numeric_position[int(j)]
            found.append(column.centres(counts.minimum[at], counts.maximum[at]))
        else:
            found.append(None)
    return found


def _standardised(counts: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The numbers with mean 0 and spread 1 over the rows, and an indicator of missing cells if there are any."""
    end = FIRST_BIN + len(numbers)
    known = counts[FIRST_BIN:end]
    table = np.zeros((len(counts), 0))
    if np.count_nonzero(known) > 1:
        scaled = _bring_in(numbers / np.abs(numbers).max(), known)  # squares might overflow
        mean = known @ scaled / known.sum()
        spread = np.sqrt(known @ (scaled - mean) ** 2 / known.sum())
        if spread > 0:
            slope = np.round((scaled - mean) / spread, DECIMALS)
            table = np.zeros((len(counts), 1))
            table[FIRST_BIN:end, 0] = slope
    for code in (MISSING, *range(end, len(counts))):
        if 0 < counts[code] < counts.sum():
            table = np.append(table, _centred_indicator(counts, code)[:, None], axis=1)
    return table


def _bring_in(numbers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Increasing numbers without what lies far outside."""
    share = np.cumsum(weights) / weights.sum()
    low = numbers[np.searchsorted(share, TAIL)]
    high = numbers[np.searchsorted(share, 1 - TAIL)]
    width = high - low
    return np.clip(numbers, low - width, high + width) if width > 0 else numbers


def _indicators(counts: np.ndarray) -> np.ndarray:
    """An indicator of each of the commonest categories."""
    order = np.argsort(-counts, kind="stable")[:COMMONEST]
    chosen = np.sort(order[counts[order] > 0])
    if len(chosen) < 2:
        return np.zeros((len(counts), 0))
    return np.stack([_centred_indicator(counts, code) for code in chosen], axis=1)


def _centred_indicator(counts: np.ndarray, code: int) -> np.ndarray:
    indicator = np.zeros(len(counts))
    indicator[code] = 1.0
    return indicator - counts[code] / counts.sum()
