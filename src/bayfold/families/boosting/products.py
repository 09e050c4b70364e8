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

from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.families.boosting.pair_tables import PairTable
from bayfold.families.boosting.resolution import merge_fine_bins

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
        told = {k: f.worth[f.merge[codes[:, k]]] for k, f in factors.items()}
        found, n = np.empty((len(codes), self.n_features)), 0
        for a, b in self.pairs:
            for i, j in np.ndindex(a.worth.shape[1], b.worth.shape[1]):
                np.multiply(told[a.column][:, i], told[b.column][:, j], out=found[:, n])
                n += 1
        return np.multiply(CURVE_SCALE, found, out=found)

    def tabulate(self, coefficients: np.ndarray) -> tuple[PairTable, ...]:
        """What a linear model says of two columns: a table each, of shape (n_bins, n_bins, n_scores)."""
        tables, n = [], 0
        for a, b in self.pairs:
            shape = a.worth.shape[1], b.worth.shape[1], coefficients.shape[1]
            part = coefficients[n : n + shape[0] * shape[1]].reshape(shape)
            table = CURVE_SCALE * np.einsum("ai,bj,ijs->abs", a.worth, b.worth, part)
            tables.append(PairTable((a.column, b.column), (a.merge, b.merge), table))
            n += shape[0] * shape[1]
        return tuple(tables)


def pair_up(factors: list[Factor]) -> Products | None:
    """Products of all pairs of columns one of which is a number; None if there are none, or too many."""
    pairs = [(a, b) for a, b in combinations(factors, 2) if a.is_number or b.is_number]
    found = Products(pairs)
    return found if 0 < found.n_features <= MOST_PRODUCTS else None


def bend(slope: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The square of a standardised number, centred over the rows, for each code; nothing where it is missing."""
    square = CURVE_SCALE * np.clip(slope, -CURVED_TO, CURVED_TO) ** 2
    known = counts[FIRST_BIN:]
    return np.append(
        np.zeros(FIRST_BIN), square[FIRST_BIN:] - known @ square[FIRST_BIN:] / known.sum()
    )


def make_number_factor(column: int, slope: np.ndarray, counts: np.ndarray) -> Factor:
    """A standardised number by few bins, each of which is worth the mean of its rows."""
    merge = np.maximum(merge_fine_bins(counts, PRODUCT_BINS) - FIRST_BIN + 1, 0)
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
