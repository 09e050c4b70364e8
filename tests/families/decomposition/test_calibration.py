"""Probabilities of classes are believed as far as those of rows left out were right."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier

from bayfold import ClassDecompositionClassifier, NaiveBayesClassifier
from bayfold.families.decomposition.calibration import rescale


def draw_noise(n_rows=300, n_columns=20, seed=0):
    """Columns with long tails that tell nothing, and a class of which three of ten rows are."""
    rng = np.random.default_rng(seed)
    X = np.exp(2.0 * rng.normal(size=(n_rows, n_columns)))
    return X, np.where(rng.random(n_rows) < 0.3, "yes", "no")


@pytest.mark.parametrize("n_clusters", ["accuracy", 2])
def test_noise_is_hardly_worse_than_the_prior(n_clusters):
    X, y = draw_noise()
    rows, truth = draw_noise(2000, seed=1)
    found = {}
    base = NaiveBayesClassifier(numeric="gaussian")
    for calibration in ("temperature", None):
        model = ClassDecompositionClassifier(
            base, n_clusters=n_clusters, calibration=calibration, random_state=0
        ).fit(X, y)
        found[calibration] = log_loss(truth, model.predict_proba(rows))
    prior = log_loss(truth, np.tile([np.mean(y == "no"), np.mean(y == "yes")], (2000, 1)))
    assert found["temperature"] < prior + 0.05
    assert found["temperature"] < found[None]


def test_the_mean_of_each_class_is_its_share():
    rng = np.random.default_rng(2)
    y = rng.choice(3, 600, p=[0.6, 0.3, 0.1])
    X = rng.standard_t(3, size=(600, 4)) + y[:, None]
    X = np.column_stack([X, X])  # copies make naive Bayes too sure of itself
    model = ClassDecompositionClassifier(n_folds=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X).mean(axis=0), np.bincount(y) / len(y), atol=0.02
    )
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


def test_the_predicted_class_is_the_most_probable_and_is_explained():
    X, y = draw_noise(200, 4)
    for n_clusters in ("accuracy", 2):
        model = ClassDecompositionClassifier(n_clusters=n_clusters, random_state=0).fit(X, y)
        predicted = model.predict(X)
        probable = model.classes_[model.predict_proba(X).argmax(axis=1)]
        np.testing.assert_array_equal(predicted, probable)
        explained = model.explain(X)
        np.testing.assert_array_equal(explained["class"], predicted[explained["row"]])


def test_probabilities_of_zero_and_one_are_calibrated_too():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    model = ClassDecompositionClassifier(KNeighborsClassifier(1), n_clusters=2, random_state=0).fit(
        X, y
    )
    probability = model.predict_proba(rng.normal(size=(500, 2)))
    assert np.isfinite(probability).all()
    assert 0.1 < probability.min() < probability.max() < 0.9  # seven of ten held-out rows are right


def test_where_no_row_can_be_left_out_probabilities_stay():
    model = ClassDecompositionClassifier(n_clusters=2, min_class_size=1, random_state=0)
    model.fit([[0.0], [1.0]], ["a", "b"])
    inner = model.estimator_.predict_proba([[0.2]])
    np.testing.assert_array_equal(model.predict_proba([[0.2]]), inner)


def test_without_a_scale_probabilities_stay():
    probability = np.array([[0.2, 0.8]])
    assert rescale(probability, None) is probability
