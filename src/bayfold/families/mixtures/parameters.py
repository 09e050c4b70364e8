"""The parameters of ``NaiveBayesMixture``, checked and made ready for EM, and the columns that describe a component."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.columns import check_densities, find_column, resolve_n_bins
from bayfold.core.counts import JointCounts
from bayfold.core.densities import QuadraticTerm, Smoothing, TableTerm, Term
from bayfold.core.evidence.bins import describe_bins, format_normal
from bayfold.core.evidence.records import Records
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import ColumnSchema, NumericColumn, Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.derive import Settings
from bayfold.families.mixtures.em import EMSettings
from bayfold.families.mixtures.rows import MixtureRows
from bayfold.families.mixtures.search import numbers_to_try


def describe_components(model: NaiveBayesModel, counts: JointCounts) -> Records:
    """Records of component, share, column, typical and weight.

    ``typical`` is mean and standard deviation, or the most frequent bin with its probability. ``weight`` is
    what the column's cells tell, on average over the component's rows, for this component against all rows together:
    the Kullback-Leibler divergence from the column's overall distribution, in nats.
    """
    n_groups = model.n_groups
    names = model.schema.names
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
    mean = first / weight
    variance = second / weight - (first / weight) ** 2
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


MIXTURE_METHODS = ("auto", "gaussian", "equal_frequency", "equal_width")
MOST_COMPONENTS = 50
"""Where the search for the number of components ends at the latest."""


def resolve_mixture_methods(numeric: Any, names: list[str]) -> dict[int, str]:
    """The density of every column: one for all, or a dict by column; ``"auto"`` for the rest."""
    given = numeric if isinstance(numeric, Mapping) else dict.fromkeys(range(len(names)), numeric)
    methods = dict.fromkeys(range(len(names)), MIXTURE_METHODS[0])
    for column, method in given.items():
        if not isinstance(method, str) or method not in MIXTURE_METHODS:
            raise errors.bad_by_column("numeric", errors.list_choices(MIXTURE_METHODS), method)
        methods[find_column("numeric", column, names)] = method
    return methods


def resolve_settings(mixture: Any, schema: Schema) -> Settings:
    """How terms are derived from statistics."""
    errors.check_number("m", mixture.m, above=True)
    errors.check_number("variance_floor", mixture.variance_floor)
    methods = resolve_mixture_methods(mixture.numeric, schema.names)
    n_bins = resolve_n_bins(mixture.n_bins, schema.names)
    smoothing = Smoothing.parse(mixture.smoothing, mixture.m)
    check_densities(mixture, methods, schema.names, either=["auto"])
    return Settings(
        methods=methods,
        n_bins=n_bins,
        smoothing=smoothing,
        variance_floor=float(mixture.variance_floor),
    )


def resolve_em(mixture: Any) -> EMSettings:
    """How EM is run; the number of folds is checked with it."""
    errors.check_whole("n_init", mixture.n_init, 1)
    errors.check_whole("max_iter", mixture.max_iter, 1)
    errors.check_whole("n_folds", mixture.n_folds, 2)
    errors.check_number("tol", mixture.tol)
    errors.check_flag("progress", mixture.progress)
    if errors.is_whole(mixture.n_components):
        errors.check_unused(mixture, "n_folds", "a given number of components")
    if not isinstance(mixture.init, str):
        errors.check_unused(mixture, "n_init", "given memberships to start from")
    return EMSettings(int(mixture.n_init), int(mixture.max_iter), float(mixture.tol))


def resolve_numbers(n_components: Any, n_rows: int) -> list[int]:
    """The numbers of components to try, in increasing order."""
    if isinstance(n_components, str) and n_components == "cv":
        return numbers_to_try(max(min(MOST_COMPONENTS, n_rows // 2), 1))
    several = isinstance(n_components, Iterable) and not isinstance(n_components, str)
    numbers = list(n_components) if several else [n_components]
    valid = all(errors.is_whole(number) and number >= 1 for number in numbers)
    if not numbers or not valid:
        raise errors.bad_n_components(n_components)
    if max(numbers) > n_rows:
        raise errors.too_many_components(max(numbers), n_rows)
    return sorted({int(number) for number in numbers})


def resolve_start(mixture: Any, rows: MixtureRows, counted: np.ndarray) -> np.ndarray | None:
    """Memberships of the distinct rows to start from, one row per component; None for seeds.

    ``counted`` tells which of the rows given have a weight.
    """
    init = mixture.init
    n_components = mixture.n_components
    if isinstance(init, str) and init == "seeds":
        return None
    if isinstance(init, str) or not errors.is_whole(n_components):
        raise errors.bad_start(init)
    shares = _read_shares(init, (len(counted), int(n_components)), counted)
    n_equal = np.bincount(rows.inverse, minlength=rows.n_rows)
    return np.array([np.bincount(rows.inverse, share) / n_equal for share in shares.T])


def _read_shares(init: Any, shape: tuple[int, int], counted: np.ndarray) -> np.ndarray:
    """Memberships of the rows that count, adding up to one."""
    try:
        shares = np.asarray(init, np.float64)
    except (TypeError, ValueError):
        raise errors.bad_start("no array of numbers") from None
    if shares.shape != shape:
        raise errors.bad_start(shares.shape)
    total = shares.sum(axis=1, keepdims=True)
    for wrong, what in (
        (~(shares >= 0).all(axis=1), "a share that is negative or missing"),
        (~(total[:, 0] > 0), "only zeros"),
        (~np.isfinite(total[:, 0]), "infinity"),
    ):
        found = np.flatnonzero(wrong & counted)
        if len(found):
            raise errors.bad_start(f"{what} in row {found[0]}")
    return (shares / np.where(counted[:, None], total, 1.0))[counted]
