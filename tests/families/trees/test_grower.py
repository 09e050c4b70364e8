"""Trees with naive Bayes leaves against a recursion over lists of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold.core.scoring import probabilities
from bayfold.families.trees.grower import TreeGrower, TreeSettings
from bayfold.families.trees.growing import keep_here
from bayfold.families.trees.leave_one_out import LEAST_IMPROVEMENT
from bayfold.families.trees.model import LeafSettings
from bayfold.families.trees.splits import Frontier, NodeRows, count_node_rows, weigh_frontier
from tests.families.trees.draw import draw_rows
from tests.reference import tree as reference

seeds = st.integers(0, 2**32 - 1)


def grow(data, binning, **settings):
    return make_grower(data, binning, **settings).grow(keep_occurrence=True)


def make_grower(data, binning, **settings):
    return TreeGrower(
        keep_here(data),
        data.n_groups,
        leaves=binning,
        split_binning=binning,
        settings=TreeSettings(**settings),
    )


def find_probabilities(tree, codes, n_groups):
    return probabilities(tree.score(codes, codes), np.zeros(n_groups))


@pytest.mark.parametrize("threshold", [False, True])
@given(seeds, st.integers(2, 4), st.sampled_from([0.0, 8.0]), st.booleans())
@settings(max_examples=15)
def test_tests_are_weighed_as_the_twin_does(threshold, seed, n_groups, least, constant):
    data, binning = draw_rows(seed, 40, n_groups)
    if constant:
        data.rows.codes[:, 1] = 3
    n_rows, n_columns = data.rows.codes.shape
    node_rows = NodeRows(np.arange(n_rows), np.zeros(n_rows, np.int64), data.weights)
    counts = count_node_rows(data.rows.codes, node_rows, data.group_of, binning, 1, n_groups)
    ordered = binning.is_ordered if threshold else np.zeros(n_columns, np.bool_)
    everything = np.ones((1, n_columns), np.bool_)
    frontier = Frontier(counts, everything, ~everything)
    gain, ratio, cut = weigh_frontier(frontier, binning, ordered, least)
    rows = list(enumerate(data.weights))
    for j in range(n_columns):
        expected = reference.weigh_split(
            rows, data.rows.codes, data.group_of, j, n_groups, ordered[j], least
        )
        if expected is None:
            assert np.isnan(gain[0, j])
            assert np.isnan(ratio[0, j])
        else:
            np.testing.assert_allclose(gain[0, j], expected[0], atol=1e-12)
            np.testing.assert_allclose(ratio[0, j], expected[1], atol=1e-12)
            if expected[2] is not None and expected[0] > 1e-9:
                assert cut[0, j] == expected[2]


@pytest.mark.parametrize("threshold", [False, True])
@given(seeds, st.integers(2, 4), st.integers(0, 3), st.booleans(), st.sampled_from([0.0, 8.0]))
@settings(max_examples=12)
def test_a_tree_predicts_what_its_twin_does(threshold, seed, n_groups, depth, all_rows, least):
    data, binning = draw_rows(seed, 60, n_groups)
    leaf = LeafSettings(2.0, all_rows)
    tree = grow(data, binning, max_depth=depth, threshold=threshold, min_branch=least, leaf=leaf)
    codes = data.rows.codes
    ordered = binning.is_ordered & threshold
    rows = list(enumerate(data.weights))
    root = reference.grow(rows, codes, data.group_of, n_groups, ordered, depth, 30, least)
    found = find_probabilities(tree, codes, n_groups)
    for i in range(0, len(codes), 3):
        expected = reference.predict(root, codes[i], codes, data.group_of, n_groups, 2.0, all_rows)
        np.testing.assert_allclose(found[i], expected, rtol=1e-8, atol=1e-12)


@given(seeds, st.integers(2, 4), st.booleans())
def test_the_weight_of_a_level_is_the_weight_of_all_rows(seed, n_groups, threshold):
    data, binning = draw_rows(seed, 80, n_groups)
    tree = grow(data, binning, max_depth=3, threshold=threshold)
    expected = np.bincount(data.group_of, data.weights, minlength=n_groups)
    np.testing.assert_allclose(tree.totals[0], expected, rtol=1e-10)
    of_leaves = tree.totals[tree.leaf_of >= 0]
    np.testing.assert_allclose(of_leaves.sum(axis=0), expected, rtol=1e-10)
    for node in np.flatnonzero(tree.column >= 0):
        children = slice(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        np.testing.assert_allclose(tree.share[children].sum(), 1.0)
        np.testing.assert_allclose(tree.totals[children].sum(axis=0), tree.totals[node])


@pytest.mark.parametrize("all_rows", [False, True])
@given(seeds, st.integers(2, 3))
@settings(max_examples=10)
def test_leaving_a_row_out_equals_fitting_without_it(all_rows, seed, n_groups):
    data, binning = draw_rows(seed, 30, n_groups, missing=0.3)
    leaf = LeafSettings(1.7, all_rows)
    grower = make_grower(data, binning, leaf=leaf)
    n_rows, n_columns = data.rows.codes.shape
    nodes = np.arange(n_rows) % 2
    node_rows = NodeRows(np.arange(n_rows), nodes, data.weights)
    is_used = np.zeros((2, n_columns), np.bool_)
    is_used[1, 0] = True
    right = grower.utility.weigh_right(node_rows, is_used)
    for node in range(2):
        rows = [(i, data.weights[i]) for i in range(n_rows) if nodes[i] == node]
        expected = reference.count_right_left_out(
            rows, data.rows.codes, data.group_of, n_groups, {0} if node else set(), 1.7, all_rows
        )
        assert right[node] == expected


def test_the_leave_one_out_utility_splits_where_errors_go_away_and_only_there():
    rng = np.random.default_rng(3)
    data, binning = draw_rows(1, 200, 2, missing=0.0)
    codes = data.rows.codes
    codes[:] = rng.integers(2, 4, codes.shape)
    data.group_of[:] = codes[:, 0] ^ codes[:, 1]  # an exclusive or: no single column tells anything
    tree = grow(data, binning, max_depth=2, leave_one_out=True)
    assert tree.column[0] in (0, 1)
    assert tree.depth == 1
    data.group_of[:] = codes[:, 0] == 2  # naive Bayes is right already: nothing left to gain
    assert grow(data, binning, max_depth=2, leave_one_out=True).n_leaves == 1
    assert LEAST_IMPROVEMENT == 0.05


def test_a_light_node_is_a_leaf_and_so_is_a_pure_one():
    data, binning = draw_rows(2, 60, 2)
    weight = data.weights.sum()
    assert grow(data, binning, max_depth=1, min_split=weight + 1).n_leaves == 1
    assert grow(data, binning, max_depth=1, min_split=weight - 1).n_leaves > 1
    data.group_of[:] = 1
    assert grow(data, binning, max_depth=3).n_leaves == 1


def test_tested_columns_say_nothing_in_the_leaves():
    data, binning = draw_rows(5, 200, 3)
    tree = grow(data, binning, max_depth=2)
    assert tree.is_used.any()
    for leaf, used in enumerate(tree.is_used):
        for j in np.flatnonzero(used):
            here = slice(binning.starts[j], binning.starts[j] + binning.n_codes[j])
            assert not tree.evidence[leaf, here].any()


def test_wide_codes_grow_the_same_tree():
    data, binning = draw_rows(6, 100, 3)
    tree = grow(data, binning, max_depth=2)
    wide = data.rows.codes.astype(np.uint16)
    scores = tree.score(wide, wide)
    np.testing.assert_array_equal(scores, tree.score(data.rows.codes, data.rows.codes))
