"""What model files hold of mixtures of truncated exponentials."""

from __future__ import annotations

import math

import numpy as np

from bayfold.base.derived_file import OF_LEARNING, SUMMED, check_summed
from bayfold.core.schema import ColumnSchema, NominalColumn
from bayfold.families.mte.curves import Curves
from bayfold.families.mte.density import POINTS_PER_INTERVAL, MTEDensity
from bayfold.families.mte.distribution import Pieces
from bayfold.families.mte.estimator import LearntMTE, MTERegressor
from bayfold.families.mte.exponentials import N_BASIS
from bayfold.families.mte.fit import MTEFit
from bayfold.families.mte.incomplete import Iteration
from bayfold.families.mte.learner import MTEModel, MTEPredictor, MTESettings, NumericDomain
from bayfold.families.mte.term import ExponentialTerm, OwnExponentialTerm
from bayfold.persist import expect, register, register_estimator, register_term
from bayfold.persist.checks import expect_finite, expect_increasing, expect_places, expect_weights


def check_exponential(term: ExponentialTerm, column: ColumnSchema, n_groups: int) -> None:
    """Intervals from 0 to 1, and the whole basis on each."""
    expect(not isinstance(column, NominalColumn), "the column of a term")
    expect(-math.inf < term.low < term.high < math.inf, "the domain of a term")
    expect(math.isfinite(term.weight) and term.weight >= 0, "the weight of a term")
    expect_increasing(term.cuts, (None,), "the intervals of a term")
    n_intervals = len(term.cuts) - 1
    expect(n_intervals > 0 and term.cuts[0] == 0 and term.cuts[-1] == 1, "the intervals of a term")
    expect_finite(term.coefficients, (n_intervals, N_BASIS, n_groups), "the densities of a term")
    inside = np.linspace(0.0, 1.0, POINTS_PER_INTERVAL)[:-1]
    points = term.cuts[:-1, None] + np.diff(term.cuts)[:, None] * inside
    densities = term.mixtures.density(np.append(points.ravel(), 1.0))
    expect(bool(((densities > 0) & (densities < np.inf)).all()), "the densities of a term")


def check_own_exponential(term: OwnExponentialTerm, column: ColumnSchema, n_groups: int) -> None:
    """As many densities as groups, each as of a term of its own."""
    expect_finite(term.cuts, (None,), "the intervals of a term")
    n_cuts = len(term.cuts)
    expect_places(term.offsets, (n_groups + 1,), 0, n_cuts + 1, "the groups of a term")
    starts = term.offsets[:-1]
    ends = term.offsets[1:]
    expect(starts[0] == 0 and ends[-1] == n_cuts, "the groups of a term")
    expect(bool((ends - starts >= 2).all()), "the groups of a term")
    shape = (n_cuts - n_groups, N_BASIS)
    expect_finite(term.coefficients, shape, "the densities of a term")
    for g in range(n_groups):
        check_exponential(term.of_group(g), column, 1)


def check_pieces(pieces: Pieces) -> None:
    """A rate for each part, and parts of all pieces in order, which add up to one."""
    n_parts = len(pieces.rates)
    expect_finite(pieces.rates, (None,), "the pieces")
    expect_finite(pieces.edges, (n_parts + 1,), "the pieces")
    steps = np.diff(pieces.edges)
    expect(bool((steps >= 0).all() and steps.any()), "the pieces")
    if pieces.piece_of is None:
        expect(bool((steps > 0).all()) and pieces.shares is None, "the pieces")
        return
    expect(bool((steps[1:] + steps[:-1] > 0).all()), "the pieces")  # no value twice
    expect_places(pieces.piece_of, (n_parts,), 0, n_parts, "the pieces")
    expect(
        bool(pieces.piece_of[0] == 0 and np.isin(np.diff(pieces.piece_of), (0, 1)).all()),
        "the pieces",
    )
    expect(pieces.shares is not None, "the pieces")
    expect_weights(pieces.shares, (n_parts,), "the pieces")
    expect(bool(np.allclose(np.bincount(pieces.piece_of, pieces.shares), 1.0)), "the pieces")


def check_density(density: MTEDensity) -> None:
    """The whole basis on each interval."""
    expect_increasing(density.edges, (None,), "the intervals of a density")
    n_intervals = len(density.edges) - 1
    n_basis = N_BASIS
    if density.rates is not None:
        n_basis = 1 + density.rates.shape[-1]
        expect_finite(density.rates, (n_intervals, n_basis - 1), "the rates of a density")
        expect(bool((density.rates != 0).all()), "the rates of a density")
    expect_finite(density.coefficients, (n_intervals, n_basis), "the coefficients of a density")


def check_fit(fit: MTEFit) -> None:
    """Something about each column."""
    n_columns = len(fit.model.naive.schema.columns)
    expect(set(fit.columns) <= set(range(n_columns)), "the columns that count")
    expect_finite(fit.information, (n_columns,), "the information of columns")
    expect_weights(fit.column_weights, (n_columns,), "the weights of columns")


register(MTEDensity, check_density)
register(Pieces, check_pieces)
register_term(ExponentialTerm, check_exponential)
register_term(OwnExponentialTerm, check_own_exponential)
register(
    MTEModel, lambda model: expect(model.pieces.n_pieces == model.naive.n_groups, "the pieces")
)
register(MTESettings)
register(Curves, lambda curves: expect_finite(curves.z, (None,), "the places of a column"))
register(NumericDomain)
register(Iteration)
register(MTEFit, check_fit)
register(MTEPredictor)
register(LearntMTE)
register_estimator(MTERegressor, check_summed, dropped=OF_LEARNING, **SUMMED, _predictor=LearntMTE)
