"""AdaBoost.M1: the paper's loop, restarts, weights, and the exact collapse of the confidence-rated kind."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold.core.counts import RowHashes
from bayfold.core.schema import NominalColumn, Schema
from bayfold.errors import DataWarning
from bayfold.families.adaboost.m1 import (
    TableBase,
    TreeBase,
    boost_m1,
    boost_real,
    collapse_voters,
    count_votes,
)
from bayfold.families.adaboost.row_weights import LEAST_ROW_WEIGHT, RowWeights
from bayfold.families.trees.binning import BinnedRows
from bayfold.families.trees.grower import TreeGrower, TreeSettings
from bayfold.families.trees.model import LeafSettings
from bayfold.families.trees.rows import collapse_rows
from tests.families.trees.draw import draw_rows
from tests.reference import adaboost as reference

seeds = st.integers(0, 2**32 - 1)


class Recorder:
    """A base that remembers the weights it was given."""

    def __init__(self, base, rows):
        self.base, self.rows, self.weights = base, rows, []

    def fit(self):
        self.weights.append(self.rows.part.weights.copy())
        return self.base.fit()


def make_base(rows, binning, depth):
    if depth == 0:
        return TableBase(rows, binning, LeafSettings())
    settings = TreeSettings(max_depth=depth)
    n_groups = rows.part.data.n_groups
    bins = {"leaves": binning, "split_binning": binning}
    return TreeBase(TreeGrower(rows, n_groups, **bins, settings=settings))


def fit_once(data, binning, depth, weights):
    rows = RowWeights.of(data).rows
    rows.part.factors = weights / data.given
    return make_base(rows, binning, depth).fit()


def boost(data, make, n_rounds, restarts=True):
    weighed = RowWeights.of(data)
    base = make(weighed.rows)
    return list(boost_m1(weighed, base, n_rounds, np.random.RandomState(0), restarts))


@pytest.mark.parametrize("depth", [0, 2])
@given(seeds, st.integers(2, 4))
@settings(max_examples=12)
def test_the_loop_is_the_paper_s(depth, seed, n_groups):
    data, binning = draw_rows(seed, 60, n_groups)
    weighed = RowWeights.of(data)
    recorder = Recorder(make_base(weighed.rows, binning, depth), weighed.rows)
    rounds = list(boost_m1(weighed, recorder, 6, np.random.RandomState(seed)))
    rng = np.random.RandomState(seed)
    total = data.total

    def draw():
        return rng.multinomial(round(total), data.weights / total)

    errors, votes, after = reference.boost_m1(
        lambda w: fit_once(data, binning, depth, w).score(data.rows),
        data.group_of,
        data.weights,
        6,
        draw,
    )
    np.testing.assert_allclose([r.error for r in rounds], errors, rtol=1e-9)
    np.testing.assert_allclose([r.vote for r in rounds], votes, rtol=1e-9)
    for weights in recorder.weights:
        np.testing.assert_allclose(weights.sum(), total, rtol=1e-12)
        assert weights.min() >= LEAST_ROW_WEIGHT * 0.99
    assert len(after) == 6


def test_a_perfect_model_votes_loudly_and_is_followed_by_a_bootstrap_sample():
    data, binning = draw_rows(1, 80, 2, missing=0.0)
    data.group_of[:] = data.rows.codes[:, 0] == 2  # naive Bayes is never wrong
    weighed = RowWeights.of(data)
    recorder = Recorder(make_base(weighed.rows, binning, 0), weighed.rows)
    rounds = list(boost_m1(weighed, recorder, 3, np.random.RandomState(0)))
    np.testing.assert_allclose([r.vote for r in rounds], np.log(1e10))  # as the paper has it
    assert [r.error for r in rounds] == [0.0] * 3
    assert [r.n_restarts for r in rounds] == [0, 1, 1]
    multiplicities = recorder.weights[1]
    assert (np.abs(multiplicities - np.round(multiplicities)) < 1e-4).all()
    assert (multiplicities < 1e-6).any()
    only = list(boost(data, lambda rows: make_base(rows, binning, 0), 3, restarts=False))
    assert len(only) == 1


class Useless:
    """Wrong on everything until it has been fitted often enough."""

    def __init__(self, base, n_bad):
        self.base, self.n_bad, self.n_fits = base, n_bad, 0

    def fit(self):
        self.n_fits += 1
        return AlwaysWrong() if self.n_fits <= self.n_bad else self.base.fit()


class AlwaysWrong:
    def score(self, rows):
        return np.zeros((rows.n_rows, 1))

    def mark_wrong(self, data, weights, wrong):
        wrong[:] = True
        return weights.sum()


def test_a_model_worse_than_chance_is_thrown_away_and_the_round_tried_again():
    data, binning = draw_rows(3, 80, 2)
    rounds = boost(data, lambda rows: Useless(make_base(rows, binning, 0), n_bad=4), 5)
    assert len(rounds) == 5
    assert [r.n_restarts for r in rounds[:1]] == [4]
    assert all(r.error < 0.5 for r in rounds)


def test_boosting_gives_up_with_a_warning_and_keeps_one_model():
    data, _ = draw_rows(3, 80, 2)
    with pytest.warns(
        DataWarning, match="Boosting stopped after 0 of 5 rounds: 51 models in a row"
    ):
        rounds = boost(data, lambda _: Useless(None, n_bad=10**6), 5)
    assert len(rounds) == 1
    rounds = boost(data, lambda _: Useless(None, n_bad=10**6), 5, restarts=False)
    assert len(rounds) == 1  # without restarts: the first is the last, and no warning


def test_without_restarts_boosting_ends_at_the_first_failure():
    data, binning = draw_rows(3, 80, 2)

    class Failing(Useless):
        def fit(self):
            self.n_fits += 1
            return self.base.fit() if self.n_fits <= 2 else AlwaysWrong()

    def make(rows):
        return Failing(make_base(rows, binning, 0), 0)

    assert len(boost(data, make, 5, restarts=False)) == 2


def test_drawn_weights_are_a_bootstrap_sample():
    data, _ = draw_rows(4, 50, 2)
    weighed = RowWeights.of(data)
    mean = np.zeros(50)
    rng = np.random.RandomState(0)
    for _ in range(400):
        weighed.draw(rng)
        weights = weighed.rows.part.weights
        np.testing.assert_allclose(weights.sum(), data.total)
        mean += weights / 400
    np.testing.assert_allclose(mean, data.weights, atol=0.45)


def test_votes_add_up():
    data, binning = draw_rows(5, 60, 3)
    rounds = boost(data, lambda rows: make_base(rows, binning, 1), 7)
    votes = count_votes(rounds, data.rows, 3)
    np.testing.assert_allclose(votes.sum(axis=1), sum(r.vote for r in rounds))


@given(seeds, st.integers(2, 5), st.sampled_from([1.0, 0.3]), st.integers(1, 20))
@settings(max_examples=25)
def test_the_collapse_has_the_scores_of_the_ensemble(seed, n_groups, rate, n_rounds):
    data, binning = draw_rows(seed, 60, n_groups)
    weighed = RowWeights.of(data)
    base = make_base(weighed.rows, binning, 0)
    voters = list(boost_real(weighed, base, n_rounds, rate))
    together = np.sum([voter.score(data.rows) for voter in voters], axis=0)
    found = collapse_voters(voters).score(data.rows)
    scale = np.abs(together).max() + 1e-300
    assert np.abs(found - together).max() <= 1e-10 * scale


def test_confidence_rated_weights_follow_the_scores():
    data, binning = draw_rows(8, 60, 3)
    weighed = RowWeights.of(data)
    recorder = Recorder(make_base(weighed.rows, binning, 0), weighed.rows)
    voters = list(boost_real(weighed, recorder, 4, 0.5))
    scores = np.zeros((data.rows.n_rows, 3))
    for before, voter in itertools.pairwise(voters):
        scores += before.score(data.rows)
        own = scores[np.arange(len(scores)), data.group_of]
        expected = data.weights * np.exp(-own)
        expected *= data.total / expected.sum()
        k = voters.index(voter)
        np.testing.assert_allclose(recorder.weights[k], expected, rtol=1e-5, atol=1e-7)


@given(seeds, st.integers(1, 40))
def test_equal_rows_become_one_whatever_their_order(seed, n_rows):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n_rows, 3)).astype(np.uint8)
    tests = codes.copy()
    tests[:, 0] += rng.integers(0, 2, n_rows).astype(np.uint8)
    groups = rng.integers(0, 2, n_rows).astype(np.int32)
    weights = rng.integers(1, 4, n_rows).astype(float)
    order = rng.permutation(n_rows)
    words = RowHashes(Schema(tuple(NominalColumn(name, ("a",)) for name in "xyz")), np.arange(2))
    a = collapse_rows(BinnedRows(tests, codes), groups, weights, words)
    b = collapse_rows(BinnedRows(tests[order], codes[order]), groups[order], weights[order], words)
    for first, second in (
        (a.rows.codes, b.rows.codes),
        (a.rows.split_codes, b.rows.split_codes),
        (a.group_of, b.group_of),
        (a.weights, b.weights),
    ):
        np.testing.assert_array_equal(first, second)
    full = np.column_stack([tests, codes, groups])
    distinct, inverse = np.unique(full, axis=0, return_inverse=True)
    expected = np.bincount(inverse.ravel(), weights)
    found = np.column_stack([a.rows.split_codes, a.rows.codes, a.group_of])
    assert len(found) == len(distinct)
    place = {tuple(row): w for row, w in zip(distinct.tolist(), expected, strict=True)}
    assert [place[tuple(row)] for row in found.tolist()] == a.weights.tolist()
