"""The whole model as a table: the weight of evidence of every bin of every column."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities import PairTerm, Term, TextTerm, centre_groups
from bayfold.core.evidence.bins import Bins, describe_bins
from bayfold.core.evidence.curves import label_sides, name_pairs, weigh_numbers
from bayfold.core.evidence.records import Records
from bayfold.core.evidence.texts import describe_words, weigh_alone
from bayfold.core.kernels.encode import MISSING
from bayfold.core.schema import Schema
from bayfold.core.scoring import NaiveBayesModel


def describe_evidence(model: NaiveBayesModel, counts: JointCounts) -> Records:
    """Records of column, bin, lower, upper, class, count, total and weight.

    For two classes there is one record per bin, for the second class; otherwise one per bin and class.
    Of a column of text, the bins are the hundred words that speak most for each class (of two classes, for each
    side), with the weight of a word that stands alone in its cell, and count and total are of rows that have it.
    A bin of a curve (smoothed counts, kernels, a Gaussian) shows the weight at its middle. Pairs of columns come after
    the columns.
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
        bins = describe_bins(column_schema, term, table)
        in_bin = np.zeros((len(bins.labels), len(groups)))
        known = bins.of_code >= 0
        np.add.at(in_bin, bins.of_code[known], table[known])
        weights = _bin_weights(model, counts, term, bins)
        parts.append(record_bins(column_schema.name, bins, groups, shown, in_bin, weights))
    names = name_pairs(model.pairs, model.schema)
    for name, pair in zip(names, model.pairs, strict=True):
        parts.append(_pair_records(name, pair, model.schema, groups, shown))
    return Records({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def _pair_records(
    name: str, pair: PairTerm, schema: Schema, groups: np.ndarray, shown: list[int]
) -> dict[str, np.ndarray]:
    first, second = label_sides(pair, schema)
    labels = [f"{a} & {b}" for a in first[1:] for b in second[1:]]  # bin 0 gives no evidence
    nothing = np.full(len(labels), np.nan)
    bins = Bins(labels, nothing, nothing, np.empty(0, np.int64))
    counts = pair.counts[1:, 1:].reshape(len(labels), len(groups))
    weights = centre_groups(pair.log_table[1:, 1:]).reshape(len(labels), -1)
    return record_bins(name, bins, groups, shown, counts, weights)


def record_bins(
    name: str,
    bins: Bins,
    groups: np.ndarray,
    shown: list[int],
    in_bin: np.ndarray,
    weights: np.ndarray,
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
    }


def _is_nominal(model: NaiveBayesModel, term: Term) -> bool:
    return term.column not in model.schema.numeric_position


def _bin_weights(model: NaiveBayesModel, counts: JointCounts, term: Term, bins: Bins) -> np.ndarray:
    """Weight of each bin, one column per shown class."""
    if term.merge is not None or _is_nominal(model, term):
        by_code = centre_groups(term.tabulate(None))
        first_code = [int(np.flatnonzero(bins.of_code == k)[0]) for k in range(len(bins.labels))]
        return by_code[first_code]
    position = model.schema.numeric_position[term.column]
    low = counts.minimum[position]
    high = counts.maximum[position]
    middle = np.clip(bins.lower, low, high) / 2 + np.clip(bins.upper, low, high) / 2
    middle[MISSING] = np.nan
    middle[~np.isfinite(middle)] = np.nan  # no cell of the column was known: no middle, no weight
    return weigh_numbers(model, term.column, middle)
