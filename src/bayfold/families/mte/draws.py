"""Missing cells filled from naive Bayes over groups: by draws."""

from __future__ import annotations

import hashlib
from functools import singledispatch

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.row_hashes import RowHashes
from bayfold.core.densities import TableTerm, Term
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import RowBlock, Schema
from bayfold.families.mte.density import MTEDensity
from bayfold.families.mte.term import ExponentialTerm, OwnExponentialTerm


def find_row_keys(
    schema: Schema,
    block: RowBlock,
    target: np.ndarray | None = None,
    most: int | None = None,
    row_hashes: RowHashes | None = None,
) -> np.ndarray:
    """A word for each row from what is in it, so that draws do not depend on the order of rows.

    Columns and categories are known by the given hashes, or by their names.

    Equal rows have different ones, because they are different observations; which has which makes no difference.
    With ``most``, so many of them have.
    """
    row_hashes = RowHashes(schema, np.zeros(1)) if row_hashes is None else row_hashes
    position = schema.numeric_position
    keys = np.zeros(block.n_rows, np.uint64)
    for j, codes in enumerate(block.columns()):
        own = row_hashes.code_hashes[row_hashes.offsets[j] + codes.astype(np.int64)]
        if j in position:
            own[:] = row_hashes.code_hashes[row_hashes.offsets[j]]
            kernels.hash_numbers(np.ascontiguousarray(block.values[:, position[j], None]), own)
        keys += np.where(codes >= FIRST_BIN, own, np.uint64(0))  # a gap is nothing
    if target is not None:
        kernels.hash_numbers(target[:, None], keys)
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    begins = np.append(True, in_order[1:] != in_order[:-1])[: len(order)]
    place = np.arange(len(order), dtype=np.float64)
    copy = np.empty(len(order))
    copy[order] = place - np.maximum.accumulate(np.where(begins, place, 0.0))
    if most is not None:
        copy %= most
    kernels.hash_numbers(copy[:, None], keys)
    return keys


def name_stream(name: str) -> int:
    """A number for what is drawn, by its name."""
    content = name.encode(errors="surrogatepass")  # whatever a string may hold
    return int.from_bytes(hashlib.blake2b(content, digest_size=6).digest(), "little")


def draw_uniform(keys: np.ndarray, seed: int, iteration: int, stream: int) -> np.ndarray:
    """A random number from 0 to 1 for each row; ``stream`` tells columns apart, wherever they stand."""
    hashes = keys.copy()
    kernels.hash_numbers(
        np.tile([float(seed), float(iteration), float(stream)], (len(keys), 1)), hashes
    )
    return (hashes >> np.uint64(11)) * 2.0**-53


def draw_groups(probability: np.ndarray, u: np.ndarray) -> np.ndarray:
    """One group per row by its probabilities, from a uniform number per row."""
    cumulated = np.cumsum(probability, axis=1)
    return (cumulated[:, :-1] < u[:, None] * cumulated[:, -1:]).sum(axis=1)


@singledispatch
def densities_of(term: Term) -> list[MTEDensity]:
    """The density of each group in the units of the column."""
    raise NotImplementedError(term.kind)


@densities_of.register
def _over_shared_intervals(term: ExponentialTerm) -> list[MTEDensity]:
    edges = term.low + (term.high - term.low) * term.cuts
    n_groups = term.coefficients.shape[2]
    return [MTEDensity(edges, term.coefficients[:, :, g]) for g in range(n_groups)]


@densities_of.register
def _over_own_intervals(term: OwnExponentialTerm) -> list[MTEDensity]:
    return [densities_of(term.of_group(g))[0] for g in range(term.n_groups)]


@singledispatch
def draw_cells(term: Term, groups: np.ndarray, u: np.ndarray) -> np.ndarray:
    """A value for each row from its group's distribution: numbers, or codes of categories."""
    raise NotImplementedError(term.kind)


@draw_cells.register(ExponentialTerm)
@draw_cells.register(OwnExponentialTerm)
def _draw_numbers(term: Term, groups: np.ndarray, u: np.ndarray) -> np.ndarray:
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
