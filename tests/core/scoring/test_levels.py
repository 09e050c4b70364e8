"""The conformal correction of distributions."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold.core.scoring import GridDistribution
from bayfold.core.scoring.levels import (
    CORRECTED_COVERAGES,
    LevelCorrection,
    correct_mass,
    find_mean_excess,
)


def cover(correction, levels, coverage):
    """The share of rows at these levels of a model that lie in its corrected central interval."""
    corrected = correction.apply(levels)
    return np.mean(np.abs(2 * corrected - 1) <= coverage)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from([0.4, 1.0, 3.0]), st.integers(150, 800))
def test_intervals_of_held_out_rows_hold_what_split_conformal_prediction_asks(seed, power, n):
    off = np.random.default_rng(seed).random(n) ** power
    sign = np.random.default_rng(seed + 1).choice([-1, 1], n)
    levels = (1 + sign * off) / 2
    correction = LevelCorrection.of(levels, levels, np.ones(n))
    for coverage in CORRECTED_COVERAGES:
        rank = coverage * (n + 1) / n
        assert abs(cover(correction, levels, coverage) - rank) <= 1 / n + 1e-9


def test_a_next_row_is_held_as_often_as_promised_whatever_the_number_of_rows():
    """The finite-sample guarantee: without the one more row, nineteen rows would hold 85 % of the next ones."""
    rng = np.random.default_rng(0)
    held = [
        cover(LevelCorrection.of(levels[:-1], levels[:-1], np.ones(19)), levels[-1], 0.9)
        for levels in rng.beta(2.0, 2.0, (8000, 20))
    ]
    assert np.mean(held) == pytest.approx(0.9, abs=3.5 * np.sqrt(0.09 / 8000))


def test_levels_that_are_right_stay_and_atoms_are_spread_over_their_stretch():
    n = 4000
    is_atom = np.arange(n) % 2 == 0
    below = np.where(is_atom, 0.25, np.random.default_rng(0).random(n) * 0.5)
    below = np.where(is_atom | (below < 0.25), below, below + 0.5)
    correction = LevelCorrection.of(below, np.where(is_atom, 0.75, below), np.ones(n))
    np.testing.assert_allclose(correction.levels, correction.knots, atol=0.02)


def test_a_correction_makes_a_distribution_of_the_same_grid():
    correction = LevelCorrection.of(*[np.linspace(0.3, 0.7, 500)] * 2, np.ones(500))
    mass = np.random.default_rng(0).dirichlet(np.full(50, 0.5), 20)
    corrected = correct_mass(correction, mass)
    np.testing.assert_allclose(corrected.sum(axis=1), 1.0)
    assert (corrected >= 0).all()
    grid = np.arange(50.0)
    given, narrow = (GridDistribution(grid, m).interval(0.9) for m in (mass, corrected))
    assert (np.diff(narrow) <= np.diff(given)).mean() > 0.9
    assert correct_mass(None, mass) is mass


@pytest.mark.parametrize("levels", [np.full(50, 0.5), np.tile([0.0, 1.0], 25)])
def test_rows_that_say_nothing_of_a_width_correct_nothing(levels):
    assert LevelCorrection.of(levels, levels, np.ones(50)) is None


@pytest.mark.parametrize("power", [0.7, 1.5])
def test_means_of_held_out_rows_are_their_targets_in_the_mean(power):
    rng = np.random.default_rng(3)
    grid = np.arange(30.0)
    target = rng.integers(0, 30, 400).astype(float)
    mass = np.exp(-0.5 * ((grid - 30 * (target[:, None] / 30) ** power) / 4) ** 2)
    mass /= mass.sum(axis=1, keepdims=True)
    correction = LevelCorrection.of_mass(
        partial(GridDistribution, grid), mass, target, np.ones(400)
    )
    assert abs(np.mean(mass @ grid - target)) > 1.0
    assert np.mean(correct_mass(correction, mass) @ grid) == pytest.approx(target.mean(), abs=1e-6)


def test_an_excess_that_a_draw_explains_is_none():
    """Rows drawn from many: predictions are right, and the drawn targets happen to be low."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=20_000)
    target = means + rng.normal(size=20_000)
    low = np.argsort(target + 10 * rng.normal(size=20_000))[:1000]
    share = np.full(1000, 1e-3)
    found = [
        find_mean_excess(means[low] + off, target[low], share, (float(target.mean()), 0.05))
        for off in (0.0, 1.0)
    ]
    assert abs(found[0]) < 0.03
    assert found[1] == pytest.approx(1.0, abs=0.07)
