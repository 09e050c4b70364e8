"""What each cell adds to the score of averaged one-dependence estimators.

The score of a group is the log of a mean over parents, which is no sum over cells. But the log-ratio of two sums is a
mean of the log-ratios of their summands, weighted by logarithmic means: with ``L(a, b) = (a - b) / log(a / b)``,

    log(A / B) = sum over p of L(a_p, b_p) / L(A, B) * log(a_p / b_p)

where A and B are the sums of a_p and b_p. Here a_p is what parent p says of a group, b_p the geometric mean over all
groups, and ``log(a_p / b_p)`` is a sum over cells. So a cell's weight is the average over parents of what it says given
each of them, and the weights add up to the score exactly.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from bayfold.core.counts import JointCounts, RowSample
from bayfold.core.densities import Term, centre_groups
from bayfold.core.evidence import Records, as_shares
from bayfold.core.evidence.bins import Bins, describe_basis, describe_bins
from bayfold.core.evidence.errors import count_variances, sum_by_bin
from bayfold.core.evidence.evidence import record_bins
from bayfold.core.evidence.rows import PRIOR, record_rows, shown_values
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import MISSING
from bayfold.core.schema import RowBlock
from bayfold.core.scoring import Scorer
from bayfold.core.scoring.errors import CountErrors
from bayfold.families.aode.kernels.pairs import NOWHERE
from bayfold.families.aode.model import OneDependenceModel, OneDependencePredictor

PAIRED_ENTRIES = 1 << 21
"""Evidence of so many rows, parents, cells and groups is held at once: 16 MB."""

IMPORTANCE_ROWS = 1000
"""Sampled rows whose explanations are averaged: the third digit of a share does not matter."""

NO_COUNTS = np.empty((0, 0))
"""Of terms in words: only curves ask for counts."""

LEAST_LOG = -700.0
"""In place of minus infinity, where nothing is smoothed: the smallest number that has an exponential."""


def explain_one_dependence(
    predictor: OneDependencePredictor, groups: np.ndarray, table: Table
) -> Records:
    """Records as for naive Bayes, without bounds: what a cell says depends on counts of pairs, which are not kept."""
    model = predictor.model
    block = predictor.coder.open(table).block(0, table.n_rows)
    schema = model.schema
    nothing = np.full(table.n_rows, None, object)
    values = [nothing]
    bins = [nothing[:, None]]
    weights = weigh_rows(model, block)
    errors = np.full(weights.shape, np.nan)
    for term in model.naive.terms:
        j = term.column
        shown_bins = describe_bins(schema.columns[j], term, NO_COUNTS)
        bins.append(describe_basis(term, schema.columns[j], shown_bins, block.codes(j), groups))
        values.append(shown_values(schema.columns[j], table, j))
    shown = groups[-1:] if len(groups) <= 2 else groups
    return record_rows(table, [PRIOR, *schema.names], values, bins, shown, weights, errors)


def _find_errors(
    model: OneDependenceModel, counts: JointCounts, term: Term, bins: Bins
) -> np.ndarray:
    """Standard errors of the weights of bins by their counts, as if each column were alone."""
    assert isinstance(model.naive.errors, CountErrors)
    variances = count_variances(sum_by_bin(bins, counts.tables[term.column]), model.naive.errors)
    belief = 1.0 if model.calibration is None else model.calibration.weights[0]
    errors = belief * np.sqrt(variances)
    errors[MISSING] = errors[MISSING] if term.tabulate(None)[MISSING].any() else np.nan
    return errors


def weigh_rows(model: OneDependenceModel, block: RowBlock) -> np.ndarray:
    """Prior and weight of each cell of each row, of shape (n_rows, 1 + n_columns, n_scores), adding up to the score."""
    start = centre_groups(model.log_prior)
    n_columns = len(model.schema.columns)
    paired = model.layout.columns
    weights = np.zeros((block.n_rows, 1 + n_columns, len(start)))
    for j in set(range(n_columns)) - set(paired) - set(np.flatnonzero(model.is_silent).tolist()):
        weights[:, 1 + j] = Scorer(model.naive, columns=[j], with_prior=False).score(block)
    positions = model.layout.place(block, model.lookups)
    n_groups = len(model.log_prior)
    size = max(PAIRED_ENTRIES // max(len(paired) ** 2 * n_groups, 1), 1)
    for first in range(0, block.n_rows if paired else 0, size):
        rows = slice(first, first + size)
        found = centre_groups(_weigh_cells(model, positions[rows]))
        weights[rows, 1 + np.array(paired)] = found
    if model.calibration is not None:
        weights *= model.calibration.weights[0]
        start = model.calibration.intercept
    weights[:, 0] = start
    return weights


def _weigh_cells(model: OneDependenceModel, positions: np.ndarray) -> np.ndarray:
    """The weight of each paired cell for each group, of shape (n_rows, n_paired, n_groups)."""
    is_known = positions != NOWHERE
    at = np.where(is_known, positions, 0)
    own = np.arange(positions.shape[1])
    # what cell q says of each group given parent p, and what p says itself
    given = _bounded(model.log_given[at[:, :, None], at[:, None, :]])
    with np.errstate(invalid="ignore"):
        given[:, own, own] = _bounded(model.log_joint[at] - model.log_prior)
    given *= is_known[:, None, :, None]
    is_parent = is_known & model.is_parent[at]
    shares = _share_parents(given.sum(axis=2), is_parent)
    given -= given.mean(axis=-1, keepdims=True)
    by_parent = np.einsum("npg,npqg->nqg", shares, given)
    naive = is_known[..., None] * _bounded(model.log_naive[at])
    return np.where(is_parent.any(axis=1)[:, None, None], by_parent, naive)


def _share_parents(says: np.ndarray, is_parent: np.ndarray) -> np.ndarray:
    """Logarithmic means of what each parent says of a group and of all groups, as shares of that of their sums.

    ``says`` are logs of shape (n_rows, n_parents, n_groups); rows without a parent have no shares.
    """
    usual = np.broadcast_to(says.mean(axis=-1, keepdims=True), says.shape)
    outside = np.where(is_parent, 0.0, -np.inf)[..., None]
    top = np.maximum(says, usual).max(axis=1, keepdims=True)
    says = says - top + outside
    usual = usual - top + outside
    whole = log_mean(logsumexp(says, axis=1), logsumexp(usual, axis=1))
    shares = np.where(is_parent[..., None], log_mean(says, usual), 0.0)
    return shares / np.where(whole > 0, whole, 1.0)[:, None]


def log_mean(log_a: np.ndarray, log_b: np.ndarray) -> np.ndarray:
    """The logarithmic mean of numbers given by their logs; that of equal numbers is the number.

    >>> log_mean(np.log([1.0, 2.0]), np.log([np.e, 2.0])).round(6)
    array([1.718282, 2.      ])
    """
    with np.errstate(invalid="ignore"):
        apart = np.abs(log_a - log_b)
        ratio = -np.expm1(-apart) / np.where(apart > 0, apart, 1.0)
    return np.exp(np.maximum(log_a, log_b)) * np.where(apart > 0, ratio, 1.0)


def _bounded(log_values: np.ndarray) -> np.ndarray:
    return np.maximum(np.nan_to_num(log_values, neginf=LEAST_LOG), LEAST_LOG)


def share_columns(model: OneDependenceModel, sample: RowSample) -> np.ndarray:
    """Mean absolute weight of each column's cells over sampled rows, as shares of their sum."""
    rows = np.arange(min(sample.n_rows, IMPORTANCE_ROWS))  # those with the smallest hashes
    found = np.abs(weigh_rows(model, sample.block(rows))[:, 1:]).mean(axis=2)
    return as_shares(sample.weights[rows] @ found)


def describe_one_dependence(
    model: OneDependenceModel, counts: JointCounts, sample: RowSample
) -> Records:
    """Records as of naive Bayes; what a cell says depends on its row, so the weight is a mean over sampled rows."""
    groups = counts.groups
    rows = np.arange(min(sample.n_rows, IMPORTANCE_ROWS))
    shown = [len(groups) - 1] if len(groups) <= 2 else list(range(len(groups)))
    block = sample.block(rows)
    row_weights = sample.weights[rows]
    weights = weigh_rows(model, block)
    parts = []
    for term in model.naive.terms:
        column_schema = model.schema.columns[term.column]
        table = counts.tables[term.column]
        bins = describe_bins(column_schema, term, table)
        of_row = bins.of_code[block.codes(term.column)]
        found = weights[:, 1 + term.column]
        mean = _average(of_row, row_weights, found, len(bins.labels))
        parts.append(
            record_bins(
                column_schema.name,
                bins,
                groups,
                shown,
                sum_by_bin(bins, table),
                mean,
                _find_errors(model, counts, term, bins),
            )
        )
    return Records({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def _average(
    of_row: np.ndarray, row_weights: np.ndarray, found: np.ndarray, n_bins: int
) -> np.ndarray:
    """Means over the rows of each bin; zero for a bin that no sampled row is in."""
    inside = of_row >= 0
    of_row = of_row[inside]
    row_weights = row_weights[inside]
    found = found[inside]
    total = np.bincount(of_row, row_weights, n_bins)
    sums = [np.bincount(of_row, row_weights * scores, n_bins) for scores in found.T]
    return np.stack(sums, axis=1) / np.where(total > 0, total, 1.0)[:, None]
