"""A model of a numeric target as a table: what every bin of every column alone does to the prediction."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.densities import Term, TextTerm
from bayfold.core.evidence.bins import describe_bins
from bayfold.core.evidence.records import Records
from bayfold.core.evidence.words import SHOWN_WORDS, predict_words
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.regression import posterior

FIELDS = ("column", "bin", "lower", "upper", "count", "mean", "shift", "sd")
WORDS = ("column", "bin")


def describe_target_bins(
    model: NaiveBayesModel, counts: JointCounts, means: np.ndarray, variances: np.ndarray
) -> Records:
    """Records of column, bin, lower, upper, count, mean, shift and sd.

    Mean and standard deviation are those of the prediction for a row of which this cell alone is known, averaged over
    the training rows in the bin; the shift is the mean less that of the prior. Of a column of text, the bins are the
    words that move the mean most, a hundred upwards and a hundred downwards, each alone in its cell.

    Parameters
    ----------
    model : NaiveBayesModel
        Over groups of the target.
    counts : JointCounts
        Of the training rows.
    means, variances : ndarray of shape (n_groups,)
        Of the target within each group of the model.
    """
    prior = float((posterior(model.log_prior[None, :]) * means).sum())
    # each begins with nothing: a model that uses no column has a table without rows
    parts = {name: [np.empty(0, object if name in WORDS else np.float64)] for name in FIELDS}
    for term in model.terms:
        column_schema, table = model.schema.columns[term.column], counts.tables[term.column]
        if isinstance(term, TextTerm):
            found = _describe_words(model, column_schema.name, term, prior, means, variances)
            for name, column in zip(FIELDS, found, strict=True):
                parts[name].append(column)
            continue
        bins, rows = describe_bins(column_schema, term, table), table.sum(axis=1)
        by_code = _predict_codes(model, counts, term, means, variances)
        known = np.flatnonzero(bins.of_code >= 0)
        of_bin, n_bins = bins.of_code[known], len(bins.labels)
        total = np.bincount(of_bin, rows[known], n_bins)
        weights = np.where(total[of_bin] > 0, rows[known], 1.0)  # a bin without rows: its middle
        size = np.bincount(of_bin, weights, n_bins)
        mean, sd = (np.bincount(of_bin, weights * x[known], n_bins) / size for x in by_code)
        found = (bins.lower, bins.upper, total, mean, mean - prior, sd)
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
    means: np.ndarray,
    variances: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """The fields of the records of a column of text."""
    words, (mean, sd) = term.density.words, predict_words(model, term, means, variances)
    order = np.lexsort((words.hashes, -mean))
    chosen = np.append(order[:SHOWN_WORDS], order[SHOWN_WORDS:][-SHOWN_WORDS:])
    in_order = np.argsort(chosen)
    texts = np.empty(len(chosen), object)
    texts[in_order] = words.texts.take(chosen[in_order]).to_texts()
    nothing, shift = np.full(len(chosen), np.nan), mean[chosen] - prior
    column = np.full(len(chosen), name, object)
    return column, texts, nothing, nothing, words.totals[chosen], mean[chosen], shift, sd[chosen]


def _predict_codes(
    model: NaiveBayesModel,
    counts: JointCounts,
    term: Term,
    means: np.ndarray,
    variances: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the prediction for a row with each code of a column and nothing else."""
    is_numeric = term.column in model.schema.numeric_position
    centres = find_centres(model.schema, counts, term.column) if is_numeric else None
    evidence = term.tabulate(centres)
    mass = posterior(model.log_prior + np.nan_to_num(evidence - evidence.max(axis=1)[:, None]))
    mean = (mass * means).sum(axis=1)
    variance = (mass * (variances + (means - mean[:, None]) ** 2)).sum(axis=1)
    return mean, np.sqrt(variance)
