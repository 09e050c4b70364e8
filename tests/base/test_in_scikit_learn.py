"""The classifier inside scikit-learn's tools."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from bayfold import NaiveBayesClassifier

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 240)
FRAME = pd.DataFrame(
    {"u": RNG.normal(1.5 * Y), "w": np.where(RNG.random(240) < 0.3 + 0.4 * Y, "p", "q")}
).mask(RNG.random((240, 2)) < 0.1)
NUMBERS = FRAME[["u"]].assign(v=RNG.normal(size=240)).fillna(0.0)


def test_pipeline():
    uncalibrated = NaiveBayesClassifier(numeric="gaussian", calibration=None)
    scaled = make_pipeline(StandardScaler(), uncalibrated)
    scaled.fit(NUMBERS, Y, naivebayesclassifier__sample_weight=np.ones(240))
    plain = clone(uncalibrated).fit(NUMBERS, Y)
    np.testing.assert_allclose(
        scaled.predict_proba(NUMBERS), plain.predict_proba(NUMBERS), rtol=0, atol=1e-9
    )


def test_pipeline_keeps_frames_as_they_are():
    renamed = FunctionTransformer(lambda X: X.rename(columns=str.upper))
    pipeline = make_pipeline(renamed, NaiveBayesClassifier()).fit(FRAME, Y)
    assert pipeline[-1].feature_names_in_.tolist() == ["U", "W"]
    assert pipeline.score(FRAME, Y) > 0.7


def test_set_output_does_not_concern_a_classifier():
    pipeline = make_pipeline(StandardScaler(), NaiveBayesClassifier())
    pipeline.set_output(transform="pandas").fit(NUMBERS, Y)
    assert pipeline[-1].feature_names_in_.tolist() == ["u", "v"]
    assert isinstance(pipeline.predict_proba(NUMBERS), np.ndarray)
    assert not hasattr(NaiveBayesClassifier(), "transform")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search(n_jobs):
    smoothing = {"smoothing": ["laplace", 0.1]}
    grid = [{"numeric": ["gaussian"], **smoothing}]
    grid.append({"numeric": ["equal_width"], "n_bins": [2, 5], **smoothing})
    search = GridSearchCV(
        NaiveBayesClassifier(),
        grid,
        cv=3,
        n_jobs=n_jobs,
        scoring="neg_log_loss",
        error_score="raise",
    ).fit(FRAME, Y)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert len(set(scores.round(12))) > 2  # the parameters matter
    assert search.best_score_ > -np.log(2)
    np.testing.assert_array_equal(
        search.predict_proba(FRAME),
        NaiveBayesClassifier(**search.best_params_).fit(FRAME, Y).predict_proba(FRAME),
    )


def test_cross_validation_equals_a_loop():
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(4)
    by_hand = []
    for train, test in folds.split(FRAME, Y):
        model = NaiveBayesClassifier().fit(FRAME.iloc[train], Y[train])
        by_hand.append(model.score(FRAME.iloc[test], Y[test]))
    scores = cross_val_score(NaiveBayesClassifier(), FRAME, Y, cv=folds, n_jobs=2)
    np.testing.assert_array_equal(scores, by_hand)
    out = cross_val_predict(NaiveBayesClassifier(), FRAME, Y, cv=folds, method="decision_function")
    assert np.mean((out > 0) == Y) == pytest.approx(np.mean(by_hand))


@pytest.mark.parametrize("ensemble", [True, False])
def test_calibration(ensemble):
    doubled = pd.concat([FRAME, FRAME.add_suffix("_again")], axis=1)  # over-confident
    plain = NaiveBayesClassifier(calibration=None)
    calibrated = CalibratedClassifierCV(plain, cv=3, ensemble=ensemble)
    p = calibrated.fit(doubled, Y).predict_proba(doubled)
    raw = plain.fit(doubled, Y).predict_proba(doubled)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert np.abs(p - 0.5).mean() < np.abs(raw - 0.5).mean()


def test_ensembles():
    bagged = BaggingClassifier(NaiveBayesClassifier(), 4, random_state=0).fit(NUMBERS, Y)
    assert bagged.score(NUMBERS, Y) > 0.7
    members = [("a", NaiveBayesClassifier()), ("b", NaiveBayesClassifier(numeric="gaussian"))]
    voted = VotingClassifier(members, voting="soft").fit(FRAME, Y).predict_proba(FRAME)
    single = [model.fit(FRAME, Y).predict_proba(FRAME) for _, model in members]
    np.testing.assert_allclose(voted, np.mean(single, axis=0), rtol=1e-12)


def test_feature_names():
    model = NaiveBayesClassifier().fit(FRAME, Y)
    assert model.feature_names_in_.tolist() == ["u", "w"]
    assert model.feature_names_in_.dtype == object
    assert model.n_features_in_ == 2
    model.fit(NUMBERS.to_numpy(), Y)
    assert not hasattr(model, "feature_names_in_")


def test_parameters_are_stored_as_given():
    given = {
        "numeric": {"u": "equal_width"},
        "n_bins": {"u": 3},
        "bins": None,
        "special_codes": None,
        "monotone": {"u": "auto"},
        "calibration": "weights",
        "select": True,
        "smoothing": "m_estimate",
        "m": 1.0,
        "missing": "category",
        "missing_target": "em",
        "priors": [0.5, 0.5],
        "class_weight": {0: 1.0, 1: 2.0},
        "categorical_features": ["w"],
        "numeric_features": None,
        "text_features": None,
        "ngrams": (1, 1),
        "schema": None,
        "variance_floor": 1e-9,
        "n_jobs": 1,
    }
    model = NaiveBayesClassifier(**given)
    assert model.get_params() == given
    for name, value in given.items():
        assert getattr(model, name) is value
    assert clone(model).get_params() == given
    model.fit(FRAME, Y)
    assert model.get_params() == given
    assert model.set_params(m=3.0) is model
    assert model.m == 3.0
    with pytest.raises(ValueError, match="Invalid parameter 'edges'"):
        model.set_params(edges=3)
    with pytest.raises(TypeError):
        NaiveBayesClassifier("gaussian")
    assert is_classifier(model)


def test_parameters_show_in_the_repr():
    assert (
        repr(NaiveBayesClassifier(numeric="gaussian")) == "NaiveBayesClassifier(numeric='gaussian')"
    )
