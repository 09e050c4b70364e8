"""From a finished run to statistics and a model like any other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import CodeLayout, JointCounts
from bayfold.core.densities import Term, estimate_gaussian, estimate_nominal, estimate_numeric
from bayfold.core.densities.gaussian import mean_and_variance
from bayfold.core.schema import NominalColumn, NumericColumn
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.derive import log_priors
from bayfold.families.mixtures.em import EMProblem, EMRun
from bayfold.families.mixtures.rows import MixtureRows

EMPTY = 1e-8
"""A component with less than this share of the weight has died out."""


def count_components(problem: EMProblem, run: EMRun) -> JointCounts:
    """Statistics of the components, largest first; those that died out are left away."""
    rows, totals = problem.rows, run.sums.totals
    alive = np.argsort(-totals, kind="stable")
    alive = alive[totals[alive] > EMPTY * totals.sum()]
    membership = problem.find_posteriors(run.terms)[0][:, alive]
    membership /= membership.sum(axis=1, keepdims=True)
    return count_memberships(rows, membership * rows.weights[:, None])


def count_memberships(rows: MixtureRows, membership: np.ndarray) -> JointCounts:
    """Statistics of rows that belong to groups in part: ``membership[row, group]``, weights included."""
    schema, n_groups = rows.schema, membership.shape[1]
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
    column_schema, settings = rows.schema.columns[j], rows.settings
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
