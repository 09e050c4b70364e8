"""Smoothed counts: rows left out by subtraction, kernels that keep their mass, two ways to score bandwidths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid

from bayfold.families.regression import target_kernels
from bayfold.families.regression.target_kernels import (
    choose_nominal_width,
    choose_numeric_widths,
    find_heights,
    gaussian,
    merge_places,
    smooth_nominal,
    smooth_numeric,
)

seeds = st.integers(0, 2**32 - 1)


def draw(seed, n_bins=6, n_cells=5):
    rng = np.random.default_rng(seed)
    places, cells = np.linspace(0, 1, n_bins), np.linspace(0, 1, n_cells)
    counts = rng.integers(0, 4, (n_bins, n_cells)).astype(np.float64)
    counts[0, 0] += 1
    return rng, places, cells, counts


@given(seeds)
def test_a_row_left_out_is_a_row_not_counted(seed):
    rng, places, cells, counts = draw(seed)
    grid = np.linspace(-0.1, 1.1, 7)
    bins, of_cell = np.nonzero(counts)
    k = rng.integers(len(bins))
    fewer = counts.copy()
    fewer[bins[k], of_cell[k]] -= 1
    row = bins[k : k + 1], of_cell[k : k + 1], np.ones(1)
    widths = 0.2, 0.3
    found = smooth_numeric(places, counts, cells, grid, widths).log_without(*row)[0]
    without = smooth_numeric(places, fewer, cells, grid, widths).log_table()[bins[k]]
    # the kernels' heights at the ends hang a little on the number of rows
    np.testing.assert_allclose(found, without, atol=0.01)


@given(st.floats(0.01, 2.0), st.floats(0.0, 1.0))
def test_a_kernel_keeps_its_mass_within_the_range(width, place):
    at = np.linspace(0, 1, 4001)
    kernel = gaussian(at, np.array([place]), width)[:, 0]
    mass = trapezoid(kernel, at) * find_heights(np.array([place]), width, 1e9)[0]
    np.testing.assert_allclose(mass, 1.0, rtol=1e-3)


@given(seeds)
def test_the_density_of_a_column_given_the_target_integrates_to_one(seed):
    _, places, cells, counts = draw(seed, n_bins=200)
    grid = np.linspace(0, 1, 4)
    counts *= 1e6  # of many rows
    density = np.exp(smooth_numeric(places, counts, cells, grid, (0.1, 0.2)).log_table())
    np.testing.assert_allclose(trapezoid(density, places, axis=0), 1.0, rtol=0.01)


@given(seeds)
def test_probabilities_of_categories_add_up_to_one(seed):
    _, _, cells, counts = draw(seed)
    table = smooth_nominal(counts, cells, np.linspace(0, 1, 4), 0.2).log_table()
    np.testing.assert_allclose(np.exp(table).sum(axis=0), 1.0, rtol=1e-6)


@given(seeds)
def test_bandwidths_in_pairs_and_by_matrices_are_the_same(seed):
    _, places, cells, counts = draw(seed, 12, 9)
    in_pairs = choose_numeric_widths(places, counts, cells, 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target_kernels, "PAIRWISE", 0)
        by_matrices = choose_numeric_widths(places, counts, cells, 0.0)
    assert in_pairs == by_matrices


def test_bandwidths_are_wide_for_noise_and_narrow_for_a_line():
    rng = np.random.default_rng(0)
    n = 300
    x = np.sort(rng.random(n))
    line, noise = np.eye(n), np.eye(n)[rng.permutation(n)]
    assert choose_numeric_widths(x, line, x, 0.0)[1] < choose_numeric_widths(x, noise, x, 0.0)[1]
    halves = np.stack([np.arange(n) < n / 2, np.arange(n) >= n / 2]).astype(float)
    shuffled = halves[:, rng.permutation(n)]
    assert choose_nominal_width(halves, x, 0.0) < choose_nominal_width(shuffled, x, 0.0)
    assert choose_nominal_width(halves, x, 0.9) >= 0.9


def test_merged_bins_keep_all_rows_and_their_centre():
    rng = np.random.default_rng(1)
    places, counts = np.sort(rng.random(300)), rng.random((300, 3))
    fewer, merged = merge_places(places, counts)
    assert len(fewer) <= target_kernels.MOST_BINS
    np.testing.assert_allclose(merged.sum(axis=0), counts.sum(axis=0))
    np.testing.assert_allclose(fewer @ merged.sum(axis=1), places @ counts.sum(axis=1))
    assert len(merge_places(places[:50], counts[:50])[0]) == 50
