"""Bandwidths by leave-one-out likelihood."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.counts.target_axis import TargetAxis
from bayfold.families.regression import kernels
from bayfold.families.regression.bin_kernels import (
    MOST_BINS,
    CategoryKernel,
    ScaleKernel,
    ValueKernel,
)
from bayfold.families.regression.widths import CoarseTarget, choose_widths
from tests import reference

seeds = st.integers(0, 2**32 - 1)


def target_of(counts, places):
    everywhere = np.ones(len(places), bool)
    weights = counts.sum(axis=0)
    return CoarseTarget(
        TargetAxis(everywhere, np.arange(len(places)), places, weights, places, ~everywhere)
    )


def choose(kernel, counts, places):
    return choose_widths([kernel], counts, target_of(counts, places))[1]


def scale(places, alone=()):
    return ScaleKernel(places, float(len(places)), np.isin(np.arange(len(places)), alone))


def test_bandwidths_are_wide_for_noise_and_narrow_for_a_line():
    rng = np.random.default_rng(0)
    n = 300
    x = np.sort(rng.random(n))
    line, noise = np.eye(n), np.eye(n)[rng.permutation(n)]
    assert choose(scale(x), line, x)[1] < choose(scale(x), noise, x)[1]
    halves = np.stack([np.arange(n) < n / 2, np.arange(n) >= n / 2]).astype(float)
    shuffled = halves[:, rng.permutation(n)]
    narrow, wide = choose(CategoryKernel(), halves, x), choose(CategoryKernel(), shuffled, x)
    assert narrow[0] == wide[0] == 0.0
    assert narrow[1] < wide[1]


def test_values_that_repeat_are_smoothed_where_neighbours_are_alike():
    rng = np.random.default_rng(1)
    x, places, cells = rng.integers(0, 20, 800), np.linspace(0, 1, 20), np.linspace(0, 1, 50)
    smooth = np.clip(x + 6 * rng.normal(size=800), 0, 19) / 19
    jumps = (x * 7) % 20 / 19 + 0.02 * rng.normal(size=800)
    chosen = []
    for y in (smooth, jumps):
        of_cell = np.clip(y * 49, 0, 49).astype(int)
        counts = np.zeros((20, 50))
        np.add.at(counts, (x, of_cell), 1.0)
        chosen.append(choose(ValueKernel(places), counts, cells)[0])
    assert chosen[0] > 0.03
    assert chosen[1] < 0.02  # from 0.05 between neighbours: nothing of one counts for the other


def test_a_coarser_kernel_keeps_all_rows_their_centre_and_who_is_alone():
    rng = np.random.default_rng(1)
    places, counts = np.sort(rng.random(300)), rng.random((300, 3))
    coarse, merged = scale(places, [7, 200]).coarsen(counts)
    assert MOST_BINS / 2 < len(merged) <= MOST_BINS + 4
    np.testing.assert_allclose(merged.sum(axis=0), counts.sum(axis=0))
    np.testing.assert_allclose(coarse.places @ merged.sum(axis=1), places @ counts.sum(axis=1))
    np.testing.assert_allclose(coarse.places[coarse.alone], places[[7, 200]])
    np.testing.assert_allclose(merged[coarse.alone], counts[[7, 200]])


def draw(seed):
    rng = np.random.default_rng(seed)
    n_bins, n_cells, n_grid = rng.integers(1, 7, 3)
    counts = rng.integers(0, 3, (n_bins, n_cells)) * rng.choice([0.5, 1.0])
    counts[rng.random(counts.shape) < rng.choice([0.0, 0.9])] = 0.0  # crowded, or hardly a row
    counts[0, 0] += 1
    by_bin, near = rng.random((n_bins, n_cells)) + counts, rng.random((n_cells, n_cells))
    return rng, counts, by_bin, near, rng.random(n_bins), n_grid


@given(seeds)
def test_scores_left_out_match_the_twin(seed):
    rng, counts, by_bin, near, heights, _ = draw(seed)
    bins, cells = np.nonzero(counts)
    marginal, added = counts.sum(axis=0) @ near, rng.random(len(counts))
    weights = counts[bins, cells]
    rows = bins, cells, weights, weights * rng.random(len(bins)), added, 1.0
    found = kernels.score_bins_left_out(by_bin, near, marginal, heights, *rows)
    expected = reference.score_bins_left_out(by_bin, near, marginal, heights, *rows)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@given(seeds)
def test_evidence_left_out_matches_the_twin(seed):
    rng, counts, _, _, heights, n_grid = draw(seed)
    joint, along_grid = rng.random((len(counts), n_grid)), rng.random((counts.shape[1], n_grid))
    bins, cells = rng.integers(-2, len(counts), 8), rng.integers(0, counts.shape[1], 8)
    sums = joint, rng.random(n_grid) * 2, along_grid, heights
    rows = bins, cells, rng.choice([0.5, 1.0, 3.0], 8)
    start = rng.random((8, n_grid))
    found = start.copy()
    kernels.add_left_out(*sums, *rows, found)
    np.testing.assert_allclose(found, reference.add_left_out(*sums, *rows, start), rtol=1e-10)
    table = np.empty_like(joint)
    kernels.fill_log_ratios(joint, sums[1], table)
    np.testing.assert_allclose(table, reference.fill_log_ratios(joint, sums[1]), rtol=1e-12)
