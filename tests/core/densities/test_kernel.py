"""Kernel densities against their definition, and what any density must satisfy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.densities import Smoothing, estimate_kernel
from bayfold.core.densities.kernel import N_VALUE_NODES, find_bandwidths
from bayfold.core.schema import NumericColumn
from tests.reference.kernel_density import kernel_density

NOTHING = Smoothing("additive", 0.0)


def column_of(values):
    values = np.unique(values)
    return NumericColumn("x", (values[1:] + values[:-1]) / 2, values=values)


def count(values, groups):
    described = column_of(values)
    codes = 2 + np.searchsorted(described.edges, values, side="right")
    counts = np.zeros((described.n_codes, groups.max() + 1))
    np.add.at(counts, (codes, groups), 1.0)
    return described, counts


@given(st.integers(0, 10_000), st.integers(30, 120), st.integers(1, 3))
def test_the_curve_is_the_sum_of_kernels(seed, n, n_groups):
    rng = np.random.default_rng(seed)
    groups = np.append(np.arange(n_groups), rng.integers(0, n_groups, n - n_groups))
    x = rng.normal(groups, 1.0)
    described, counts = count(x, groups)
    low, high = x.min(), x.max()
    term = estimate_kernel(0, described, (low, high), counts, NOTHING, False)
    places = (described.values - low) / (high - low)
    bandwidths = find_bandwidths(places, counts[2:]) * (high - low)
    points = np.linspace(low, high, N_VALUE_NODES)
    for g in range(n_groups):
        mine = x[groups == g]
        exact = kernel_density(mine, np.ones(len(mine)), bandwidths[g], points)
        found = np.exp(term.log_density[:, g])
        np.testing.assert_allclose(found, exact, rtol=0.02, atol=1e-3 * exact.max())


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_it_integrates_to_one_between_the_bounds(strength):
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 3, 500)
    x = 50.0 + 20.0 * rng.normal(groups)
    described, counts = count(np.round(x, 1), groups)
    bounds = described.values[0], described.values[-1]
    smoothing = Smoothing("m_estimate", strength)
    term = estimate_kernel(0, described, bounds, counts, smoothing, False)
    points = np.linspace(*bounds, N_VALUE_NODES)
    for curve in np.exp(term.log_density).T:
        assert np.trapezoid(curve, points) == pytest.approx(1.0, rel=1e-9)


def test_the_bandwidth_shrinks_with_the_rows():
    places = np.linspace(0, 1, 11)
    table = np.ones((11, 1))
    few, many = (find_bandwidths(places, k * table)[0] for k in (1, 32))
    assert many == pytest.approx(few / 2, rel=1e-12)


def test_a_group_without_a_cell_gives_no_evidence_with_smoothing():
    described, counts = count(np.arange(10.0), np.arange(10) % 2)
    counts = np.c_[counts, np.zeros(len(counts))]
    term = estimate_kernel(0, described, (0.0, 9.0), counts, Smoothing("m_estimate", 2.0), False)
    pooled = counts.sum(axis=1, keepdims=True)
    alone = estimate_kernel(0, described, (0.0, 9.0), pooled, Smoothing("m_estimate", 2.0), False)
    np.testing.assert_allclose(term.log_nodes[:, 2], alone.log_nodes[:, 0], rtol=1e-9)


def test_a_constant_column_gives_no_evidence():
    described, counts = count(np.full(6, 3.0), np.arange(6) % 2)
    term = estimate_kernel(0, described, (3.0, 3.0), counts, NOTHING, False)
    assert not term.log_nodes.any()
