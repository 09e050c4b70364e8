"""Counts smoothed along ranks, against the sum of kernels and against laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from bayfold.core.densities import Smoothing, estimate_smooth
from bayfold.core.schema import NumericColumn
from tests.reference import kernel_density as reference

tables = st.integers(0, 10_000).map(
    lambda seed: np.random.default_rng(seed).integers(0, 9, (60, 1 + seed % 3)).astype(float)
)


def described(n_bins):
    values = np.arange(float(n_bins))
    return NumericColumn("x", values[1:] - 0.5, values=values)


def with_codes(table):
    return np.concatenate([np.zeros((2, table.shape[1])), table])


@given(tables, st.sampled_from([0.03, 0.1, 0.3]))
def test_it_is_a_sum_of_kernels(table, bandwidth):
    found, expected = np.empty(table.shape), reference.smooth_along_ranks(table, bandwidth)
    kernels.smooth_along_ranks(table, bandwidth, found)
    # both up to a factor: of the evidence only ratios count
    scale = expected.sum() / found.sum()
    np.testing.assert_allclose(found * scale, expected, rtol=0.02, atol=0.01 * expected.max())


@given(tables, st.sampled_from([0.0, 2.0]))
def test_probabilities_of_the_bins_add_up_to_one(table, strength):
    column = described(len(table))
    counts = with_codes(table)
    bounds = 0.0, float(len(table) - 1)
    term = estimate_smooth(0, column, bounds, counts, Smoothing("m_estimate", strength), False)
    log_share = term.log_unit[2:] + np.log(_widths(len(table)))
    p = np.exp(term.log_table[2:] + log_share[:, None])
    np.testing.assert_allclose(p.sum(axis=0), 1.0, rtol=1e-9)


def _widths(n_bins):
    widths = np.ones(n_bins)
    widths[[0, -1]] = 0.5  # the outermost bins end at the bounds
    return widths


def test_the_evidence_does_not_depend_on_the_scale_of_the_column():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 5, (40, 2)).astype(float)
    values = np.sort(rng.lognormal(0, 3, 40))
    skewed = NumericColumn("x", (values[1:] + values[:-1]) / 2, values=values)
    smoothing = Smoothing("m_estimate", 2.0)
    a = estimate_smooth(0, described(40), (0.0, 39.0), with_codes(table), smoothing, False)
    b = estimate_smooth(0, skewed, (values[0], values[-1]), with_codes(table), smoothing, False)
    np.testing.assert_array_equal(a.log_table, b.log_table)


def test_an_empty_bin_gets_the_evidence_of_its_neighbours():
    table = np.array([[5.0, 0], [5, 0], [0, 0], [5, 0], [0, 5], [0, 5], [0, 5]])
    term = estimate_smooth(
        0, described(7), (0.0, 6.0), with_codes(table), Smoothing("m_estimate", 2.0), False, 0.1
    )
    evidence = term.log_table[2:, 0] - term.log_table[2:, 1]
    assert evidence[2] > 0.5
    assert evidence[2] == pytest.approx(evidence[[1, 3]].mean(), abs=0.3)


def test_wider_is_flatter():
    table = np.array([[9.0, 1]] * 10 + [[1.0, 9]] * 10)
    spread = [
        np.ptp(
            estimate_smooth(
                0,
                described(20),
                (0.0, 19.0),
                with_codes(table),
                Smoothing("additive", 0.0),
                False,
                width,
            ).log_table[2:, 0]
        )
        for width in (0.1, 0.4, 1.6)
    ]
    assert spread[0] > spread[1] > spread[2]
