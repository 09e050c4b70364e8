"""Smoothed counts: rows left out by subtraction, kernels that keep their mass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid

from bayfold.families.regression import target_kernels
from bayfold.families.regression.bin_kernels import (
    CategoryKernel,
    ScaleKernel,
    ValueKernel,
    find_heights,
    find_kernels,
    gaussian,
)

seeds = st.integers(0, 2**32 - 1)


def draw(seed, n_bins=6, n_cells=5):
    rng = np.random.default_rng(seed)
    places, cells = np.linspace(0, 1, n_bins), np.linspace(0, 1, n_cells)
    counts = rng.integers(0, 4, (n_bins, n_cells)).astype(np.float64)
    counts[0, 0] += 1
    return rng, places, cells, counts


def smooth_column(kernel, counts, cells, grid, widths):
    along_grid = gaussian(cells, grid, widths[1])
    return target_kernels.smooth_column(kernel, counts, along_grid, widths)


def scale(places, counts, alone=()):
    return ScaleKernel(places, float(counts.sum()), np.isin(np.arange(len(places)), alone))


@given(seeds)
def test_a_row_left_out_is_a_row_not_counted(seed):
    rng, places, cells, counts = draw(seed)
    grid = np.linspace(-0.1, 1.1, 7)
    bins, of_cell = np.nonzero(counts)
    k = rng.integers(len(bins))
    fewer = counts.copy()
    fewer[bins[k], of_cell[k]] -= 1
    scales = scale(places, counts), scale(places, counts, [2])
    for kernel in (*scales, ValueKernel(places), CategoryKernel()):
        found = np.zeros((1, len(grid)))
        row = bins[k : k + 1], of_cell[k : k + 1], np.ones(1)
        smooth_column(kernel, counts, cells, grid, (0.2, 0.3)).update_without(*row, found)
        without = smooth_column(kernel, fewer, cells, grid, (0.2, 0.3)).log_table()[bins[k]]
        # the shares of bins that are added hang a little on the number of rows
        np.testing.assert_allclose(found[0], without - without.max(), atol=0.08)


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
    kernel = scale(places, counts)
    density = np.exp(smooth_column(kernel, counts, cells, grid, (0.1, 0.2)).log_table())
    np.testing.assert_allclose(trapezoid(density, places, axis=0), 1.0, rtol=0.01)


@given(seeds, st.sampled_from([0.0, 0.01, 0.3, 5.0]))
def test_probabilities_of_values_and_categories_add_up_to_one(seed, width):
    _, places, cells, counts = draw(seed)
    for kernel in (CategoryKernel(), ValueKernel(places)):
        table = smooth_column(kernel, counts, cells, np.linspace(0, 1, 4), (width, 0.2)).log_table()
        np.testing.assert_allclose(np.exp(table).sum(axis=0), 1.0, rtol=1e-6)


@given(seeds)
def test_values_without_a_bandwidth_are_categories(seed):
    _, places, cells, counts = draw(seed)
    grid = np.linspace(0, 1, 4)
    values = smooth_column(ValueKernel(places), counts, cells, grid, (0.0, 0.2))
    categories = smooth_column(CategoryKernel(), counts, cells, grid, (0.0, 0.2))
    np.testing.assert_allclose(values.joint, categories.joint)
    np.testing.assert_array_equal(values.heights, categories.heights)


def test_a_repeated_value_among_numbers_on_a_scale_counts_alone():
    _, places, cells, counts = draw(0)
    grid = np.linspace(0, 1, 4)
    found = smooth_column(scale(places, counts, [2]), counts, cells, grid, (0.3, 0.2))
    others = counts.copy()
    others[2] = 0.0
    smooth = smooth_column(scale(places, counts), others, cells, grid, (0.3, 0.2))
    # where values repeat, one row spread like the whole column is added
    shares = (counts.sum(axis=1) + 1) / (counts.sum() + len(counts))
    expected = smooth.joint + shares[:, None]
    expected[2] = shares[2] + counts[2] @ gaussian(cells, grid, 0.2)
    np.testing.assert_allclose(found.joint, expected)


@pytest.mark.parametrize(
    ("of_bin", "one_value", "n_different", "expected"),
    [
        ([990, 10], True, 400, "values"),  # a flag
        ([990, 10], True, 2, "values"),  # and nothing else in the table
        ([10] * 20, True, 20, "scale"),  # twenty measurements, copied ten times
        ([10] * 20, True, 200, "values"),
        ([10] * 20, False, 200, "scale"),
        ([60, *[1] * 20], False, 80, "scale or alone"),  # zeros, and numbers
    ],
)
def test_what_a_column_is_follows_from_how_its_values_repeat(of_bin, one_value, n_different, expected):  # fmt: skip
    places = np.linspace(0, 1, len(of_bin))
    choices = find_kernels(places, np.array(of_bin, float), one_value, n_different)
    names = [
        "values" if k.alone is None else "alone" if k.alone.any() else "scale" for k in choices
    ]
    assert " or ".join(names) == expected
