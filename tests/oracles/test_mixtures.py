"""Mixtures against scikit-learn's Gaussian mixture and, where it is installed, StepMix's latent classes."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

from bayfold import NaiveBayesMixture
from tests.plain import plain_classifier

seeds = st.integers(0, 2**32 - 1)


def draw_numbers(seed, n_rows=200, n_columns=3):
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 3, (3, n_columns))
    X = centres[rng.integers(0, 3, n_rows)] + rng.normal(size=(n_rows, n_columns))
    return X * 10.0 ** rng.integers(-3, 4, n_columns), rng


class SameStart(GaussianMixture):
    """Starts from given memberships."""

    def _initialize_parameters(self, X, *_, **__):
        self._initialize(X, self.memberships)


def fit_both(seed, n_components, n_iterations):
    X, rng = draw_numbers(seed)
    memberships = rng.dirichlet(np.ones(n_components), len(X))
    ours = NaiveBayesMixture(
        n_components, init=memberships, tol=0.0, max_iter=n_iterations, variance_floor=0.0, n_jobs=1
    ).fit(X)
    theirs = SameStart(
        n_components, covariance_type="diag", reg_covar=0.0, tol=0.0, max_iter=n_iterations
    )
    theirs.memberships = memberships
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X)
    return X, ours, theirs


@given(seeds, st.integers(1, 4), st.integers(1, 25))
@settings(max_examples=15)
def test_the_same_start_gives_the_same_gaussian_mixture(seed, n_components, n_iterations):
    X, ours, theirs = fit_both(seed, n_components, n_iterations)
    assert abs(ours.score(X) - theirs.score(X)) < 1e-6
    order = np.argsort(-theirs.weights_, kind="stable")
    np.testing.assert_allclose(ours.weights_, theirs.weights_[order], atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X)[:, order], atol=1e-4)
    assert abs(ours.bic(X) - theirs.bic(X)) < 1e-3


def test_densities_of_rows_are_those_of_the_gaussian_mixture():
    X, ours, theirs = fit_both(11, 3, 30)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-6)


def test_one_component_is_the_density_of_all_rows():
    X, rng = draw_numbers(3)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["d"] = rng.choice(["p", "q"], len(X))
    doubled = pd.concat([frame, frame])  # two classes with the same rows: p(x) is that of one
    classifier = plain_classifier(numeric="gaussian").fit(doubled, np.repeat([0, 1], len(X)))
    mixture = NaiveBayesMixture(1).fit(frame)
    np.testing.assert_allclose(mixture.score_samples(frame), classifier.score_samples(frame))


def test_latent_classes_reach_the_likelihood_of_stepmix():
    stepmix = pytest.importorskip("stepmix")
    rng = np.random.default_rng(5)
    n_rows, n_classes = 400, 2
    hidden = rng.integers(0, n_classes, n_rows)
    X = pd.DataFrame(
        {
            "b0": (rng.random(n_rows) < np.array([0.2, 0.8])[hidden]).astype(int),
            "b1": (rng.random(n_rows) < np.array([0.7, 0.1])[hidden]).astype(int),
            "x0": rng.normal(np.array([-2.0, 2.0])[hidden], 1.0),
            "x1": rng.normal(np.array([0.0, 1.0])[hidden], 2.0),
        }
    )
    measurement = {
        "binary": {"model": "binary", "n_columns": 2},
        "numbers": {"model": "gaussian_diag", "n_columns": 2},
    }
    theirs = stepmix.StepMix(
        n_classes, measurement=measurement, n_init=3, random_state=0, progress_bar=0, abs_tol=1e-10
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X)
        expected = theirs.score(X)
    ours = NaiveBayesMixture(
        n_classes,
        smoothing=None,
        variance_floor=0.0,
        tol=1e-10,
        max_iter=1000,
        categorical_features=["b0", "b1"],
        random_state=0,
    ).fit(X)
    assert ours.score(X) > expected - 1e-6
    assert ours.score(X) < expected + 1e-2  # and it is the same model
