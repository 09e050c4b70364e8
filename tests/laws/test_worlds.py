"""Random worlds (``benchmarks.worlds``): the truth given with a world is true, and the judge finds what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.world_judge import GRID, INTERVALS, ClassJudge, NumberAnswer, make_judge
from benchmarks.world_tables import COARSE, EXACT, TARGETS, draw_column, draw_world

BOUNDS = np.array([side for level in INTERVALS for side in ((1 - level) / 2, (1 + level) / 2)])
SEEDS = range(12)


def draw_small(seed, task):
    """A world of 400 rows."""
    return draw_world(seed, task, n_rows=400)


def answer_truth(judge, narrower=0.0):
    """What a regressor that knows the truth says, with intervals that are too narrow by a share."""
    levels = np.concatenate([GRID, 0.5 + (BOUNDS - 0.5) * (1 - narrower)])
    found = np.quantile(judge.quantiles, levels, axis=1, method="inverted_cdf").T
    scores = np.zeros(len(found))
    return NumberAnswer(judge.truth, found[:, : len(GRID)], found[:, len(GRID) :], scores)


def find_kinds(harms):
    return {kind for kind, _ in harms}


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_a_seed_is_a_world(task):
    first, again = draw_small(3, task), draw_small(3, task)
    assert first.X.equals(again.X)
    assert np.array_equal(first.y, again.y)
    assert str(first) == str(again)


@pytest.mark.parametrize("seed", SEEDS)
def test_classes_come_as_often_as_their_probabilities_say(seed):
    world = draw_small(seed, "classes")
    shares = np.bincount(world.y, minlength=world.probabilities.shape[1]) / len(world.y)
    assert np.allclose(world.probabilities.sum(axis=1), 1)
    deviation = np.sqrt((world.probabilities * (1 - world.probabilities)).sum(axis=0)) / len(
        world.y
    )
    off = np.abs(shares - world.probabilities.mean(axis=0))
    assert (off <= 4 * deviation + 2 / len(world.y)).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_lie_within_their_quantiles_as_often_as_these_say(seed):
    world = draw_small(seed, "numbers")
    drawn = world.y[world.n_train :]
    n = len(drawn)
    for level in (20, 100, 180):
        at_most = (drawn <= world.quantiles[:, level]).mean()
        below = (drawn < world.quantiles[:, level]).mean()
        chance = 4 * np.sqrt(0.25 / n) + 1 / 200
        assert below - chance <= level / 200 <= at_most + chance
    deviation = max((drawn - world.means[world.n_train :]).std(), world.quantiles.std())
    assert abs((drawn - world.means[world.n_train :]).mean()) <= 4 * deviation / np.sqrt(n)


@pytest.mark.parametrize("kind", [*EXACT, *COARSE])
def test_likelihoods_of_cells_are_those_of_the_hidden_numbers(kind):
    """The share of a class among rows, given the cells of one column, is what Bayes' rule makes of the likelihoods."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    means = np.array([-0.5, 0.5])
    column = draw_column(rng, rng.normal(size=len(y)) + means[y], kind)
    log_odds = column.log_odds(means)
    p = 1 / (1 + np.exp(log_odds[:, 0] - log_odds[:, 1]))
    for low, high in ((0, 0.3), (0.3, 0.7), (0.7, 1)):
        rows = (p >= low) & (p <= high)
        if rows.sum() > 100:
            assert abs(y[rows].mean() - p[rows].mean()) <= 4 * np.sqrt(0.25 / rows.sum())


def test_the_truth_is_no_harm():
    for seed in range(8):
        judge = make_judge(draw_small(seed, "classes"))
        assert judge.compare(judge.truth, in_reach=False) == []
        judge = make_judge(draw_small(seed, "numbers"))
        assert judge.compare(answer_truth(judge), in_reach=False) == []


def test_wrong_probabilities_are_found():
    world = draw_world(2, "classes", n_rows=3000)
    judge = make_judge(world)
    assert isinstance(judge, ClassJudge)
    turned = judge.truth[:, ::-1]
    assert {"worse than the prior", "biased mean"} <= find_kinds(
        judge.compare(turned, in_reach=False)
    )
    pulled = 0.7 * judge.truth + 0.3 / judge.n_classes
    assert "biased mean" in find_kinds(judge.compare(pulled, in_reach=False))
    assert find_kinds(judge.compare(np.full_like(turned, np.nan), in_reach=False)) == {"not finite"}


def test_a_model_that_knows_nothing_is_far_behind_a_peer():
    judge = make_judge(draw_world(4, "classes", 1000, "naive"))
    shares = np.tile(np.bincount(judge.y) / len(judge.y), (len(judge.truth), 1))
    kinds = find_kinds(judge.compare(shares, in_reach=True))
    assert {kind.split(" behind")[0] for kind in kinds} == {"far"}
    assert judge.compare(judge.truth, in_reach=True) == []


@pytest.mark.parametrize("target", TARGETS)
def test_wrong_means_and_intervals_are_found(target):
    judge = make_judge(draw_world(5, "numbers", 3000, "one", target))
    answer = answer_truth(judge, narrower=0.3)
    answer.means = answer.means + 0.5 * judge.y.std()
    kinds = find_kinds(judge.compare(answer, in_reach=False))
    assert "biased mean" in kinds
    if target not in (
        "claims",
        "censored",
        "Poisson",
        "rounded",
    ):  # atoms: narrower levels may be the same bounds
        assert "interval too narrow" in kinds


def test_an_error_is_a_harm(monkeypatch):
    judge = make_judge(draw_small(0, "classes"))
    monkeypatch.setattr(judge, "_fit", lambda model: model.fit(judge.X, None))
    harms, _ = judge.judge("NaiveBayesClassifier")
    assert [harm.kind for harm in harms] == ["error"]
