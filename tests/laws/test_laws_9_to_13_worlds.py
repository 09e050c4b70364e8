"""Laws 9, 10, 11 and 13 in random worlds: balance, coverage, no harm, names."""

from __future__ import annotations

import numpy as np
import pytest

from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
)
from benchmarks.world_judge import make_judge
from benchmarks.world_tables import TARGETS, draw_world

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")

HARMS = {"error", "not finite", "worse than the prior", "worse than the mean", "biased mean"}
"""What no model may do in any world."""


def find_harms(name, world):
    harms, _ = make_judge(world).judge(name)
    return [str(harm) for harm in harms if harm.kind in HARMS]


@pytest.mark.parametrize("seed", range(2000, 2006))
@pytest.mark.parametrize(
    "name",
    ["NaiveBayesClassifier", "AveragedOneDependenceClassifier", "BoostedNaiveBayesClassifier"],
)
def test_classes_are_balanced_and_not_harmed(name, seed):
    assert find_harms(name, draw_world(seed, "classes", 800)) == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["NaiveBayesRegressor", "BoostedNaiveBayesRegressor"])
def test_means_are_balanced_and_not_harmed(name, target):
    assert find_harms(name, draw_world(2000, "numbers", 1200, "one", target)) == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["NaiveBayesRegressor", "BoostedNaiveBayesRegressor"])
def test_intervals_hold_their_level(name, target):
    harms, _ = make_judge(draw_world(2001, "numbers", 1200, "one", target)).judge(name)
    assert [str(harm) for harm in harms if harm.kind == "interval too narrow"] == []


@pytest.mark.parametrize("make", [NaiveBayesRegressor, BoostedNaiveBayesRegressor])
def test_a_distribution_agrees_with_itself(make):
    """Mean, variance and quantiles are those of the same distribution."""
    world = draw_world(2002, "numbers", 1200, "one", "lognormal")
    X, rows = world.X[: world.n_train], world.X[world.n_train :][:50]
    model = make().fit(X, world.y[: world.n_train])
    distribution = model.predict_distribution(rows)
    drawn = distribution.sample(4000, random_state=0)
    error = distribution.std() / np.sqrt(4000)
    assert (np.abs(drawn.mean(axis=1) - distribution.mean()) <= 5 * error).all()
    found = distribution.cdf(distribution.ppf([0.1, 0.5, 0.9]))
    np.testing.assert_allclose(found, np.tile([0.1, 0.5, 0.9], (50, 1)), atol=0.02)


MODELS = {
    "naive Bayes": NaiveBayesClassifier(),
    "AODE": AveragedOneDependenceClassifier(),
    "boosted": BoostedNaiveBayesClassifier(random_state=0),
}


@pytest.fixture(params=[700, 23_000], ids=["few rows", "beyond the sample"])
def rows_of_classes(request):
    """Rows with classes, and rows to ask about; beyond the sample of 20,000 rows, too."""
    world = draw_world(2003, "classes", request.param, "one")
    X = world.X.iloc[:, :5]
    return X[: request.param], world.y[: request.param], X[request.param :]


@pytest.mark.parametrize("name", MODELS)
def test_the_order_of_rows_changes_nothing(name, rows_of_classes):
    X, y, asked = rows_of_classes
    order = np.random.default_rng(0).permutation(len(y))
    expected = MODELS[name].fit(X, y).predict_proba(asked)
    found = MODELS[name].fit(X.iloc[order].reset_index(drop=True), y[order]).predict_proba(asked)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_names_change_nothing(name, rows_of_classes):
    X, y, asked = rows_of_classes
    renamed = {column: f"column {k}" for k, column in enumerate(X.columns)}
    labels = np.array(["b", "c", "d", "e", "f"])  # in the same order: columns of probabilities stay
    expected = MODELS[name].fit(X, y).predict_proba(asked)
    for frame, target, same in (
        (X.rename(columns=renamed), y, asked.rename(columns=renamed)),
        (X, labels[y], asked),
    ):
        found = MODELS[name].fit(frame, target).predict_proba(same)
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("make", [NaiveBayesRegressor, BoostedNaiveBayesRegressor])
def test_the_order_of_rows_changes_no_distribution(make):
    """Beyond the sample of 20,000 rows; sums of numbers are rounded in the order of rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(23_000, 3))
    y = X[:, 0] + np.abs(X[:, 1]) * rng.normal(size=23_000)
    order = rng.permutation(23_000)
    expected = make().fit(X, y).predict_distribution(X[:50])
    found = make().fit(X[order], y[order]).predict_distribution(X[:50])
    levels = [0.1, 0.5, 0.9]
    np.testing.assert_allclose(found.ppf(levels), expected.ppf(levels), rtol=1e-7, atol=1e-7)
