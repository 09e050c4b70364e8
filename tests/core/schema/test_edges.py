"""Where fine bins are cut: laws of edges, quantile cuts and cuts of equal width."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayfold.core.kernels.encode import NARROW_BINS
from bayfold.core.schema.edges import (
    find_fine_edges,
    find_midpoints,
    find_quantile_cuts,
    find_width_cuts,
)
from bayfold.core.schema.infer import collapse_values, infer_numeric

finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(1e-100, 1e100) | st.floats(-1e100, -1e-100)


def sorted_distinct(numbers, **sizes):
    return st.lists(numbers, min_size=1, **sizes).map(lambda found: np.unique(np.array(found)))


def many_values(seed, n_values=2000):
    rng = np.random.default_rng(seed)
    return np.unique(rng.lognormal(0.0, 2.0, n_values)), rng


@given(finite, finite)
def test_a_midpoint_separates_its_neighbours(a, b):
    assume(a < b)
    middle = find_midpoints(np.array([a]), np.array([b]))[0]
    assert a < middle <= b
    exact = (Fraction(a) + Fraction(b)) / 2
    # half-way up to rounding, or the upper one where no number lies between
    rounding = 2 * Fraction(
        np.spacing(max(abs(a), abs(b)) / 2)
    )  # spacing of the largest float overflows
    assert abs(Fraction(float(middle)) - exact) <= rounding


@given(sorted_distinct(finite, max_size=30))
def test_few_values_have_a_bin_each(values):
    edges, own = find_fine_edges(values, np.ones(len(values)))
    np.testing.assert_array_equal(own, values)
    bins = np.searchsorted(edges, values, side="right")
    assert bins.tolist() == list(range(len(values)))
    np.testing.assert_array_equal(edges, find_midpoints(values[:-1], values[1:]))


@pytest.mark.parametrize("n_values", [NARROW_BINS, NARROW_BINS + 1])
def test_own_bins_end_where_one_byte_ends(n_values):
    edges, own = find_fine_edges(np.arange(float(n_values)), np.ones(n_values))
    assert (own is not None) == (n_values <= NARROW_BINS)
    assert len(edges) + 1 <= NARROW_BINS


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("width_bins", [0, 1, 10, 200, NARROW_BINS, 300, 5000])
@pytest.mark.parametrize("heavy", [False, True])
def test_edges_of_many_values_are_midpoints_and_fit_one_byte(seed, width_bins, heavy):
    values, rng = many_values(seed)
    weights = rng.pareto(0.3, len(values)) + 1e-3 if heavy else np.ones(len(values))
    edges, own = find_fine_edges(values, weights, width_bins)
    assert own is None
    assert 1 <= len(edges) < NARROW_BINS
    above = np.searchsorted(values, edges)
    np.testing.assert_array_equal(edges, find_midpoints(values[above - 1], values[above]))
    assert (np.diff(edges) > 0).all()


@pytest.mark.parametrize("width_bins", [2, 10, 100])
def test_bins_of_equal_width_are_unions_of_fine_bins(width_bins):
    values, _ = many_values(4)
    edges, _ = find_fine_edges(values, np.ones(len(values)), width_bins)
    cuts = find_width_cuts(values, values[0], values[-1], width_bins)
    fine = np.searchsorted(edges, values, side="right")
    assert (fine[cuts] > fine[cuts - 1]).all()


@given(sorted_distinct(moderate, max_size=20), st.integers(-300, 300))
def test_edges_scale_with_powers_of_two(values, power):
    ones = np.ones(len(values))
    edges, _ = find_fine_edges(values, ones)
    scaled, _ = find_fine_edges(np.ldexp(values, power), ones)
    np.testing.assert_array_equal(scaled, np.ldexp(edges, power))


def test_a_long_tail_is_cut_by_value_and_by_rank():
    """Every bin holds a like sum of its shares of the rows and of the range, and scaling changes nothing."""
    values = np.sort(np.exp(1.5 * np.random.default_rng(0).normal(size=4000)))
    ones = np.ones(len(values))
    edges, _ = find_fine_edges(values, ones, max_bins=64, range_share=0.25)
    rows = np.histogram(values, np.concatenate([[-np.inf], edges, [np.inf]]))[0] / len(values)
    ends = np.concatenate([values[:1], edges, values[-1:]])
    mass = 0.75 * rows + 0.25 * np.diff(ends) / np.ptp(values)
    heaviest = 0.25 * np.diff(values).max() / np.ptp(values)  # no bin ends within a gap
    assert mass.max() < 1 / 64 + heaviest + 1 / len(values)
    scaled, _ = find_fine_edges(np.ldexp(values, 70), 2 * ones, max_bins=64, range_share=0.25)
    np.testing.assert_array_equal(scaled, np.ldexp(edges, 70))


@pytest.mark.parametrize("width_bins", [0, 10])
@pytest.mark.parametrize("power", [-70, 1, 70])
def test_quantile_edges_scale_with_powers_of_two(width_bins, power):
    values, rng = many_values(5)
    weights = rng.exponential(size=len(values))
    edges, _ = find_fine_edges(values, weights, width_bins)
    scaled, _ = find_fine_edges(np.ldexp(values, power), weights, width_bins)
    np.testing.assert_array_equal(scaled, np.ldexp(edges, power))


@pytest.mark.parametrize("n_values", [20, 3000])
@pytest.mark.parametrize("width_bins", [0, 10])
def test_weight_two_is_the_value_twice(n_values, width_bins):
    rng = np.random.default_rng(6)
    values = np.round(rng.normal(size=n_values), 3)
    values[::7] = np.nan
    weights = rng.integers(1, 4, n_values)
    shuffled = rng.permutation(np.repeat(values, weights))
    weighted = infer_numeric("x", values, weights.astype(float), width_bins)
    repeated = infer_numeric("x", shuffled, None, width_bins)
    assert weighted == repeated  # shift and scale included
    for mine, theirs in zip(
        collapse_values(values, weights), collapse_values(shuffled, None), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


def nearest_cuts(weights, n_bins):
    """By hand: for every quantile the boundary nearest to it, the lower of two equally near."""
    cumulated = np.cumsum(weights).tolist()
    total = int(cumulated[-1])
    cuts = set()
    for k in range(1, n_bins):
        goal = Fraction(total * k, n_bins)
        distance = [abs(Fraction(int(c)) - goal) for c in cumulated]
        cuts.add(distance.index(min(distance)) + 1)
    return sorted(cuts - {len(weights)})


@given(st.lists(st.integers(1, 50), min_size=1, max_size=40), st.integers(1, 45))
def test_quantile_cuts_are_the_nearest_boundaries(weights, n_bins):
    weights = np.array(weights, float)
    cuts = find_quantile_cuts(weights, n_bins)
    assert cuts.tolist() == nearest_cuts(weights, n_bins)
    assert len(cuts) < max(n_bins, 1) or n_bins == 1
    for factor in (2.0**-20, 1 / 3, 1e6):
        assert find_quantile_cuts(weights * factor, n_bins).tolist() == cuts.tolist()


@given(st.integers(1, 400), st.integers(1, 60))
def test_equal_weights_are_cut_into_parts_that_differ_by_at_most_one(n, n_bins):
    assume(n_bins <= n)
    cuts = find_quantile_cuts(np.ones(n), n_bins)
    sizes = np.diff([0, *cuts, n])
    assert len(sizes) == n_bins
    assert sizes.max() - sizes.min() <= 1


@given(sorted_distinct(st.integers(-500, 500), max_size=40), st.integers(1, 40))
def test_width_cuts_by_exact_arithmetic(values, n_bins):
    low, high = int(values[0]), int(values[-1])
    cuts = find_width_cuts(values.astype(float), low, high, n_bins)
    if low == high:
        assert len(cuts) == 0
        return
    bins = [min(Fraction((int(v) - low) * n_bins, high - low) // 1, n_bins - 1) for v in values]
    assert cuts.tolist() == (np.flatnonzero(np.diff(np.array(bins, int))) + 1).tolist()


UNITS = [(0.1, 0.0), (1.8, 32.0), (2.0**-600, 0.0), (1e-3, 7.0), (2.0**900, 0.0)]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("n_bins", [3, 7, 10, 40])
def test_a_value_on_a_cut_belongs_above_it_in_any_unit(unit, n_bins):
    factor, shift = unit
    values = np.arange(n_bins + 1.0) * factor + shift  # all on cuts, but for rounding
    cuts = find_width_cuts(values, values[0], values[-1], n_bins)
    assert cuts.tolist() == list(range(1, n_bins))


@given(
    sorted_distinct(st.integers(-500, 500), max_size=40),
    st.integers(1, 40),
    st.sampled_from(UNITS),
)
def test_changing_units_moves_no_width_cut(values, n_bins, unit):
    factor, shift = unit
    values = values.astype(float)
    moved = values * factor + shift
    cuts = find_width_cuts(values, values[0], values[-1], n_bins)
    assert find_width_cuts(moved, moved[0], moved[-1], n_bins).tolist() == cuts.tolist()
