"""The columns of coded rows as features of a linear model: what a code is worth, feature by feature.

Every feature is read from one code, or from two, so a linear model of them is a sum of tables like the rest of the
model. A numeric column is the middle of its bin, standardised; a nominal one is an indicator of each of its commonest
categories. A missing number stands at the mean, and an indicator says that it was missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.kernels.codes import FIRST_BIN, MISSING
from bayfold.core.schema import NumericColumn
from bayfold.families.boosting.linear_models import LinearModel
from bayfold.families.boosting.linear_tables import CurvedTables, LinearTables
from bayfold.families.boosting.products import (
    Products,
    bend,
    make_category_factor,
    make_number_factor,
    pair_up,
)

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
) -> LinearFeatures | None:
    """The same with the square of each number of more than two values, and with products of columns.

    None where products are asked for, and there are none or too many: squares of dozens of columns did not help.
    """
    tables, factors = list(features.tables), []
    for k, (table, numbers) in enumerate(zip(features.tables, values, strict=True)):
        counts = np.bincount(codes[:, k], weights, minlength=len(table))
        if table.shape[1] == 0:
            continue
        if numbers is None:
            factors.append(make_category_factor(k, table, counts))
        elif np.ptp(table[FIRST_BIN:, 0]) > 0:  # else all that it tells is whether it is missing
            factors.append(make_number_factor(k, table[:, 0], counts))
            if len(numbers) > 2:
                tables[k] = np.append(table, bend(table[:, 0], counts)[:, None], axis=1)
    if not with_products:
        return LinearFeatures(tables)
    products = pair_up(factors)
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
    known = counts[FIRST_BIN:]
    table = np.zeros((len(counts), 0))
    if np.count_nonzero(known) > 1:
        scaled = _bring_in(numbers / np.abs(numbers).max(), known)  # squares might overflow
        mean = known @ scaled / known.sum()
        spread = np.sqrt(known @ (scaled - mean) ** 2 / known.sum())
        if spread > 0:
            slope = np.round((scaled - mean) / spread, DECIMALS)
            table = np.append(np.zeros(FIRST_BIN), slope)[:, None]
    if 0 < counts[MISSING] < counts.sum():
        table = np.append(table, _centred_indicator(counts, MISSING)[:, None], axis=1)
    return table


def _bring_in(numbers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Increasing numbers without what lies far outside."""
    share = np.cumsum(weights) / weights.sum()
    low, high = numbers[np.searchsorted(share, TAIL)], numbers[np.searchsorted(share, 1 - TAIL)]
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
