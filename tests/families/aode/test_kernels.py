"""Pair counting and one-dependence scoring against their twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold import AveragedOneDependenceClassifier
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


@given(shapes, st.sampled_from([0.0, 2.0]))
def test_probabilities_given_a_parent_match_the_twin(shape, strength):
    seed, n_rows, sizes, n_groups = shape
    rng = np.random.default_rng(seed)
    n_values, column_of = sum(sizes), np.repeat(np.arange(len(sizes)), sizes)
    pairs = rng.poisson(n_rows / 20, (n_values, n_values, n_groups)) * 1.0
    log_naive = np.log(rng.random((n_values, n_groups)))
    added = strength * np.exp(log_naive)
    of_parent = np.zeros((n_values, len(sizes), n_groups)) + strength
    np.add.at(of_parent, (slice(None), column_of), pairs)
    with np.errstate(divide="ignore"):
        arguments = column_of, added, np.log(added), np.log(of_parent), log_naive
    expected = reference.update_to_log_given(pairs, *arguments)
    kernels.update_to_log_given(pairs, *arguments)
    np.testing.assert_allclose(pairs, expected, rtol=1e-14)


@pytest.mark.parametrize("n_values", [0, 1, 5, 64, 150])
def test_both_halves_of_a_table_of_pairs_match_the_twin(n_values):
    rng = np.random.default_rng(0)
    pairs = (
        rng.random((n_values, n_values, 2)) * np.triu(np.ones((n_values, n_values)), 1)[..., None]
    )
    expected = reference.update_other_half(pairs)
    kernels.update_other_half(pairs)
    np.testing.assert_array_equal(pairs, expected)


def test_a_model_leaves_the_statistics_as_they_were():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (60, 3)).astype(str), rng.integers(0, 2, 60)
    model = AveragedOneDependenceClassifier().fit(X, y)
    pairs = model.statistics_.pairs.table
    rows = [model.statistics_.schema.columns[j].n_bins for j in range(3)]
    assert pairs.sum() == 3 * 60
    assert not pairs[rows[0] :, : rows[0]].any()
