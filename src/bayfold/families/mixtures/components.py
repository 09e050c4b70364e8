"""Which columns make a component of a mixture."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities import QuadraticTerm, Term
from bayfold.core.evidence.bins import describe_bins, format_number
from bayfold.core.evidence.records import Records
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import ColumnSchema, NumericColumn
from bayfold.core.scoring import NaiveBayesModel

UNITS = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
"""Spreads of timestamps are told in the largest unit they reach."""


def describe_components(model: NaiveBayesModel, counts: JointCounts) -> Records:
    """Records of component, share, column, typical and weight.

    ``typical`` is mean and standard deviation, or the most frequent bin with its probability. ``weight`` is
    what the column's cells tell, on average over the component's rows, for this component against all rows together:
    the Kullback-Leibler divergence from the column's overall distribution, in nats.
    """
    n_groups, names = model.n_groups, model.schema.names
    weights = np.array([_divergence(model, counts, term) for term in model.terms])
    typical = [_typical(model.schema.columns[t.column], counts, t) for t in model.terms]
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
    """Of each group's distribution of fine bins from the overall one, both as they were counted."""
    known = counts.tables[term.column][FIRST_BIN:]
    total = known.sum()
    if not total > 0:
        return np.zeros(model.n_groups)
    if isinstance(term, QuadraticTerm):
        return _gaussian_divergence(term, counts)
    log_p = term.log_table[FIRST_BIN:]  # type: ignore[union-attr]
    p = known / np.maximum(known.sum(axis=0), 1e-300)
    prior = np.exp(model.log_prior)
    log_all = np.log(np.maximum(np.exp(log_p) @ prior, 1e-300))
    return np.maximum((p * (np.maximum(log_p, -700.0) - log_all[:, None])).sum(axis=0), 0.0)


def _gaussian_divergence(term: QuadraticTerm, counts: JointCounts) -> np.ndarray:
    """From the normal distribution of all rows."""
    described = counts.schema.columns[term.column]  # type: ignore[union-attr]
    assert isinstance(described, NumericColumn)
    weight, first, second = counts.moments[term.column].sum(axis=1)
    mean = described.shift + described.scale * first / weight
    variance = (second / weight - (first / weight) ** 2) * described.scale**2
    if not variance > 0 or not term.inverse_sd.all():
        return np.zeros(len(term.mean))
    ratio = 1.0 / (term.inverse_sd**2 * variance)
    return 0.5 * (ratio + (term.mean - mean) ** 2 / variance - 1.0 - np.log(ratio))


def _spread(sd: float, is_time: bool) -> str:
    """A standard deviation; of times in the largest unit of which it has one."""
    if not is_time:
        return f"{sd:.3g}"
    name, unit = next((name, unit) for name, unit in UNITS if sd >= unit or unit == 1.0)
    return f"{sd / unit:.3g} {name}"


def _typical(described: ColumnSchema, counts: JointCounts, term: Term) -> list[str]:
    if isinstance(term, QuadraticTerm):
        assert isinstance(described, NumericColumn)
        if not term.inverse_sd.all():
            return [""] * len(term.mean)
        return [
            f"{format_number(mean, described.is_time)} ± {_spread(1.0 / inverse, described.is_time)}"
            for mean, inverse in zip(term.mean, term.inverse_sd, strict=True)
        ]
    bins = describe_bins(described, term, counts.tables[term.column])
    in_bin = np.zeros((len(bins.labels), len(counts.groups)))
    shown = bins.of_code >= 0
    np.add.at(in_bin, bins.of_code[shown], counts.tables[term.column][shown])
    in_bin = in_bin[1:]  # without the missing cells
    if not in_bin.sum() > 0:
        return [""] * in_bin.shape[1]
    share = in_bin / np.maximum(in_bin.sum(axis=0), 1e-300)
    best = share.argmax(axis=0)
    return [f"{bins.labels[b + 1]} ({share[b, g]:.0%})" for g, b in enumerate(best)]
