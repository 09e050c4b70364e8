"""From a finished run to statistics and a model like any other.
New rows drawn from a mixture.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import CodeLayout, JointCounts
from bayfold.core.densities import (
    QuadraticTerm,
    TableTerm,
    Term,
    estimate_gaussian,
    estimate_nominal,
    estimate_numeric,
)
from bayfold.core.densities.gaussian import mean_and_variance
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.derive import log_priors
from bayfold.families.mixtures.em import EMProblem, EMRun
from bayfold.families.mixtures.rows import MixtureRows

EMPTY = 1e-8
"""A component with less than this share of the weight has died out."""


def count_components(problem: EMProblem, run: EMRun) -> JointCounts:
    """Statistics of the components, largest first; those that died out are left away."""
    rows = problem.rows
    totals = run.sums.totals
    alive = np.argsort(-totals, kind="stable")
    alive = alive[totals[alive] > EMPTY * totals.sum()]
    membership = problem.find_posteriors(run.terms)[0][:, alive]
    membership /= membership.sum(axis=1, keepdims=True)
    return count_memberships(rows, membership * rows.weights[:, None])


def count_memberships(rows: MixtureRows, membership: np.ndarray) -> JointCounts:
    """Statistics of rows that belong to groups in part: ``membership[row, group]``, weights included."""
    schema = rows.schema
    n_groups = membership.shape[1]
    membership = np.ascontiguousarray(membership)
    layout = CodeLayout(schema, n_groups)
    flat = layout.zeros()
    layout.count_fractional(rows.block, membership, flat)
    schemas = [schema.columns[j] for j in rows.gaussians]
    moments = np.zeros((len(schemas), 3, n_groups))
    kernels.sum_moments_fractional(
        rows.block.values,
        np.array([schema.numeric_position[j] for j in rows.gaussians], np.int64),
        np.array([column.shift for column in schemas]),  # type: ignore[union-attr]
        np.array([column.scale for column in schemas]),  # type: ignore[union-attr]
        membership,
        moments,
    )
    return JointCounts(
        schema,
        np.arange(n_groups),
        layout.cut(flat),
        membership.sum(axis=0),
        rows.overall.minimum,
        rows.overall.maximum,
        dict(zip(rows.gaussians, moments, strict=True)),
    )


def derive_mixture(rows: MixtureRows, counts: JointCounts) -> NaiveBayesModel:
    """The model of the statistics: an M-step with the bins that EM used."""
    terms = tuple(_derive_term(rows, counts, j) for j in range(len(rows.schema.columns)))
    return NaiveBayesModel(rows.schema, log_priors(counts), terms)


def _derive_term(rows: MixtureRows, counts: JointCounts, j: int) -> Term:
    column_schema = rows.schema.columns[j]
    settings = rows.settings
    if isinstance(column_schema, NominalColumn):
        return estimate_nominal(j, counts.tables[j], settings.smoothing, False)
    assert isinstance(column_schema, NumericColumn)
    if settings.methods[j] == "values":
        table = estimate_nominal(j, counts.tables[j], settings.smoothing, False)
        return replace(table, merge=rows.merges[j])
    if j in rows.merges:
        return estimate_numeric(
            j,
            column_schema,
            rows.bounds(j),
            counts.tables[j],
            rows.merges[j],
            settings.smoothing,
            False,
        )
    least = rows.least_variances[rows.gaussians.index(j)]
    variance = float(mean_and_variance(counts.moments[j].sum(axis=1, keepdims=True))[1][0])
    floor = max(settings.variance_floor, least / variance) if variance > 0 else 0.0
    return estimate_gaussian(j, column_schema, counts.moments[j], floor)


def draw_mixture_rows(
    model: NaiveBayesModel, counts: JointCounts, n_rows: int, rng: np.random.RandomState
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Columns of new rows, without missing cells, and the group of each row."""
    shares = np.exp(model.log_prior)
    groups = rng.choice(len(shares), size=n_rows, p=shares / shares.sum())
    columns: dict[str, np.ndarray] = {}
    for column_schema, term in zip(model.schema.columns, model.terms, strict=True):
        columns[column_schema.name] = draw_column(term, column_schema, counts, groups, rng)
        if isinstance(column_schema, NumericColumn) and column_schema.is_time:
            columns[column_schema.name] = _as_times(columns[column_schema.name])
    return columns, groups


@singledispatch
def draw_column(
    term: Term,
    column_schema: ColumnSchema,
    counts: JointCounts,
    groups: np.ndarray,
    rng: np.random.RandomState,
) -> np.ndarray:
    """A value for each row from its group's distribution."""
    raise NotImplementedError(term.kind)


@draw_column.register
def _draw_by_table(
    term: TableTerm,
    column_schema: ColumnSchema,
    counts: JointCounts,
    groups: np.ndarray,
    rng: np.random.RandomState,
) -> np.ndarray:
    if isinstance(column_schema, NominalColumn):
        return _draw_labels(term, column_schema, counts, groups, rng)
    assert isinstance(column_schema, NumericColumn)
    return _draw_in_bins(term, column_schema, counts, groups, rng)


def _as_times(seconds: np.ndarray) -> np.ndarray:
    known = np.isfinite(seconds)
    ticks = np.round(np.where(known, seconds, 0.0) * 1e6).astype("datetime64[us]")
    return np.where(known, ticks, np.datetime64("NaT", "us"))


def _draw_codes(
    log_table: np.ndarray, counts: np.ndarray, groups: np.ndarray, rng: np.random.RandomState
) -> np.ndarray:
    """A row of the table for each group, by its probabilities, among the values that occur."""
    occurs = counts.sum(axis=1) > 0
    ladder = np.cumsum(np.where(occurs[:, None], np.exp(log_table), 0.0), axis=0)
    height = rng.random_sample(len(groups)) * ladder[-1, groups]
    return (ladder[:, groups] <= height).sum(axis=0).clip(max=int(np.flatnonzero(occurs)[-1]))


def _draw_labels(
    term: TableTerm,
    column_schema: NominalColumn,
    counts: JointCounts,
    groups: np.ndarray,
    rng: np.random.RandomState,
) -> np.ndarray:
    labels = np.array([*column_schema.categories, *(["(other)"] * column_schema.has_other)], object)
    known = counts.tables[term.column][FIRST_BIN:]
    if not known.any():
        return np.full(len(groups), None, object)
    return labels[_draw_codes(term.log_table[FIRST_BIN:], known, groups, rng)]


@draw_column.register
def _draw_normal(
    term: QuadraticTerm,
    column_schema: NumericColumn,
    counts: JointCounts,
    groups: np.ndarray,
    rng: np.random.RandomState,
) -> np.ndarray:
    normal = rng.standard_normal(len(groups))
    if term.inverse_sd.any():
        return term.mean[groups] + normal / term.inverse_sd[groups]
    low = counts.minimum[counts.schema.numeric_position[term.column]]  # type: ignore[union-attr]
    return np.full(len(groups), low if np.isfinite(low) else np.nan)


def _draw_in_bins(
    term: TableTerm,
    column_schema: NumericColumn,
    counts: JointCounts,
    groups: np.ndarray,
    rng: np.random.RandomState,
) -> np.ndarray:
    """A bin by its probability, and its value, or a number anywhere in it."""
    assert counts.schema is not None
    position = counts.schema.numeric_position[term.column]
    low = float(counts.minimum[position])
    high = float(counts.maximum[position])
    if not high > low:
        return np.full(len(groups), low if np.isfinite(low) else np.nan)
    merge = term.merge if term.merge is not None else np.arange(column_schema.n_bins)
    first = np.flatnonzero(np.diff(merge, prepend=-1))
    known = np.add.reduceat(counts.tables[term.column][FIRST_BIN:], first, axis=0)
    bins = _draw_codes(term.log_table[FIRST_BIN:][first], known, groups, rng)
    if term.log_unit is None:  # a probability of values
        return column_schema.values[bins]  # type: ignore[index]
    cuts = np.clip(column_schema.edges[first[1:] - 1], low, high)
    lower = np.append(low, cuts)
    upper = np.append(cuts, high)
    return lower[bins] + rng.random_sample(len(groups)) * (upper - lower)[bins]
