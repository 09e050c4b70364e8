"""Rows as the mixture kernels read them: in chunks, column by column.

Each loop over the rows of a chunk is a function of plain vectors, because only such loops are vectorised.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayfold.core.kernels.compiler import inner


@inner
def raise_to(x, top):
    for i in range(x.shape[0]):
        top[i] = x[i] if x[i] > top[i] else top[i]


@inner
def subtract(x, y, difference):
    for i in range(x.shape[0]):
        difference[i] = x[i] - y[i]


@inner
def add(x, total):
    for i in range(x.shape[0]):
        total[i] += x[i]


@inner
def divide(x, y, ratio):
    for i in range(x.shape[0]):
        ratio[i] = x[i] / y[i]


@inner
def multiply_chunk(x, factor):
    for i in range(x.shape[0]):
        x[i] *= factor[i]


@inner
def mark_known(x, known):
    for i in range(x.shape[0]):
        known[i] = 1.0 if x[i] == x[i] else 0.0


@inner
def fill_missing(x, filled):
    for i in range(x.shape[0]):
        filled[i] = x[i] if x[i] == x[i] else 0.0


@inner
def square_known(x, squares):
    for i in range(x.shape[0]):
        squares[i] = x[i] * x[i] if x[i] == x[i] else 0.0


CHUNK = 128
"""Rows of a chunk, a multiple of eight: some twenty columns of it stay in the first-level cache."""


class Chunks(NamedTuple):
    """Rows in chunks; the last chunk is filled up with rows of weight zero.

    Attributes
    ----------
    values : ndarray of shape (n_chunks, n_gaussians, CHUNK)
        Standardized numbers, NaN where missing.
    codes : ndarray of int32 of shape (n_chunks, n_tables, CHUNK)
        Each cell's row in the stacked tables.
    weights : ndarray of shape (n_chunks, CHUNK)
    incomplete : ndarray of bool of shape (n_gaussians,)
        Columns with missing cells. Only these may hold NaN, also in the rows that fill up the last chunk.
    """

    values: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    incomplete: np.ndarray


class Sums(NamedTuple):
    """What the M-step needs: the statistics of fractional groups.

    Attributes
    ----------
    totals : ndarray of shape (n_groups,)
    moments : ndarray of shape (n_gaussians, 3, n_groups)
        Sums of w, w x and w x^2 over known cells.
    counts : ndarray of shape (n_codes, n_groups)
        The tables of all columns, stacked.
    """

    totals: np.ndarray
    moments: np.ndarray
    counts: np.ndarray


class Anchor(NamedTuple):
    """What estimates are held by: the column as a whole. It does not change while EM runs.

    Attributes
    ----------
    gaussians : ndarray of shape (n_gaussians, 3)
        Mean and variance over all groups, and the smallest variance of a group. A variance of zero silences the column.
    pseudo : ndarray of shape (n_codes,)
        Added to the count of each code in every group.
    share : ndarray of shape (n_codes,)
        Probability of each code in a group without rows; zero for codes that never occur, which give no evidence.
    starts : ndarray of int32 of shape (n_tables + 1,)
        Where the table of each column begins.
    """

    gaussians: np.ndarray
    pseudo: np.ndarray
    share: np.ndarray
    starts: np.ndarray


class Terms(NamedTuple):
    """The model in the arrays that scoring wants.

    Attributes
    ----------
    log_prior : ndarray of shape (n_groups,)
    gaussians : ndarray of shape (n_gaussians, 3, n_groups)
        Mean, inverse standard deviation over the square root of two, constant.
    tables : ndarray of shape (n_codes, n_groups)
    """

    log_prior: np.ndarray
    gaussians: np.ndarray
    tables: np.ndarray
