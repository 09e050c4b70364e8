"""Standard errors of weights of evidence, and the bounds that hold 95 % of them.

Of smoothed counts by the delta method. A density that sums up the counts of its neighbourhood, each with a factor K,
has a logarithm with the variance ``sum K^2 n / (sum K n)^2 - 1 / n_g`` (a table: ``1 / n_vg - 1 / n_g``), pseudo-rows
counted among the n. Those of two groups add up; an estimate that was drawn towards no evidence by a factor has its
posterior variance, which is smaller by the same factor. A weight on the column multiplies the error, and its own error
is added: ``w = b r`` has the variance ``b^2 var(r) + r^2 var(b)``.

Of tables that were fitted together (boosting) by left-out rows: the inverse of the information of the rows in a bin,
and of its neighbours that say the same within an error; and by how far these rows are from what they were predicted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.densities import (
    DEFAULT_RANK_WIDTH,
    PairTerm,
    QuadraticTerm,
    TableTerm,
    Term,
    TextTerm,
    centre_groups,
)
from bayfold.core.densities.frequency import overall_share
from bayfold.core.densities.kernel import VALUE_KERNEL_REACH, find_bandwidths
from bayfold.core.engine.reduce import on_one_thread
from bayfold.core.evidence.bins import Bins
from bayfold.core.kernels.encode import FIRST_BIN, MISSING, UNSEEN
from bayfold.core.schema import NumericColumn
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.errors import CountErrors, LeftOutErrors

NORMAL_REACH = 1.96
"""Standard errors on either side of an estimate that hold 95 % of a normal distribution."""

NARROWEST = 0.5 / 256
"""Bandwidth of a kernel on ranks, as ``core/kernels/ranks.py`` has it: half the distance of its nodes."""


def bound(estimates: np.ndarray, errors: np.ndarray) -> dict[str, np.ndarray]:
    """The columns ``low`` and ``high`` of records."""
    reach = NORMAL_REACH * errors
    with np.errstate(invalid="ignore"):
        return {"low": estimates - reach, "high": estimates + reach}


def bound_sums(weights: np.ndarray, errors: np.ndarray) -> dict[str, np.ndarray]:
    """The columns ``whole_low`` and ``whole_high``: of rows, with weights of the shape (n_rows, n_cells, n_scores)."""
    errors = np.where((weights == 0) & np.isnan(errors), 0.0, errors)
    found = bound(weights.sum(axis=1), np.sqrt((errors**2).sum(axis=1)))
    n_cells = weights.shape[1]
    return {
        f"whole_{name}": np.repeat(of_rows[:, None], n_cells, axis=1).ravel()
        for name, of_rows in found.items()
    }


def contrast_variances(variances: np.ndarray) -> np.ndarray:
    """Variances of weights of evidence from those of log-probabilities, along the last axis (see ``centre_groups``).

    >>> contrast_variances(np.array([[1.0, 2.0]])), contrast_variances(np.array([[3.0, 3.0, 3.0]]))
    (array([[3.]]), array([[2., 2., 2.]]))
    """
    n_groups = variances.shape[-1]
    total = variances.sum(axis=-1, keepdims=True)
    if n_groups == 2:
        return total
    return variances * (1 - 2 / n_groups) + total / n_groups**2


def count_variances(counts: np.ndarray, errors: CountErrors) -> np.ndarray:
    """Variances of weights from counts of the shape (n_bins, n_groups); NaN in bins without rows.

    Special cases of no pseudo-rows at all have infinite variances where a group has no row.
    """
    rows = errors.share * counts
    of_bin = rows.sum(axis=1, keepdims=True)
    added = np.full((len(rows), 1), errors.strength)
    if errors.kind != "additive":
        added = errors.strength * overall_share(rows, int((of_bin > 0).sum()))
    with np.errstate(divide="ignore"):
        variances = 1.0 / (rows + added) - 1.0 / (rows + added).sum(axis=0)
    found = contrast_variances(np.maximum(variances, 0.0)) * _find_trust(rows, errors)
    return np.where(of_bin > 0, found, np.nan)


def _find_trust(rows: np.ndarray, errors: CountErrors) -> np.ndarray:
    """How far each value is believed beside the shares of all values."""
    of_bin = rows.sum(axis=1, keepdims=True)
    if errors.kind != "shrinkage":
        return np.ones_like(of_bin)
    concentration = np.empty(1)
    kernels.estimate_concentrations(np.ascontiguousarray(rows[None], np.float64), concentration)
    return of_bin / (of_bin + concentration)


def find_errors(
    model: NaiveBayesModel,
    counts: JointCounts,
    term: Term,
    bins: Bins,
    weights: np.ndarray,
    by_code: np.ndarray | None = None,
) -> np.ndarray:
    """Standard errors of the weights of a column's bins; NaN where nothing is known of them.

    Parameters
    ----------
    model : NaiveBayesModel
    counts : JointCounts
    term : Term
        As it was estimated, before any calibration.
    bins : Bins
    weights : ndarray of shape (n_bins, n_scores)
        Of bins as they are shown.
    by_code : ndarray of shape (n_codes, n_scores), optional
        The weights of codes; errors are then theirs, not those of bins.
    """
    j = term.column
    if model.errors is None or isinstance(term, TextTerm):
        return np.full(weights.shape if by_code is None else by_code.shape, np.nan)
    if isinstance(model.errors, LeftOutErrors):
        ordered = isinstance(model.schema.columns[j], NumericColumn)
        found = np.sqrt(_find_left_out(model.errors, j, counts, bins, weights, ordered))
        found = found if by_code is None else found[bins.of_code]
        return _leave_out_edited(model, counts, term, bins, found)
    assert isinstance(model.errors, CountErrors)
    table = counts.tables[j]
    in_bin = sum_by_bin(bins, table)
    curve = None
    if term.merge is None:
        with on_one_thread():  # products of small matrices
            curve = _find_influence(model, counts, term, bins, by_code)
    if curve is None:
        variances = count_variances(in_bin, model.errors)
        variances = variances if by_code is None else variances[bins.of_code]
    else:
        variances = curve
    # what says nothing, like a missing cell, is not estimated
    says = weights if by_code is None else by_code
    belief = 1.0 if model.calibration is None else model.calibration.weights[j]
    known = None if model.calibration is None else model.calibration.errors
    own = 0.0 if known is None else known[j]
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = own / belief if belief > 0 else 0.0
        errors = np.sqrt(belief**2 * variances + (relative * says) ** 2)
    silent = np.zeros(len(says), bool)
    silent[MISSING] = not says[MISSING].any()
    if by_code is not None:
        silent[UNSEEN] = True
    errors[silent] = np.nan
    return _leave_out_edited(model, counts, term, bins, errors)


def _leave_out_edited(
    model: NaiveBayesModel, counts: JointCounts, term: Term, bins: Bins, errors: np.ndarray
) -> np.ndarray:
    """The errors of bins or of codes without those whose weights people have changed."""
    if model.unedited is None:
        return errors
    j = term.column
    is_number = j in model.schema.numeric_position
    centres = find_centres(model.schema, counts, j) if is_number else None
    now, before = (
        centre_groups(m.evidence_terms[j].tabulate(centres)) for m in (model, model.unedited)
    )
    changed = ~np.isclose(now, before, equal_nan=True).all(axis=1)
    if len(errors) == len(changed):
        errors[changed] = np.nan
    else:
        errors[np.setdiff1d(bins.of_code[changed], -1)] = np.nan
    return errors


def find_code_errors(
    model: NaiveBayesModel, counts: JointCounts, term: Term, bins: Bins
) -> np.ndarray:
    """Standard errors of the weights of a column's codes, of shape (n_codes, n_scores)."""
    is_number = term.column in model.schema.numeric_position
    centres = find_centres(model.schema, counts, term.column) if is_number else None
    cache = model.code_errors
    if cache.get(term.column, (None,))[0] is not counts:
        by_code = centre_groups(model.evidence_terms[term.column].tabulate(centres))
        first = np.unique(bins.of_code, return_index=True)[1][-len(bins.labels) :]
        found = find_errors(model, counts, term, bins, by_code[first], by_code)
        cache[term.column] = counts, found
    return cache[term.column][1]


def find_start_errors(model: NaiveBayesModel, counts: JointCounts) -> np.ndarray:
    """Standard errors of what a row scores of which nothing is known, of shape (n_scores,)."""
    if model.errors is None:
        return np.full(len(model.intercept), np.nan)
    if isinstance(model.errors, LeftOutErrors):
        totals = model.errors.times * model.errors.information[0].sum(axis=0)
        return np.sqrt(1.0 / np.maximum(totals, 1e-300))
    assert isinstance(model.errors, CountErrors)
    with np.errstate(divide="ignore"):  # of a class without rows nothing is known
        return np.sqrt(contrast_variances(1.0 / (model.errors.share * counts.totals)))


def sum_by_bin(bins: Bins, table: np.ndarray) -> np.ndarray:
    """What codes have, by the bins that are shown."""
    found = np.zeros((len(bins.labels), table.shape[1]))
    known = bins.of_code >= 0
    np.add.at(found, bins.of_code[known], table[known])
    return found


def _find_influence(
    model: NaiveBayesModel, counts: JointCounts, term: Term, bins: Bins, by_code: np.ndarray | None
) -> np.ndarray | None:
    """Mean squared errors of a curve's weights by bin or by code; None of a table of categories."""
    j = term.column
    column_schema = model.schema.columns[j]
    errors = model.errors
    assert isinstance(errors, CountErrors)
    is_table = isinstance(term, TableTerm) and model.methods.get(j) != "smooth"
    if is_table or not isinstance(column_schema, NumericColumn):
        return None
    known = slice(FIRST_BIN, column_schema.first_special)
    n = errors.share * counts.tables[j]
    of_group = np.maximum(n[known].sum(axis=0), 1e-300)
    n_out = len(n) if by_code is not None else len(bins.labels)
    # each output is a mean over codes
    mean = np.zeros((n_out, len(n)))
    if by_code is not None:
        mean[np.arange(len(n)), np.arange(len(n))] = 1.0
    else:
        inside = np.flatnonzero(bins.of_code >= 0)
        rows = n.sum(axis=1)[inside]
        total = np.bincount(bins.of_code[inside], rows, n_out)[bins.of_code[inside]]
        codes = np.bincount(bins.of_code[inside], minlength=n_out)[bins.of_code[inside]]
        share = np.where(total > 0, rows / np.where(total > 0, total, 1.0), 1.0 / codes)
        mean[bins.of_code[inside], inside] = share
    found = np.full((n_out, n.shape[1]), np.nan)
    bias = 0.0
    some = mean[:, known].sum(axis=1) > 0
    mean = mean[:, known]
    if isinstance(term, QuadraticTerm):
        centres = find_centres(model.schema, counts, j)[known]
        z = (centres[:, None] - term.mean) * term.inverse_sd
        variances = ((mean @ z) ** 2 + (mean @ (z * z - 1.0)) ** 2 / 2) / of_group
        found[some] = variances[some]
        return _add_presence(contrast_variances(found), n, known, bins, by_code, errors)
    trust = np.ones((len(n[known]), 1))
    if isinstance(term, TableTerm):
        kernel, trust = _make_rank_kernel(model, j, n[known], errors)
        near = [kernel] * n.shape[1]
        bias = (mean @ centre_groups(_smooth_again(kernel, n[known]))) ** 2
    else:
        centres = find_centres(model.schema, counts, j)[known]
        span = max(float(np.ptp(centres)), 1e-300)
        places = (centres - centres.min()) / span
        widths = find_bandwidths(places, n[known])
        near = [_gaussian(places / width) for width in widths]
    share = n[known].sum(axis=1) / max(n[known].sum(), 1e-300)
    for g, kernel in enumerate(near):
        # pseudo-rows are spread like all rows
        rows = n[known][:, g] + (0.0 if errors.kind == "additive" else errors.strength * share)
        reach = kernel @ rows
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # of a group without rows nothing is known
            scale = np.sqrt(trust) / np.maximum(reach, 1e-12 * max(reach.max(), 1e-300))[:, None]
            influence = mean @ (scale * kernel)
            rest = (mean @ np.sqrt(trust))[:, 0] ** 2 / (of_group[g] + errors.strength)
            found[some, g] = np.maximum((influence**2 @ rows - rest), 0.0)[some]
    return _add_presence(contrast_variances(found) + bias, n, known, bins, by_code, errors)


def _add_presence(
    variances: np.ndarray,
    n: np.ndarray,
    known: slice,
    bins: Bins,
    by_code: np.ndarray | None,
    errors: CountErrors,
) -> np.ndarray:
    """The same with the variances of cells that are no numbers: missing ones, and special codes."""
    others = np.r_[MISSING, known.stop : len(n)]
    counted = np.concatenate([n[others], n[known].sum(axis=0, keepdims=True)])
    places = others if by_code is not None else bins.of_code[others]
    plain = replace(
        errors, share=1.0, kind="m_estimate" if errors.kind == "shrinkage" else errors.kind
    )
    variances[places] = count_variances(counted, plain)[:-1]
    return variances


def _smooth_again(kernel: np.ndarray, n: np.ndarray) -> np.ndarray:
    """By how much log-shares of groups move if rows with the smoothed shares are smoothed: as much as at first."""
    reach = np.maximum(kernel @ n.sum(axis=1, keepdims=True), 1e-300)
    share = np.maximum(kernel @ n / reach, 1e-300)
    again = kernel @ (share * n.sum(axis=1, keepdims=True)) / reach
    return np.log(np.maximum(again, 1e-300)) - np.log(share)


def _make_rank_kernel(
    model: NaiveBayesModel, j: int, n: np.ndarray, errors: CountErrors
) -> tuple[np.ndarray, np.ndarray]:
    """What each bin takes of all others, and how far it is believed."""
    of_bin = n.sum(axis=1)
    total = max(float(of_bin.sum()), 1e-300)
    width = model.widths.get(j, DEFAULT_RANK_WIDTH)
    if width == 0.0:
        return np.eye(len(n)), _find_trust(n, errors)
    rank = (np.cumsum(of_bin) - 0.5 * of_bin) / total
    bandwidth = max(width * total**-0.2, NARROWEST)
    return _gaussian(rank / bandwidth), np.ones((len(n), 1))


def _gaussian(places: np.ndarray) -> np.ndarray:
    """A kernel at each place, at all places; zero beyond its reach, as numbers next to nothing are slow to multiply."""
    apart = places[:, None] - places
    return np.where(np.abs(apart) < VALUE_KERNEL_REACH, np.exp(-0.5 * apart**2), 0.0)


def _find_left_out(
    errors: LeftOutErrors,
    j: int,
    counts: JointCounts,
    bins: Bins,
    weights: np.ndarray,
    ordered: bool,
) -> np.ndarray:
    """Variances of the weights of bins from rows that were left out."""
    information = sum_by_bin(bins, errors.information[j])
    residuals = sum_by_bin(bins, errors.residuals[j])
    rows = sum_by_bin(bins, counts.tables[j]).sum(axis=1)
    held = rows > 0
    if ordered:
        places = np.flatnonzero(held & ~(np.isnan(bins.lower) & np.isnan(bins.upper)))
        sums = np.stack([information[places], residuals[places]])
        joined = _join_neighbours(weights[places], sums, errors.times)
        information[places], residuals[places] = joined
    found = add_bias(information, residuals, errors.times)
    found *= np.maximum(1.0 - rows / max(rows.sum(), 1e-300), 0.0)[:, None]
    return np.where(held[:, None], found, np.nan)


def add_bias(information: np.ndarray, residuals: np.ndarray, times: float) -> np.ndarray:
    """Mean squared errors: the inverse of the information of all rows, and what left-out rows are off by, squared.

    Few rows are off by chance, too, those left out by more than all; what that is more is taken off.
    """
    seen = np.maximum(information, 1e-300)
    variance = 1.0 / (times * seen)
    off = (residuals / seen) ** 2 - (1.0 / seen - variance)
    return np.where(information > 0, variance + np.maximum(off, 0.0), np.nan)


def _join_neighbours(weights: np.ndarray, sums: np.ndarray, times: float) -> np.ndarray:
    """Information and residuals, of shape (2, n_bins, n_scores), with those of neighbours that say the same.

    The nearer in weight of the two bins beside those joined is next, as long as it is within a standard error of them.
    """
    n_bins, n_scores = weights.shape
    total = np.concatenate([np.zeros((2, 1, n_scores)), np.cumsum(sums, axis=1)], axis=1)
    ends = np.concatenate([np.full((1, n_scores), np.inf), weights, np.full((1, n_scores), np.inf)])
    column = np.arange(n_scores)
    low = np.repeat(np.arange(n_bins)[:, None], n_scores, axis=1)
    high = low + 1
    for _ in range(n_bins):
        below, above = (np.abs(ends[k, column] - weights) for k in (low, high + 1))
        is_below = below <= above
        first = np.maximum(low - is_below, 0)
        last = np.minimum(high + ~is_below, n_bins)
        known = times * (total[0, last, column] - total[0, first, column])
        apart = np.minimum(below, above)
        with np.errstate(invalid="ignore"):
            near = apart * apart * known <= 1.0
        if not near.any():
            break
        low = np.where(near, first, low)
        high = np.where(near, last, high)
    return total[:, high, column] - total[:, low, column]


def find_pair_errors(model: NaiveBayesModel, pair: PairTerm) -> np.ndarray:
    """Standard errors of the entries of a table of several columns.

    By the rows in each cell, each of which tells as much as a row of the table does in the mean: nothing is kept of the
    rows in cells that were left out. Entries are taken to be drawn from a normal distribution that is as wide as they
    are, which bounds the error of cells with few rows.
    """
    if not isinstance(model.errors, LeftOutErrors):
        n_scores = 1 if model.n_groups == 2 else model.n_groups
        return np.full((*pair.shape, n_scores), np.nan)
    total = model.errors.times * model.errors.information[pair.columns[0]].sum(axis=0)
    share = (pair.rows / max(pair.rows.sum(), 1e-300))[..., None]
    entries = (
        centre_groups(pair.log_table) if len(total) > 1 or model.n_groups == 2 else pair.log_table
    )
    spread = (share * entries[..., : len(total)] ** 2).reshape(-1, len(total)).sum(axis=0)
    information = share * total + 1.0 / np.maximum(spread, 1e-300)
    return np.where(share > 0, np.sqrt((1.0 - share) / information), np.nan)
