"""The whole model as a table: the weight of evidence of every bin of every column."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.densities import PairTerm, Term, TextTerm, centre_groups
from bayfold.core.evidence.bins import Bins, describe_bins
from bayfold.core.evidence.curves import is_curve, label_cells, name_pairs
from bayfold.core.evidence.errors import bound, find_errors, find_pair_errors, sum_by_bin
from bayfold.core.evidence.records import Records
from bayfold.core.evidence.texts import describe_words, weigh_alone
from bayfold.core.schema import Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.monotone import find_wrong_steps


def describe_evidence(model: NaiveBayesModel, counts: JointCounts) -> Records:
    """Records of column, bin, lower, upper, class, count, total and weight.

    For two classes there is one record per bin, for the second class; otherwise one per bin and class.
    Of a column of text, the bins are the hundred words that speak most for each class (of two classes, for each
    side), with the weight of a word that stands alone in its cell, and count and total are of rows that have it.
    A curve (smoothed counts, kernels, a Gaussian) is cut into bins where its weight changes; the weight of a bin is the
    mean over its training rows, each at the middle of its fine bin. Pairs of columns come after the columns.
    """
    groups = counts.groups
    shown = [len(groups) - 1] if len(groups) <= 2 else list(range(len(groups)))
    parts = []
    for term in model.evidence_terms:
        column_schema = model.schema.columns[term.column]
        table = counts.tables[term.column]
        if isinstance(term, TextTerm):
            weights = weigh_alone(model, term)
            parts.append(describe_words(column_schema.name, term, weights, groups, shown))
            continue
        bins = find_bins(model, counts, term.column)
        weights = _bin_weights(weigh_codes(model.schema, counts, term), table.sum(axis=1), bins)
        errors = find_errors(model, counts, model.terms[term.column], bins, weights)
        in_bin = sum_by_bin(bins, table)
        parts.append(record_bins(column_schema.name, bins, groups, shown, in_bin, weights, errors))
    names = name_pairs(model.pairs, model.schema)
    for name, pair in zip(names, model.pairs, strict=True):
        parts.append(_pair_records(name, pair, model, groups, shown))
    return Records({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def _pair_records(
    name: str, pair: PairTerm, model: NaiveBayesModel, groups: np.ndarray, shown: list[int]
) -> dict[str, np.ndarray]:
    labels = label_cells(pair, model.schema)
    nothing = np.full(len(labels), np.nan)
    bins = Bins(labels, nothing, nothing, np.empty(0, np.int64))
    counts = pair.counts[pair.known].reshape(len(labels), len(groups))
    weights = centre_groups(pair.log_table[pair.known]).reshape(len(labels), -1)
    errors = find_pair_errors(model, pair)[pair.known].reshape(weights.shape)
    return record_bins(name, bins, groups, shown, counts, weights, errors)


def record_bins(
    name: str,
    bins: Bins,
    groups: np.ndarray,
    shown: list[int],
    in_bin: np.ndarray,
    weights: np.ndarray,
    errors: np.ndarray,
) -> dict[str, np.ndarray]:
    """Records of one column: each bin for each shown group."""
    n_bins = len(bins.labels)
    n_shown = len(shown)
    return {
        "column": np.full(n_bins * n_shown, name, object),
        "bin": np.repeat(np.array(bins.labels, object), n_shown),
        "lower": np.repeat(bins.lower, n_shown),
        "upper": np.repeat(bins.upper, n_shown),
        "class": np.tile(groups[shown], n_bins),
        "count": in_bin[:, shown].ravel(),
        "total": np.repeat(in_bin.sum(axis=1), n_shown),
        "weight": weights.ravel(),
        **bound(weights.ravel(), errors.ravel()),
    }


def describe_wrong_steps(model: NaiveBayesModel) -> Records:
    """Records of column, direction, value and step: steps of scores against the order that the model promises."""
    wrong = list(find_wrong_steps(model))
    schema = model.schema
    directions = {} if model.monotone is None else model.monotone.directions
    edges = [schema.columns[w.column].edges[w.bin] for w in wrong]  # type: ignore[union-attr]
    return Records(
        {
            "column": np.array([schema.names[w.column] for w in wrong], object),
            "direction": np.array([directions[w.column] for w in wrong], object),
            "value": np.array(edges, np.float64),
            "step": np.array([w.step for w in wrong], np.float64),
        }
    )


def find_bins(model: NaiveBayesModel, counts: JointCounts, column: int) -> Bins:
    """The bins that a column is shown in."""
    term = model.terms[column]
    shown = weigh_codes(model.schema, counts, term) if is_curve(term) else None
    return describe_bins(model.schema.columns[column], term, counts.tables[column], shown)


def weigh_codes(schema: Schema, counts: JointCounts, term: Term) -> np.ndarray:
    """The weight of evidence of every code; of a curve at the middle of each fine bin."""
    is_number = term.column in schema.numeric_position
    return centre_groups(
        term.tabulate(find_centres(schema, counts, term.column) if is_number else None)
    )


def _bin_weights(by_code: np.ndarray, rows: np.ndarray, bins: Bins) -> np.ndarray:
    """Mean weight over the rows of each bin, or over its codes where it has no rows; exact where these are equal."""
    known = bins.of_code >= 0
    of_bin = bins.of_code[known]
    n_bins = len(bins.labels)
    _, first = np.unique(of_bin, return_index=True)
    alike = by_code[known][first]
    if (by_code[known] == alike[of_bin]).all():
        return alike
    has_rows = np.bincount(of_bin, rows[known], n_bins)[of_bin] > 0
    share = np.where(has_rows, rows[known], 1.0)
    share /= np.bincount(of_bin, share, n_bins)[of_bin]
    parts = np.where(share[:, None] > 0, share[:, None] * by_code[known], 0.0)
    return np.stack([np.bincount(of_bin, part, n_bins) for part in parts.T], axis=1)
