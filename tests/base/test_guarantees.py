"""Sets of classes and intervals that hold their level, by rows that were held out."""

from __future__ import annotations

import io

import numpy as np
import pytest

import bayfold
from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
    ViaRegressionClassifier,
)
from bayfold.errors import DataWarning

CLASSIFIERS = {
    "naive bayes": NaiveBayesClassifier(),
    "aode": AveragedOneDependenceClassifier(),
    "tree": NaiveBayesTreeClassifier(),
    "votes": AdaBoostNaiveBayesClassifier(n_rounds=5),
    "boosted": BoostedNaiveBayesClassifier(),
    "decomposed": ClassDecompositionClassifier(n_clusters=2),
}
N_TRAIN = 600
N_TEST = 4000
CHANCE = 3.5 * np.sqrt(0.9 * 0.1 * (1 / N_TRAIN + 1 / N_TEST))
"""Standard errors of the coverage of one fit: by the rows held out, and by those it is measured on."""


def draw(seed=0, n=N_TRAIN + N_TEST):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    scores = X @ [[1.0, -1.0, 0.0], [0.5, 1.0, -1.0], [0.0, 0.0, 0.0]] + rng.gumbel(size=(n, 3))
    y = np.array(["a", "b", "c"])[(scores + np.array([1.0, 0.0, 0.0])).argmax(axis=1)]
    return X, y


X, Y = draw()
TRAIN = slice(0, N_TRAIN)
TEST = slice(N_TRAIN, None)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_sets_hold_their_level_in_a_model_that_was_stored(name):
    model = CLASSIFIERS[name].fit(X[TRAIN], Y[TRAIN])
    stored = io.BytesIO()
    model.save(stored)
    sets = bayfold.load(io.BytesIO(stored.getvalue())).predict_set(X[TEST])
    np.testing.assert_array_equal(sets, model.predict_set(X[TEST]))
    holds = sets[np.arange(N_TEST), np.searchsorted(model.classes_, Y[TEST])]
    assert abs(holds.mean() - 0.9) < CHANCE + 0.01  # some fit fewer rows while they hold out others


def test_sets_hold_their_level_in_each_class():
    model = NaiveBayesClassifier().fit(X[TRAIN], Y[TRAIN])
    sets = model.predict_set(X[TEST], 0.8, by_class=True)
    for k, label in enumerate(model.classes_):
        of_class = Y[TEST] == label
        n_train = (Y[TRAIN] == label).sum()
        chance = 3.5 * np.sqrt(0.16 * (1 / n_train + 1 / of_class.sum()))
        assert abs(sets[of_class, k].mean() - 0.8) < chance


def test_sets_grow_with_the_coverage_and_hold_all_classes_where_rows_are_too_few():
    model = NaiveBayesClassifier().fit(X[:60], Y[:60])
    sizes = [model.predict_set(X[TEST], level).sum() for level in (0.5, 0.8, 0.95, 0.999)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 3 * N_TEST


def test_a_sum_of_models_makes_the_sets_of_all_rows():
    schema = NaiveBayesClassifier().fit(X[TRAIN], Y[TRAIN]).schema_
    parts = [
        NaiveBayesClassifier(schema=schema).fit(X[i], Y[i]) for i in (slice(300), slice(300, 600))
    ]
    whole = NaiveBayesClassifier(schema=schema).fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_array_equal(
        (parts[0] + parts[1]).predict_set(X[TEST]), whole.predict_set(X[TEST])
    )


def test_sets_follow_the_priors_that_are_given():
    """Coverage among rows whose classes are as frequent as the priors say."""
    model = NaiveBayesClassifier().fit(X[TRAIN], Y[TRAIN])
    shifted = model.with_priors({"a": 0.1, "b": 0.1, "c": 0.8})
    sets = shifted.predict_set(X[TEST])
    holds = [sets[Y[TEST] == label, k].mean() for k, label in enumerate(model.classes_)]
    assert abs(np.dot(holds, [0.1, 0.1, 0.8]) - 0.9) < 0.04


def test_collapsed_tables_keep_the_sets_and_edits_are_named():
    model = BoostedNaiveBayesClassifier(n_rounds=20).fit(X[TRAIN], Y[TRAIN])
    tables = model.collapse()
    np.testing.assert_array_equal(tables.predict_set(X[TEST]), model.predict_set(X[TEST]))
    edited = tables.remove_column("x2", reason="noise")
    with pytest.warns(DataWarning, match="limits from before the edits"):
        edited.predict_set(X[TEST])


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayesClassifier(calibration=None),
        AdaBoostNaiveBayesClassifier(method="real", n_rounds=3),
        ViaRegressionClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_that_hold_out_no_rows_are_refused_by_name(model):
    model = model.fit(X[TRAIN], Y[TRAIN])
    with pytest.raises(ValueError, match=f"Got {type(model).__name__} without any"):
        model.predict_set(X[TEST])


def test_the_coverage_is_a_share():
    model = NaiveBayesClassifier().fit(X[TRAIN], Y[TRAIN])
    with pytest.raises(ValueError, match="`coverage` must be a number above 0 and below 1"):
        model.predict_set(X[TEST], 90)


@pytest.mark.parametrize("make", [NaiveBayesRegressor, MTERegressor])
def test_intervals_hold_their_level_in_a_model_that_was_stored(make):
    """Of normal errors intervals of 90 % held 96 % of the rows."""
    rng = np.random.default_rng(5)
    table = rng.normal(size=(1500 + N_TEST, 4))
    target = table[:, 0] + np.sin(2 * table[:, 1]) + 0.5 * rng.normal(size=len(table))
    model = make().fit(table[:1500], target[:1500])
    stored = io.BytesIO()
    model.save(stored)
    bounds = bayfold.load(io.BytesIO(stored.getvalue())).predict_interval(table[1500:])
    np.testing.assert_array_equal(bounds, model.predict_interval(table[1500:]))
    holds = (bounds[:, 0] <= target[1500:]) & (target[1500:] <= bounds[:, 1])
    assert abs(holds.mean() - 0.9) < 3.5 * np.sqrt(0.09 * (1 / 1500 + 1 / N_TEST))
    assert make(calibration=None).fit(table[:300], target[:300])._fitted().correction is None
