"""Which columns make a component of a mixture."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities import QuadraticTerm, TableTerm, Term
from bayfold.core.evidence.bins import describe_bins, format_normal
from bayfold.core.evidence.records import Records
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import ColumnSchema, NumericColumn
from bayfold.core.scoring import NaiveBayesModel


def describe_components(model: NaiveBayesModel, counts: JointCounts) -> Records:
    """Records of component, share, column, typical and weight.

    ``typical`` is mean and standard deviation, or the most frequent bin with its probability. ``weight`` is
    what the column's cells tell, on average over the component's rows, for this component against all rows together:
    the Kullback-Leibler divergence from the column's overall distribution, in nats.
    """
    n_groups, names = model.n_groups, model.schema.names
    weights = np.array([_divergence(model, counts, term) for term in model.terms])
    typical = [describe_typical(t, model.schema.columns[t.column], counts) for t in model.terms]
    shares = np.exp(model.log_prior)
    records: dict[str, list] = {
        "component": [],
        "share": [],
        "column": [],
        "typical": [],
        "weight": [],
    }
    for g in range(n_groups):
        for j in np.argsort(-weights[:, g], kind="stable"):
            row = (g, shares[g], names[j], typical[j][g], weights[j, g])
            for column, value in zip(records.values(), row, strict=True):
                column.append(value)
    texts = ("column", "typical")
    return Records({k: np.array(v, object if k in texts else None) for k, v in records.items()})


def _divergence(model: NaiveBayesModel, counts: JointCounts, term: Term) -> np.ndarray:
    if not counts.tables[term.column][FIRST_BIN:].any():
        return np.zeros(model.n_groups)
    return find_divergence(term, counts, np.exp(model.log_prior))


@singledispatch
def find_divergence(term: Term, counts: JointCounts, prior: np.ndarray) -> np.ndarray:
    """Of each group's distribution of a column from the overall one."""
    raise NotImplementedError(term.kind)


@find_divergence.register
def _table_divergence(term: TableTerm, counts: JointCounts, prior: np.ndarray) -> np.ndarray:
    """Of the distributions of fine bins, as they were counted."""
    known = counts.tables[term.column][FIRST_BIN:]
    log_p = term.log_table[FIRST_BIN:]
    p = known / np.maximum(known.sum(axis=0), 1e-300)
    log_all = np.log(np.maximum(np.exp(log_p) @ prior, 1e-300))
    return np.maximum((p * (np.maximum(log_p, -700.0) - log_all[:, None])).sum(axis=0), 0.0)


@find_divergence.register
def _gaussian_divergence(term: QuadraticTerm, counts: JointCounts, prior: np.ndarray) -> np.ndarray:
    """From the normal distribution of all rows; standardized, since a variance may be no float in the table's unit."""
    column_schema = counts.schema.columns[term.column]  # type: ignore[union-attr]
    assert isinstance(column_schema, NumericColumn)
    weight, first, second = counts.moments[term.column].sum(axis=1)
    mean, variance = first / weight, second / weight - (first / weight) ** 2
    if not variance > 0 or not term.inverse_sd.all():
        return np.zeros(len(term.mean))
    ratio = 1.0 / ((term.inverse_sd * column_schema.scale) ** 2 * variance)
    distance = (term.mean - column_schema.shift) / column_schema.scale - mean
    return 0.5 * (ratio + distance**2 / variance - 1.0 - np.log(ratio))


@singledispatch
def describe_typical(term: Term, column_schema: ColumnSchema, counts: JointCounts) -> list[str]:
    """What is typical of a column in each group, in words."""
    raise NotImplementedError(term.kind)


@describe_typical.register
def _typical_normal(
    term: QuadraticTerm, column_schema: NumericColumn, counts: JointCounts
) -> list[str]:
    if not term.inverse_sd.all():
        return [""] * len(term.mean)
    return [
        format_normal(mean, 1.0 / inverse, column_schema.zone)
        for mean, inverse in zip(term.mean, term.inverse_sd, strict=True)
    ]


@describe_typical.register
def _typical_bin(term: TableTerm, column_schema: ColumnSchema, counts: JointCounts) -> list[str]:
    bins = describe_bins(column_schema, term, counts.tables[term.column])
    in_bin = np.zeros((len(bins.labels), len(counts.groups)))
    shown = bins.of_code >= 0
    np.add.at(in_bin, bins.of_code[shown], counts.tables[term.column][shown])
    in_bin = in_bin[1:]  # without the missing cells
    if not in_bin.sum() > 0:
        return [""] * in_bin.shape[1]
    share = in_bin / np.maximum(in_bin.sum(axis=0), 1e-300)
    best = share.argmax(axis=0)
    return [f"{bins.labels[b + 1]} ({share[b, g]:.0%})" for g, b in enumerate(best)]
