"""The boosting kernels against their twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold.families.boosting import kernels
from bayfold.families.boosting.kernels import dealing, histograms, rounds
from bayfold.families.boosting.kernels import splits as split_kernels
from bayfold.families.boosting.kernels.inputs import (
    LOG_LOSS,
    LOG_RATE,
    ROWS_MOVED_AT_ONCE,
    SQUARED,
    BoostRules,
    CodeRows,
)
from tests.plain import callable_kernel
from tests.reference import boost as reference

draw_columns = callable_kernel(dealing.draw_columns)
draw_rows = callable_kernel(dealing.draw_rows)
fill_histograms = callable_kernel(histograms.fill_histograms)
find_split = callable_kernel(split_kernels.find_split)
make_scratch = callable_kernel(rounds.make_scratch)
unpack_words = callable_kernel(histograms.unpack_words)

seeds = st.integers(0, 2**32 - 1)
scores = st.sampled_from([1, 3, 4])


def draw_data(seed, n_scores, n_rows=20, n_columns=4, most_codes=7):
    """Coded rows with missing cells in ordered and nominal columns, and whole or fractional weights."""
    rng = np.random.default_rng(seed)
    n_codes = rng.integers(3, most_codes + 1, n_columns)
    codes = np.stack([rng.integers(0, n, n_rows) for n in n_codes], axis=1).astype(np.uint8)
    codes[codes == 1] = 0  # code 1, for categories not seen, does not occur in training
    labels = rng.integers(0, max(n_scores, 2), n_rows)
    weights = rng.choice([1.0, 2.0, 0.25], n_rows)
    targets = np.abs(rng.normal(size=n_rows)) if n_scores == 1 else np.empty(0)
    ordered = rng.random(n_columns) < 0.5
    exposures = rng.uniform(0.1, 2.0, n_rows)
    power = rng.choice([1, 1.4, 2])
    total = weights.sum()
    allowed = draw_allowed(rng, n_columns)
    data = CodeRows(
        codes, labels, targets, weights, n_codes, ordered, total, exposures, power, allowed
    )
    return data, rng


def draw_allowed(rng, n_columns):
    """All pairs of columns, or some of them."""
    if rng.random() < 0.5:
        return np.empty((0, 0), np.uint8)
    allowed = rng.random((n_columns, n_columns)) < 0.4
    return (allowed | allowed.T | np.eye(n_columns, dtype=bool)).astype(np.uint8)


def make_rules(data, **changes):
    given = {
        "loss": LOG_LOSS,
        "row_share": 0.7,
        "most_rows": 1000,
        "n_drawn": 2,
        "rate": 0.3,
        "ridge": 1.0,
        "largest_step": 2.0,
        "stretch": 1.0,
        "two_columns": True,
        "third_level": False,
        "pair_bins": 8,
    }
    return BoostRules(**(given | changes))


@given(seeds, st.integers(1, 60), st.floats(0.1, 1.0), st.sampled_from([3, 1000]))
def test_draws_match_the_twin(seed, n_rows, share, most):
    start = np.random.default_rng(seed).integers(0, n_rows + 1)
    fold = np.array([start, min(start + 4, n_rows)])
    state = np.array([seed], np.uint64)
    words = reference.Words(seed)
    rows = np.empty(n_rows + 1, np.int64)
    n_drawn = draw_rows(n_rows, fold, share, most, state, rows)
    assert rows[:n_drawn].tolist() == reference.draw_rows(n_rows, fold, share, most, words)
    columns = np.arange(6)
    draw_columns(state, columns, 4)
    assert columns.tolist() == reference.draw_columns(words, range(6), 4)
    assert int(state[0]) == words.state


@given(st.integers(2, 400), st.integers(0, 400), st.sampled_from([5, 100]))
def test_there_is_room_for_whatever_is_drawn(n_rows, n_left_out, most):
    data, _ = draw_data(0, 1, n_rows)
    fold = np.array([0, min(n_left_out, n_rows - 1)])
    rules = make_rules(data, most_rows=most)
    n_room = len(make_scratch(data, rules, fold, 1).words)
    n_outside = n_rows - fold[1]
    # by chance all of them may be drawn, unless there are too many for single draws
    assert n_room == (most if rules.row_share * n_outside > most else n_outside)


def test_rows_are_drawn_as_often_as_asked():
    rows = np.empty(100_001, np.int64)
    state = np.array([1], np.uint64)
    n_drawn = draw_rows(100_000, np.array([0, 0]), 0.7, 1 << 20, state, rows)
    assert abs(n_drawn - 70_000) < 700


def test_blocks_of_many_rows_are_drawn_evenly():
    n_rows, fold, most = 50_000, np.array([12_000, 15_000]), 1 << 14
    rows, state, times = np.empty(most + 1, np.int64), np.array([1], np.uint64), np.zeros(n_rows)
    for _ in range(400):
        n_drawn = draw_rows(n_rows, fold, 0.7, most, state, rows)
        assert most - ROWS_MOVED_AT_ONCE < n_drawn <= most
        np.add.at(times, rows[:n_drawn], 1)
    outside = np.delete(times, np.arange(*fold))
    assert times.sum() == outside.sum()
    # 4 of 12 blocks: a third of 400 times, with a standard deviation of 9.4
    assert np.abs(outside - 400 / 3).max() < 40


@given(seeds, scores)
def test_the_split_matches_the_twin(seed, n_scores):
    data, rng = draw_data(seed, n_scores)
    n_rows = len(data.codes)
    gradients = rng.integers(-1000, 1000, (n_rows, n_scores + 1))
    gradients[:, -1] = rng.integers(1, 500, n_rows)
    shares, ridge, noise = rng.dirichlet(np.ones(n_scores)), 300.0, 1000.0
    n_words = (n_scores + 2) // 2
    lanes = np.zeros((n_rows, 2 * n_words), np.int64)
    lanes[:, : n_scores + 1] = gradients
    words = (lanes[:, 0::2] << 32) + lanes[:, 1::2]
    columns = rng.permutation(4)[:3]
    ends = np.cumsum(data.n_codes[columns] * n_words)
    histogram = np.zeros(ends[-1], np.int64)
    places = np.append(0, ends[:-1])
    everything = np.arange(n_rows)
    fill_histograms(data.codes, everything, words, everything, n_rows, columns, places, histogram)
    split = np.zeros(3, np.int64)
    how = (data.n_codes, data.ordered, shares, ridge, noise)
    gain = find_split(histogram, n_words, places, columns, *how, split)
    expected, expected_gain = reference.find_split(
        data.codes, gradients.astype(float), columns, *how
    )
    assert tuple(split) == expected
    assert gain == pytest.approx(expected_gain, rel=1e-6, abs=1e-3)


@given(st.lists(st.tuples(st.integers(-(2**20), 2**20), st.integers(-(2**20), 2**20)), max_size=50))
def test_two_sums_fit_in_a_word(pairs):
    word = np.array([sum((a << 32) + b for a, b in pairs)], np.int64)
    sums = np.zeros(2)
    unpack_words(word, 0, 1, sums)
    assert sums.tolist() == [sum(a for a, _ in pairs), sum(b for _, b in pairs)]


def run_rounds(data, rules, fold, state, scores, n_rounds, n_at_once=None):
    """Splits, values and losses of some rounds, a few at once, after which all rows have been moved."""
    splits = np.zeros((n_rounds, 7, 3), np.int64)
    values, losses = np.zeros((n_rounds, 8, scores.shape[1])), np.zeros(n_rounds)
    moved = np.zeros(-(-len(scores) // ROWS_MOVED_AT_ONCE), np.int64)
    for t in range(0, n_rounds, n_at_once or n_rounds):
        some = losses[t : t + (n_at_once or n_rounds)]
        kernels.boost_rounds(data, rules, fold, state, scores, moved, splits, values, t, some)
    trees = splits, values, n_rounds
    kernels.catch_up(rules.loss, data, fold, *trees, scores, moved, 0, len(scores))
    return splits, values, losses


@settings(max_examples=30)
@given(seeds, scores, st.booleans(), st.booleans(), st.sampled_from([5, 1000]))
def test_rounds_match_the_twin(seed, n_scores, two_columns, third_level, most_rows):
    data, rng = draw_data(seed, n_scores)
    rules = make_rules(
        data,
        two_columns=two_columns,
        third_level=third_level,
        most_rows=most_rows,
        stretch=2.0 if n_scores == 1 else 1.0,
    )
    fold = np.array([10, 15])
    p = rng.dirichlet(np.ones(max(n_scores, 2)), len(data.codes))
    p = p[:, :1].copy() if n_scores == 1 else p
    n_rounds = 3
    expected = reference.boost_rounds(data, rules, fold, seed, p.copy(), n_rounds)
    state = np.array([seed], np.uint64)
    splits, values, losses = run_rounds(data, rules, fold, state, p, n_rounds)
    np.testing.assert_array_equal(splits, expected[0])
    np.testing.assert_allclose(values, expected[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(losses, expected[2], rtol=1e-9)
    total = 1.0 if n_scores == 1 else p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p / total, expected[3], rtol=1e-9)


@settings(max_examples=30)
@given(seeds, st.sampled_from([SQUARED, LOG_RATE]), st.booleans(), st.sampled_from([5, 1000]))
def test_rounds_of_numbers_match_the_twin(seed, loss, third_level, most_rows):
    data, rng = draw_data(seed, 1)
    rules = make_rules(data, loss=loss, third_level=third_level, most_rows=most_rows)
    fold, n_rounds = np.array([10, 15]), 3
    scores = rng.normal(size=(len(data.codes), 1))
    expected = reference.boost_number_rounds(data, rules, fold, seed, scores.copy(), n_rounds)
    state = np.array([seed], np.uint64)
    splits, values, losses = run_rounds(data, rules, fold, state, scores, n_rounds)
    np.testing.assert_array_equal(splits, expected[0])
    np.testing.assert_allclose(values, expected[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(losses, expected[2], rtol=1e-9)
    np.testing.assert_allclose(scores, expected[3], rtol=1e-9, atol=1e-12)


@settings(max_examples=30)
@given(seeds, scores, st.sampled_from([4, 30]))
def test_roots_that_look_ahead_match_the_twin(seed, n_scores, most_codes):
    """Classes by exclusive-or of two columns, so that the children gain and the root does not."""
    data, rng = draw_data(seed, n_scores, 40, 2, most_codes)
    odd = (2 * data.codes >= data.n_codes).sum(axis=1) % 2
    data.labels[:] = np.where(rng.random(40) < 0.1, data.labels, odd)
    p = rng.dirichlet(np.full(max(n_scores, 2), 100.0), 40)[:, :n_scores].copy()
    fold, rules = np.array([0, 4]), make_rules(data, stretch=2.0 if n_scores == 1 else 1.0)
    splits, _, _, _ = reference.boost_rounds(data, rules, fold, seed, p.copy(), 2)
    found, _, _ = run_rounds(data, rules, fold, np.array([seed], np.uint64), p, 2)
    np.testing.assert_array_equal(found, splits)


def test_the_root_of_an_exclusive_or_is_found_though_it_gains_nothing():
    codes = np.repeat([[2, 2], [2, 3], [3, 2], [3, 3]], 25, axis=0).astype(np.uint8)
    labels = codes.sum(axis=1) % 2
    nominal = np.zeros(2, np.bool_)
    none = np.empty(0)
    every = np.empty((0, 0), np.uint8)
    n_codes = np.array([4, 4])
    data = CodeRows(codes, labels, none, np.ones(100), n_codes, nominal, 100.0, none, 0.0, every)
    p = np.full((100, 1), 0.5)
    rules, state = make_rules(data, row_share=1.0, stretch=2.0), np.array([0], np.uint64)
    run_rounds(data, rules, np.array([0, 0]), state, p, 1)
    np.testing.assert_array_equal(p[:, 0] > 0.6, labels == 1)
    np.testing.assert_array_equal(p[:, 0] < 0.4, labels == 0)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_rounds_go_on_where_they_stopped(n_scores):
    data, rng = draw_data(3, n_scores)
    rules = make_rules(data)
    start = rng.dirichlet(np.ones(max(n_scores, 2)), len(data.codes))[:, :n_scores]

    def run(n_at_once):
        p, state = start.copy(), np.array([7], np.uint64)
        return run_rounds(data, rules, np.array([0, 5]), state, p, 6, n_at_once)

    # columns are shuffled anew in each call, from the order they have in the table
    once, again = run(6), run(6)
    np.testing.assert_array_equal(once[0], again[0])
    np.testing.assert_array_equal(once[2], again[2])
    assert np.isfinite(run(2)[2]).all()


@pytest.mark.parametrize("n_scores", [1, 3])
def test_rows_that_no_tree_looked_at_catch_up(n_scores):
    """Five rounds over runs of rows: those that were left behind end where all trees would have taken them."""
    n_rows, fold = 3 * ROWS_MOVED_AT_ONCE + 100, np.array([ROWS_MOVED_AT_ONCE - 5, 9000])
    data, rng = draw_data(5, n_scores, n_rows)
    rules = make_rules(data, most_rows=2000)
    start = rng.dirichlet(np.ones(max(n_scores, 2)), n_rows)[:, :n_scores].copy()
    p = start.copy()
    splits, values, _ = run_rounds(data, rules, fold, np.array([1], np.uint64), p, 5, n_at_once=2)
    some = rng.integers(0, n_rows, 50)
    scores = np.log(start / (1 - start)) if n_scores == 1 else np.log(start)
    for tree, leaves in zip(splits, values, strict=True):
        scores[some] += [leaves[reference.leaf_of(row, tree)] for row in data.codes[some]]
    expected = reference.find_probabilities(scores[some])
    total = 1.0 if n_scores == 1 else p[some].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p[some] / total, expected, rtol=1e-9)
