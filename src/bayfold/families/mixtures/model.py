"""From a finished run of EM to the statistics of the components, a model, and new rows drawn from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.core import densities, kernels
from bayfold.core.counts import CodeLayout, JointCounts
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


def _derive_term(rows: MixtureRows, counts: JointCounts, j: int) -> densities.Term:
    column_schema = rows.schema.columns[j]
    settings = rows.settings
    if isinstance(column_schema, NominalColumn):
        return densities.estimate_nominal(j, counts.tables[j], settings.smoothing, False)
    assert isinstance(column_schema, NumericColumn)
    if settings.methods[j] == "values":
        table = densities.estimate_nominal(j, counts.tables[j], settings.smoothing, False)
        return replace(table, merge=rows.merges[j])
    if j in rows.merges:
        return densities.estimate_numeric(
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
    return densities.estimate_gaussian(j, column_schema, counts.moments[j], floor)


def draw_mixture_rows(
    model: NaiveBayesModel, counts: JointCounts, n_rows: int, rng: np.random.RandomState
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Columns of new rows, without missing cells, and the group of each row."""
    shares = np.exp(model.log_prior)
    groups = rng.choice(len(shares), size=n_rows, p=shares / shares.sum())
    draw = _ColumnDraw(counts, groups, rng)
    columns: dict[str, np.ndarray] = {}
    for column_schema, term in zip(model.schema.columns, model.terms, strict=True):
        values = draw.values(term, column_schema)
        is_time = isinstance(column_schema, NumericColumn) and column_schema.is_time
        columns[column_schema.name] = _as_times(values) if is_time else values
    return columns, groups


def _as_times(seconds: np.ndarray) -> np.ndarray:
    known = np.isfinite(seconds)
    ticks = np.round(np.where(known, seconds, 0.0) * 1e6).astype("datetime64[us]")
    return np.where(known, ticks, np.datetime64("NaT", "us"))


@dataclass(frozen=True, eq=False)
class _ColumnDraw:
    """Draws a value of a column for each row from the distribution of the row's group."""

    counts: JointCounts
    groups: np.ndarray
    rng: np.random.RandomState

    def values(self, term: densities.Term, column_schema: ColumnSchema) -> np.ndarray:
        """A value for each row."""
        if isinstance(column_schema, NominalColumn) and isinstance(term, densities.TableTerm):
            return self._labels(term, column_schema)
        assert isinstance(column_schema, NumericColumn)
        if isinstance(term, densities.QuadraticTerm):
            return self._normal(term)
        assert isinstance(term, densities.TableTerm)
        return self._in_bins(term, column_schema)

    def _labels(self, term: densities.TableTerm, column_schema: NominalColumn) -> np.ndarray:
        other = ["(other)"] * column_schema.has_other
        labels = np.array([*column_schema.categories, *other], object)
        known = self.counts.tables[term.column][FIRST_BIN:]
        if not known.any():
            return np.full(len(self.groups), None, object)
        return labels[self._codes(term.log_table[FIRST_BIN:], known)]

    def _normal(self, term: densities.QuadraticTerm) -> np.ndarray:
        normal = self.rng.standard_normal(len(self.groups))
        if term.inverse_sd.any():
            return term.mean[self.groups] + normal / term.inverse_sd[self.groups]
        low = self._range(term.column)[0]
        return np.full(len(self.groups), low if np.isfinite(low) else np.nan)

    def _in_bins(self, term: densities.TableTerm, column_schema: NumericColumn) -> np.ndarray:
        """A bin by its probability, and its value, or a number anywhere in it."""
        low, high = self._range(term.column)
        if not high > low:
            return np.full(len(self.groups), low if np.isfinite(low) else np.nan)
        merge = term.merge if term.merge is not None else np.arange(column_schema.n_bins)
        first = np.flatnonzero(np.diff(merge, prepend=-1))
        known = np.add.reduceat(self.counts.tables[term.column][FIRST_BIN:], first, axis=0)
        bins = self._codes(term.log_table[FIRST_BIN:][first], known)
        if term.log_unit is None:  # a probability of values
            return column_schema.values[bins]  # type: ignore[index]
        cuts = np.clip(column_schema.edges[first[1:] - 1], low, high)
        lower = np.append(low, cuts)
        upper = np.append(cuts, high)
        return lower[bins] + self.rng.random_sample(len(bins)) * (upper - lower)[bins]

    def _range(self, column: int) -> tuple[float, float]:
        """The smallest and the largest number of a column."""
        position = self.counts.schema.numeric_position[column]  # type: ignore[union-attr]
        return float(self.counts.minimum[position]), float(self.counts.maximum[position])

    def _codes(self, log_table: np.ndarray, known: np.ndarray) -> np.ndarray:
        """A row of the table for each group, by its probabilities, among the values that occur."""
        occurs = known.sum(axis=1) > 0
        ladder = np.cumsum(np.where(occurs[:, None], np.exp(log_table), 0.0), axis=0)
        height = self.rng.random_sample(len(self.groups)) * ladder[-1, self.groups]
        below = (ladder[:, self.groups] <= height).sum(axis=0)
        return below.clip(max=int(np.flatnonzero(occurs)[-1]))
