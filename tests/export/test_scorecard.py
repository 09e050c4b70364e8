"""Points add up to the odds of the model, but for rounding."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier, NaiveBayesRegressor
from bayfold.errors import ExportError
from bayfold.export.scorecard import BASE
from tests.laws.tables import draw_table, methods, missing_rules, seeds

pytestmark = pytest.mark.filterwarnings("ignore")


def assert_adds_up(model, frame, good=None):
    card = model.to_scorecard(good=good)
    sign = -1 if good == model.classes_[0] else 1
    exact = card.offset + card.factor * sign * model.decision_function(frame)
    assert np.abs(card.score(frame) - exact).max() <= card.largest_error + 1e-6
    probability = model.predict_proba(frame)[:, model.classes_.tolist().index(card.good)]
    apart = np.abs(card.to_probability(card.score(frame)) - probability)
    assert apart.max() <= card.largest_effect + 1e-9
    return card


@given(seeds, methods, missing_rules, st.sampled_from([0, 1]))
@settings(max_examples=20)
def test_points_add_up_to_the_odds(seed, method, missing, good):
    frame, y, _ = draw_table(seed, 60)
    model = NaiveBayesClassifier(numeric=method, missing=missing).fit(frame, y)
    assert_adds_up(model, frame, good)


@given(seeds)
@settings(max_examples=5)
def test_points_of_pairs_add_up_too(seed):
    frame, y, _ = draw_table(seed, 80)
    assert_adds_up(BoostedNaiveBayesClassifier(n_rounds=15, n_models=1).fit(frame, y), frame)


def test_the_typical_error_is_that_of_training_rows():
    frame, y, _ = draw_table(3, 3000, missing=0.1)
    model = NaiveBayesClassifier(numeric="mdl").fit(frame, y)
    card = model.to_scorecard()
    exact = card.offset + card.factor * model.decision_function(frame)
    measured = np.sqrt(np.mean((card.score(frame) - exact) ** 2))
    assert card.typical_error == pytest.approx(measured, rel=0.25)


def test_points_mean_what_was_asked_for():
    X = pd.DataFrame({"a": np.arange(100) % 4 > 0, "b": np.arange(100)})
    model = NaiveBayesClassifier(numeric="equal_frequency", n_bins=4).fit(X, np.arange(100) > 40)
    card = model.to_scorecard(points_to_double_odds=40, base_points=500, base_odds=10)
    assert card.to_probability(500) == pytest.approx(10 / 11)
    assert card.to_probability(540) == pytest.approx(20 / 21)
    assert card.to_probability(460) == pytest.approx(5 / 6)


def test_the_table_shows_every_bin_once():
    X = pd.DataFrame({"a": [""] * 15 + ["p"] * 15 + ["q"] * 10, "b": np.arange(40.0)})
    model = NaiveBayesClassifier(numeric="mdl", calibration=None).fit(X, np.repeat([0, 1], 20))
    card = model.to_scorecard()
    frame = card.to_frame()
    assert frame["column"].tolist() == [BASE] + ["a"] * 5 + ["b"] * 3
    assert frame["bin"].tolist()[1:6] == ["(missing)", "(unseen)", "", "p", "q"]
    assert frame["bin"].tolist()[6:] == ["(missing)", "< 19.5", ">= 19.5"]
    assert frame["points"].dtype.kind == "i"
    by_hand = frame["points"][0] + frame["points"][4] + frame["points"][8]
    assert card.score(pd.DataFrame({"a": ["p"], "b": [30.0]})).tolist() == [by_hand]
    assert "Rounding moves a probability by" in repr(card)
    assert card.to_dict()["column"][0] == BASE
    assert "Rounding moves a probability by" in card._repr_html_()


def test_what_has_no_scorecard_says_so():
    frame, y, _ = draw_table(0, 60, 3)
    with pytest.raises(ExportError, match=r"without impossible values\. Got 3 classes"):
        NaiveBayesClassifier().fit(frame, y).to_scorecard()
    sharp = NaiveBayesClassifier(smoothing="none", calibration=None)
    with pytest.raises(ExportError, match="a cell that rules a class out"):
        sharp.fit([["a"], ["b"]] * 10, [0, 1] * 10).to_scorecard()
    model = NaiveBayesClassifier().fit([[0.0], [1.0]] * 10, ["x", "y"] * 10)
    with pytest.raises(
        ValueError, match=r"`good` must be one of the classes \['x', 'y'\]. Got 'z'"
    ):
        model.to_scorecard(good="z")
    with pytest.raises(ValueError, match="`base_odds` must be a number above zero"):
        model.to_scorecard(base_odds=0)
    with pytest.raises(ValueError, match="X has 2 features, but Scorecard is expecting 1"):
        model.to_scorecard().score([[1.0, 2.0]])
    assert not hasattr(NaiveBayesRegressor(), "to_scorecard")
