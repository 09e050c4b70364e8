"""The kernels of a boosting round against their twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.families.adaboost import kernels
from bayfold.families.adaboost.m1 import TableVoter
from bayfold.families.trees.binning import BinnedRows
from bayfold.families.trees.rows import WeightedRows
from tests.reference import adaboost as reference

shapes = st.tuples(
    st.integers(0, 2**32 - 1),  # seed
    st.integers(0, 30),  # rows
    st.integers(1, 5),  # columns
    st.integers(2, 13),  # groups
    st.sampled_from([np.uint8, np.uint16]),
)


def draw_round(shape):
    seed, n_rows, n_columns, n_groups, dtype = shape
    rng = np.random.default_rng(seed)
    n_codes = 5
    n_scores = 1 if n_groups == 2 else n_groups
    codes = rng.integers(0, n_codes, (n_rows, n_columns)).astype(dtype)
    # whole numbers, so that ties occur and sums are exact
    evidence = rng.integers(-3, 4, (n_columns * n_codes, n_scores)).astype(float)
    prior = rng.integers(-3, 4, n_scores).astype(float)
    voter = TableVoter(np.arange(n_columns) * n_codes, evidence, prior)
    groups = rng.integers(0, n_groups, n_rows).astype(np.int32)
    weights = rng.integers(0, 9, n_rows).astype(float)
    rows = BinnedRows(codes, codes)
    return voter, WeightedRows(rows, groups, weights, n_groups)


@given(shapes)
def test_marking_by_tables_and_by_scores_matches_the_twin(shape):
    voter, data = draw_round(shape)
    scores = voter.score(data.rows)
    expected, missed = reference.mark_wrong(scores, data.group_of, data.weights)
    wrong = np.zeros(data.rows.n_rows, np.bool_)
    assert voter.mark_wrong(data, data.weights, wrong) == missed
    assert wrong.tolist() == expected
    again = np.zeros(data.rows.n_rows, np.bool_)
    assert kernels.mark_wrong_scores(scores, data.group_of, data.weights, again) == missed
    assert again.tolist() == expected


@given(shapes)
def test_votes_go_to_the_best_group_as_the_twin_finds_it(shape):
    voter, data = draw_round(shape)
    scores = voter.score(data.rows)
    votes = np.zeros((data.rows.n_rows, data.n_groups))
    kernels.add_votes(scores, 1.5, votes)
    for row, given_votes in zip(scores, votes, strict=True):
        assert given_votes[reference.best_group(row)] == 1.5
        assert given_votes.sum() == 1.5


@given(st.integers(0, 2**32 - 1), st.integers(0, 30), st.floats(0.1, 9), st.floats(0.1, 1))
def test_reweighing_matches_the_twin(seed, n_rows, if_wrong, if_right):
    rng = np.random.default_rng(seed)
    weights, wrong = rng.random(n_rows), rng.random(n_rows) < 0.3
    expected = reference.reweigh_rows(weights, wrong, if_wrong, if_right, 0.2)
    total = kernels.reweigh_rows(weights, wrong, if_wrong, if_right, 0.2)
    np.testing.assert_array_equal(weights, expected)
    np.testing.assert_allclose(total, sum(expected), rtol=1e-12)
