"""Pair counting and one-dependence scoring against their twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.families.aode import kernels
from tests import reference

shapes = st.tuples(
    st.integers(0, 2**32 - 1),  # seed
    st.integers(0, 20),  # rows
    st.lists(st.integers(1, 6), max_size=5),  # values of each column
    st.integers(1, 4),  # groups
)


def random_positions(rng, n_rows, sizes):
    starts = np.cumsum([0, *sizes])
    positions = np.empty((n_rows, len(sizes)), np.int32)
    for j, size in enumerate(sizes):
        positions[:, j] = starts[j] + rng.integers(0, size, n_rows)
    positions[rng.random(positions.shape) < 0.2] = -1
    return positions, int(starts[-1])


@given(shapes)
def test_counts_of_pairs_are_exact(shape):
    seed, n_rows, sizes, n_groups = shape
    rng = np.random.default_rng(seed)
    positions, n_values = random_positions(rng, n_rows, sizes)
    groups = rng.integers(0, n_groups, n_rows).astype(np.int32)
    weights = rng.integers(0, 9, n_rows).astype(float)
    counts = np.zeros((n_values, n_values, n_groups))
    kernels.count_pairs(positions, groups, weights, counts)
    expected = reference.count_pairs(positions, groups, weights, counts.shape)
    np.testing.assert_array_equal(counts, expected)


@given(shapes, st.sampled_from([0.0, 0.3, 1.0]), st.booleans())
def test_scores_match_the_twin(shape, share_of_parents, with_impossible):
    seed, n_rows, sizes, n_groups = shape
    rng = np.random.default_rng(seed)
    positions, n_values = random_positions(rng, n_rows, sizes)
    is_parent = rng.random(n_values) < share_of_parents
    log_joint, log_naive = rng.normal(-400, 300, (2, n_values, n_groups))  # exp of these underflows
    log_given = rng.normal(-400, 300, (n_values, n_values, n_groups))
    if with_impossible:
        log_given[rng.random(log_given.shape) < 0.4] = -np.inf
    log_prior = rng.normal(size=n_groups)
    scores = rng.normal(size=(n_rows, n_groups))
    arguments = positions, is_parent, log_joint, log_given, log_prior, log_naive
    expected = reference.score_one_dependence(*arguments, scores)
    kernels.score_one_dependence(*arguments, scores)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-9)
