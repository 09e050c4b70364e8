"""Evidence of models of a numeric target: how far each bin alone, or each cell of a row, moves mean and variance."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.densities import Term, TextTerm
from bayfold.core.evidence.bins import describe_bins
from bayfold.core.evidence.errors import bound
from bayfold.core.evidence.records import Records
from bayfold.core.evidence.rows import PRIOR, name_rows, shown_values
from bayfold.core.evidence.texts import SHOWN_WORDS, predict_words
from bayfold.core.frames import Table
from bayfold.core.scoring import NaiveBayesModel, Scorer
from bayfold.core.scoring.errors import ShiftErrors
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.regression import TargetMoments, posterior

FIELDS = ("column", "bin", "lower", "upper", "count", "mean", "shift", "low", "high", "sd")
WORDS = ("column", "bin")


def describe_target_bins(
    model: NaiveBayesModel, counts: JointCounts, moments: TargetMoments
) -> Records:
    """Records of column, bin, lower, upper, count, mean, shift, low, high and sd.

    Mean and standard deviation are those of the prediction for a row of which this cell alone is known, averaged over
    the training rows in the bin; the shift is the mean less that of the prior. Of a column of text, the bins are the
    words that move the mean most, a hundred upwards and a hundred downwards, each alone in its cell.

    ``low`` and ``high`` hold 95 % of shifts: the standard error is that of the mean of the rows of a bin, ``sd``
    divided by the root of their number, times the weight of the column, whose own error is added.

    Parameters
    ----------
    model : NaiveBayesModel
        Over groups of the target.
    counts : JointCounts
        Of the training rows.
    moments : TargetMoments
    """
    prior = float(moments.read(model.log_prior[None, :])[0][0])
    # each begins with nothing: a model that uses no column has a table without rows
    parts = {name: [np.empty(0, object if name in WORDS else np.float64)] for name in FIELDS}
    for term in model.terms:
        column_schema = model.schema.columns[term.column]
        table = counts.tables[term.column]
        if isinstance(term, TextTerm):
            found = _describe_words(model, column_schema.name, term, prior, moments)
            for name, column in zip(FIELDS, found, strict=True):
                parts[name].append(column)
            continue
        bins = describe_bins(column_schema, term, table)
        rows = table.sum(axis=1)
        by_code = _predict_codes(model, counts, term, moments)
        known = np.flatnonzero(bins.of_code >= 0)
        of_bin = bins.of_code[known]
        n_bins = len(bins.labels)
        total = np.bincount(of_bin, rows[known], n_bins)
        weights = np.where(total[of_bin] > 0, rows[known], 1.0)  # a bin without rows: its middle
        size = np.bincount(of_bin, weights, n_bins)
        mean, sd = (np.bincount(of_bin, weights * x[known], n_bins) / size for x in by_code)
        errors = find_mean_errors(sd, total, rows.sum())
        if isinstance(model.errors, ShiftErrors):
            own = (mean - prior) * model.errors.relative[term.column]
            errors = np.hypot(errors * model.errors.weights[term.column], own)
        bounds = bound(mean - prior, errors)
        found = (bins.lower, bins.upper, total, mean, mean - prior, *bounds.values(), sd)
        parts["column"].append(np.full(n_bins, column_schema.name, object))
        parts["bin"].append(np.array(bins.labels, object))
        for name, column in zip(FIELDS[2:], found, strict=True):
            parts[name].append(column)
    return Records({name: np.concatenate(part) for name, part in parts.items()})


def _describe_words(
    model: NaiveBayesModel,
    name: str,
    term: TextTerm,
    prior: float,
    moments: TargetMoments,
) -> tuple[np.ndarray, ...]:
    """The fields of the records of a column of text."""
    words = term.density.words
    (mean, sd) = predict_words(model, term, moments)
    order = np.lexsort((words.hashes, -mean))
    chosen = np.append(order[:SHOWN_WORDS], order[SHOWN_WORDS:][-SHOWN_WORDS:])
    in_order = np.argsort(chosen)
    texts = np.empty(len(chosen), object)
    texts[in_order] = words.texts.take(chosen[in_order]).to_texts()
    nothing = np.full(len(chosen), np.nan)
    shift = mean[chosen] - prior
    column = np.full(len(chosen), name, object)
    total = words.totals[chosen]
    bounds = bound(shift, find_mean_errors(sd[chosen], total, np.inf)).values()
    return column, texts, nothing, nothing, total, mean[chosen], shift, *bounds, sd[chosen]


def find_mean_errors(sd: np.ndarray, rows: np.ndarray, of_all: float) -> np.ndarray:
    """Standard errors of means of some of all rows beside the mean of all; NaN of none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rows > 0, sd * np.sqrt(np.maximum(1.0 / rows - 1.0 / of_all, 0.0)), np.nan)


def _predict_codes(
    model: NaiveBayesModel,
    counts: JointCounts,
    term: Term,
    moments: TargetMoments,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the prediction for a row with each code of a column and nothing else."""
    is_numeric = term.column in model.schema.numeric_position
    centres = find_centres(model.schema, counts, term.column) if is_numeric else None
    evidence = term.tabulate(centres)
    scores = model.log_prior + np.nan_to_num(evidence - evidence.max(axis=1)[:, None])
    mean, variance = moments.read(scores)
    return mean, np.sqrt(variance)


N_POWERS = 16
"""Gauss points of the integral over the power with which the evidence enters."""

BLOCK_ENTRIES = 1 << 20
"""Evidence of so many rows, columns and groups is held at once: 8 MB, whatever the number of rows."""


def record_shifts(predictor: Predictor, table: Table, moments: TargetMoments) -> Records:
    """Records of row, column, value, shift and variance; the first of each row is the prior."""
    model = predictor.model
    coded = predictor.coder.open(table)
    n_rows = table.n_rows
    n_columns = len(model.schema.columns)
    scorers = [
        Scorer(model, centred=False, columns=[j], with_prior=False) for j in range(n_columns)
    ]
    shifts, changes = np.empty((2, n_rows, 1 + n_columns))
    size = max(BLOCK_ENTRIES // max(n_columns * len(moments.means), 1), 1)
    for start in range(0, n_rows, size):
        rows = slice(start, min(start + size, n_rows))
        block = coded.block(rows.start, rows.stop)
        evidence = np.stack([scorer.score(block) for scorer in scorers], axis=1)
        shifts[rows], changes[rows] = share_out(evidence, model.log_prior, moments)
    values = [np.full(n_rows, None, object)]
    values += [shown_values(column, table, j) for j, column in enumerate(model.schema.columns)]
    names = np.array([PRIOR, *model.schema.names], object)
    return Records(
        {
            **name_rows(table, np.repeat(np.arange(n_rows), 1 + n_columns)),
            "column": np.tile(names, n_rows),
            "value": np.stack(values, axis=1).ravel(),
            "shift": shifts.ravel(),
            "variance": changes.ravel(),
        }
    )


def share_out(
    evidence: np.ndarray, log_prior: np.ndarray, moments: TargetMoments
) -> tuple[np.ndarray, np.ndarray]:
    """Shifts of the mean and changes of the variance by the prior and each column.

    Parameters
    ----------
    evidence : ndarray of shape (n_rows, n_columns, n_groups)
    log_prior : ndarray of shape (n_groups,)
    moments : TargetMoments

    Returns
    -------
    shifts, changes : ndarray of shape (n_rows, 1 + n_columns)
        Adding up to the mean and the variance of each row's distribution.
    """
    n_rows, _, n_groups = evidence.shape
    together = evidence.sum(axis=1)
    prior = moments.read(log_prior[None, :])
    full = moments.read(log_prior + together)
    means = moments.means
    # what each group's evidence does to mean and variance, averaged over the powers: the evidence itself stays the same
    to_mean, to_variance = np.zeros((2, n_rows, n_groups))
    nodes, lengths = np.polynomial.legendre.leggauss(N_POWERS)
    for t, length in zip((nodes + 1) / 2, lengths / 2, strict=True):
        mass = posterior(log_prior + t * together)
        centred = means - (mass * means).sum(axis=1, keepdims=True)
        square = centred**2 + moments.variances
        spread = square - (mass * square).sum(axis=1, keepdims=True)
        to_mean += length * mass * centred
        to_variance += length * mass * spread
    shifts = close_shares(np.einsum("ng,njg->nj", to_mean, evidence), full[0] - prior[0])
    changes = close_shares(np.einsum("ng,njg->nj", to_variance, evidence), full[1] - prior[1])
    return (
        np.concatenate([np.tile(prior[0], (n_rows, 1)), shifts], axis=1),
        np.concatenate([np.tile(prior[1], (n_rows, 1)), changes], axis=1),
    )


def close_shares(shares: np.ndarray, total: np.ndarray) -> np.ndarray:
    """What the quadrature left over, or a correction adds, given to the columns in proportion to what they did."""
    size = np.abs(shares)
    whole = size.sum(axis=1, keepdims=True)
    part = np.divide(size, whole, out=np.zeros_like(size), where=whole > 0)
    return shares + part * (total - shares.sum(axis=1))[:, None]
