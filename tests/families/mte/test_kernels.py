"""Kernels of mixtures of truncated exponentials against their twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.families.mte import kernels as mte_kernels
from bayfold.families.mte.exponentials import ATOMS, N_BASIS, evaluate_basis
from tests import reference

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(0, 6), st.integers(1, 15), st.integers(1, 5), st.booleans())
def test_scores_match_the_twin(seed, n_rows, n_columns, n_groups, weighted):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, n_columns)) * 2
    values[rng.random(values.shape) < 0.2] = np.nan
    columns = rng.permutation(n_columns)
    n_intervals = rng.integers(1, 5, n_columns)
    offsets = np.concatenate([[0], np.cumsum(n_intervals)])
    cuts = [np.linspace(0, 1, n + 1) for n in n_intervals]
    starts = np.concatenate([c[:-1] for c in cuts])
    inverse = np.concatenate([1 / np.diff(c) for c in cuts])
    atoms = rng.uniform(0.01, 1, (offsets[-1], n_groups, len(ATOMS)))
    coefficients = np.ascontiguousarray(np.moveaxis(atoms @ ATOMS, 1, 2))
    low, scale = -rng.random(n_columns), rng.random(n_columns) + 0.3
    weights = rng.choice([0.0, 0.5, 1.0], n_columns) if weighted else np.ones(n_columns)
    start = rng.normal(size=(n_rows, n_groups))
    packed = columns, low, scale, weights, offsets, starts, inverse, coefficients
    found, expected = start.copy(), start.copy()
    mte_kernels.score_exponentials(values, *packed, found)
    reference.score_exponentials(values, *packed, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@given(seeds, st.integers(1, 6), st.sampled_from(["random", "bump", "atom", "zero"]))
def test_nonnegative_least_squares_are_as_near_as_the_twin(seed, n_problems, kind):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, 17)
    design = evaluate_basis(t) @ ATOMS.T
    goals = {
        "random": rng.random((n_problems, 17)),
        "bump": np.exp(-(((t - rng.random((n_problems, 1))) / 0.2) ** 2)),
        "atom": design[:, rng.integers(0, len(ATOMS), n_problems)].T,
        "zero": np.zeros((n_problems, 17)),
    }[kind]
    rights = np.ascontiguousarray(goals @ design)
    found, expected = np.empty(rights.shape), np.empty(rights.shape)
    mte_kernels.solve_nonnegative(design.T @ design, rights, found)
    reference.solve_nonnegative(design.T @ design, rights, expected)
    assert (found >= 0).all()
    distances = [np.linalg.norm(x @ design.T - goals, axis=1) for x in (found, expected)]
    np.testing.assert_array_less(distances[0], distances[1] + 1e-4)


@given(seeds, st.integers(2, 12), st.integers(1, 4), st.integers(1, 8))
def test_thinning_matches_the_twin(seed, n_points, n_curves, n_left):
    rng = np.random.default_rng(seed)
    curves = rng.random((30, n_curves))
    points = np.sort(rng.choice(30, n_points, replace=False))
    found = mte_kernels.thin_points(curves, points, n_left)
    np.testing.assert_array_equal(found, reference.thin_points(curves, points, n_left))
    assert found.sum() == min(n_points, max(n_left, 2))


def test_the_rates_of_the_kernel_are_those_of_the_densities():
    assert pytest.approx([1.0, -1.0, 3.0, -3.0, 8.0, -8.0]) == np.log(
        evaluate_basis(np.array(1.0))[1:]
    )
    assert N_BASIS == 7
