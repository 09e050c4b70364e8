"""Missing cells filled from naive Bayes over groups: by draws."""

from __future__ import annotations

import hashlib
from functools import singledispatch

import numpy as np

from bayfold.core.densities import TableTerm, Term
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.families.mte.density import MTEDensity
from bayfold.families.mte.term import ExponentialTerm


def column_stream(seed: int, iteration: int, name: str) -> np.random.Generator:
    """Random numbers of one column in one iteration: by name, so that the order of columns does not matter."""
    word = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng([seed, iteration, word])


def draw_groups(probability: np.ndarray, u: np.ndarray) -> np.ndarray:
    """One group per row by its probabilities, from a uniform number per row."""
    cumulated = np.cumsum(probability, axis=1)
    return (cumulated[:, :-1] < u[:, None] * cumulated[:, -1:]).sum(axis=1)


def densities_of(term: ExponentialTerm) -> list[MTEDensity]:
    """The density of each group in the units of the column."""
    edges = term.low + (term.high - term.low) * term.cuts
    n_groups = term.coefficients.shape[2]
    return [MTEDensity(edges, term.coefficients[:, :, g]) for g in range(n_groups)]


@singledispatch
def draw_cells(term: Term, groups: np.ndarray, u: np.ndarray) -> np.ndarray:
    """A value for each row from its group's distribution: numbers, or codes of categories."""
    raise NotImplementedError(term.kind)


@draw_cells.register
def _draw_numbers(term: ExponentialTerm, groups: np.ndarray, u: np.ndarray) -> np.ndarray:
    values = np.empty(len(groups))
    for g, density in enumerate(densities_of(term)):
        rows = groups == g
        if rows.any():
            values[rows] = density.ppf(u[rows])
    return values


@draw_cells.register
def _draw_codes(term: TableTerm, groups: np.ndarray, u: np.ndarray) -> np.ndarray:
    return draw_groups(category_shares(term).T[groups], u) + FIRST_BIN


def category_shares(term: TableTerm) -> np.ndarray:
    """Probability of each category in each group, of shape (n_categories, n_groups); zero where none was seen."""
    rows = term.log_table[FIRST_BIN:]
    occurs = (rows != 0).any(axis=1)
    if len(rows) == 1:
        occurs[:] = True  # the only category has log-probability zero
    return np.where(occurs[:, None], np.exp(rows), 0.0)
