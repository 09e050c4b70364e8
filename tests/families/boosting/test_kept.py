"""Rounds with rows that stay where they are: kernels against their twins, and against rounds in one place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.families.boosting import kernels
from bayfold.families.boosting.kept.part import KeptRead, KeptRules, find_folds, find_row_grid
from bayfold.families.boosting.kernels.inputs import BELOW, EQUAL, LOG_LOSS, LOG_RATE, SQUARED
from bayfold.families.boosting.rounds.task import make_log_loss
from tests.families.boosting.test_rounds import draw_data
from tests.reference import boost as reference

seeds = st.integers(0, 2**32 - 1)
losses = st.sampled_from([(LOG_LOSS, 1), (LOG_LOSS, 3), (SQUARED, 1), (LOG_RATE, 1)])


def draw_held(rng, loss, n_rows, n_scores):
    if loss != LOG_LOSS:
        return rng.normal(size=(n_rows, 1))
    return rng.uniform(0.05, 0.95, (n_rows, n_scores))


@given(seeds, losses)
def test_pulls_and_losses(seed, kind):
    loss, n_scores = kind
    data, rng = draw_data(seed, n_scores)
    data = data._replace(weights=rng.integers(1, 5, len(data.codes)).astype(float))
    n_rows = len(data.codes)
    keys = rng.integers(0, 2**64 - 1, n_rows, dtype=np.uint64)
    fold_of = rng.integers(0, 3, n_rows).astype(np.uint16)
    factors = rng.uniform(0.5, 2.0, 8)
    held = draw_held(rng, loss, n_rows, n_scores)
    tree = np.array([[1, BELOW, 3], [2, EQUAL, 2], [0, BELOW, 4], *[[0, 3, 0]] * 4])
    places = np.array([[-2, -2, -1, 1, 0, -1, -1], [-2, 0, -1, -1, -1, -1, -1], [0, *[-1] * 6]])
    draw = np.array([rng.integers(3), rng.integers(2**62), 2**63], np.uint64)
    units = np.array([2.0**20, 2.0**18, 2.0**16])
    for asked in places:
        columns = rng.integers(0, 4, (2, 2))
        found, known = np.zeros((2, 2, 2, 8, n_scores, 2), np.int64)
        squares, known_squares = np.zeros((2, 1), np.int64)
        rows = data, loss, keys, fold_of, factors, draw, held, tree, asked, columns, units
        kernels.count_pulls(*rows, found, squares)
        reference.count_pulls(*rows, known, known_squares)
        np.testing.assert_allclose(found, known, atol=5 * n_rows)  # of 2^18: rounding
        np.testing.assert_allclose(squares, known_squares, atol=5 * n_rows)
    found, known = np.zeros((2, 2), np.int64)
    rows = data, loss, fold_of, factors, int(draw[0]), held, 2.0**20
    kernels.sum_left_out(*rows, found)
    reference.sum_left_out(*rows, known)
    np.testing.assert_allclose(found, known, atol=5 * n_rows)


@given(seeds)
def test_splits_are_those_of_the_twin(seed):
    data, rng = draw_data(seed, 1)
    gradients = np.stack([rng.integers(-9, 10, 20), rng.integers(1, 9, 20)], axis=1)
    columns = np.array([2, 0])
    words = np.zeros((2, 8), np.int64)
    for k, j in enumerate(columns):
        np.add.at(words[k], data.codes[:, j], (gradients[:, 0] << 32) + gradients[:, 1])
    split = np.zeros(3, np.int64)
    kernels.find_packed_split(words.ravel(), 1, columns, data, np.ones(1), 1.0, 0.1, split)
    order = columns.tolist(), data.n_codes.tolist(), data.ordered.tolist()
    known, _ = reference.find_split(data.codes, gradients, *order, [1.0], 1.0, 0.1)
    assert tuple(split.tolist()) == known


def make_part(seed=0, n_rows=500):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 2**64 - 1, n_rows, dtype=np.uint64)
    keys[:200] = keys[0]  # one row, many times
    codes = rng.integers(2, 6, (n_rows, 3)).astype(np.uint8)
    codes[:200] = codes[0]
    labels = rng.integers(0, 2, n_rows)
    labels[:200] = 0
    wide = np.empty((n_rows, 0), np.uint16)
    read = KeptRead(codes, wide, labels, np.ones(n_rows), keys)
    n_codes = np.full(3, 6)
    rules = KeptRules(make_log_loss(2), 1, 4, n_codes, np.ones(2), find_row_grid(n_rows))
    return read, rules


def test_a_row_that_is_repeated_is_dealt_to_all_folds():
    read, rules = make_part()
    for cut in (0, 90, 350):  # the same from any parts
        parts = [
            rules.make(read.take(rows)) for rows in np.split(np.arange(500), [cut]) if len(rows)
        ]
        weights = sum(part.count_keys() for part in parts)
        is_heavy = weights > 0.1 * weights.sum()
        for part in parts:
            part.spread(is_heavy)
        fold_of = np.concatenate([part.fold_of for part in parts])
        weights = np.concatenate([part.rows.weights for part in parts])
        in_fold = np.bincount(fold_of, weights * rules.grid / rules.n_folds)
        assert in_fold.sum() == pytest.approx(500)
        others = np.bincount(find_folds(read.keys[200:], 4), minlength=4)
        np.testing.assert_allclose(in_fold, others + 50)


def test_left_out_rows_are_shown_in_one_order():
    read, rules = make_part()
    whole = rules.make(read)
    whole.begin(np.full(2, 0.5), ())
    known = whole.show_left_out(np.uint64(2**64 - 1)).collapsed()
    order = np.random.default_rng(1).permutation(500)
    parts = [rules.make(read.take(rows)) for rows in np.array_split(order, 3)]
    for part in parts:
        part.begin(np.full(2, 0.5), ())
    shown = [part.show_left_out(np.uint64(2**64 - 1)) for part in parts]
    found = (shown[0] + shown[1] + shown[2]).collapsed()
    for name, array in vars(known.rows).items():
        np.testing.assert_array_equal(getattr(found.rows, name), array)
    assert known.rows.weights.max() * rules.grid in (200, 1)
    assert (known.fold_of == 0).all()
