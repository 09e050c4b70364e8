"""Rows without a class: left out, or learnt from by EM."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from bayfold import NaiveBayesClassifier
from bayfold.errors import DataWarning

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def draw(seed=0, n=600, n_columns=8):
    """Columns that are independent within classes, as naive Bayes assumes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, n_columns)) + 0.9 * y[:, None]
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(n_columns)])
    frame["s"] = np.where(rng.random(n) < 0.7, y, 1 - y).astype(str)
    return frame, np.where(y, "yes", "no").astype(object)


def test_unlabelled_rows_help_where_the_model_is_true():
    gains = []
    for seed in range(3):
        X, y = draw(seed)
        test_X, test_y = draw(seed + 100)
        some = y.copy()
        some[np.random.default_rng(seed).permutation(len(y))[20:]] = None
        score = {
            how: NaiveBayesClassifier(missing_target=how, numeric="gaussian", calibration=None)
            .fit(X, some)
            .score(test_X, test_y)
            for how in ("drop", "em")
        }
        gains.append(score["em"] - score["drop"])
    assert np.mean(gains) > 0.02


def test_nothing_changes_where_every_class_is_known():
    X, y = draw(n=100)
    drop, em = (NaiveBayesClassifier(missing_target=how).fit(X, y) for how in ("drop", "em"))
    np.testing.assert_array_equal(drop.predict_proba(X), em.predict_proba(X))


@pytest.mark.parametrize("calibration", [None, "weights"])
def test_expected_counts_add_up_to_all_rows(calibration):
    X, y = draw(n=200)
    y[::2] = None
    w = np.random.default_rng(0).integers(0, 3, 200)
    model = NaiveBayesClassifier(missing_target="em", calibration=calibration)
    model.fit(X, y, sample_weight=w)
    assert model.class_count_.sum() == pytest.approx(w.sum())
    assert model.classes_.tolist() == ["no", "yes"]


def test_counts_agree_with_the_probabilities_of_the_model():
    """Where EM has settled, the classes' shares are those that the model gives the rows."""
    X, y = draw(n=400)
    known = np.arange(400) < 60
    y[~known] = None
    model = NaiveBayesClassifier(missing_target="em", numeric="gaussian", calibration=None).fit(
        X, y
    )
    expected = model.predict_proba(X[~known]).sum(axis=0)
    labelled = [(y[known] == c).sum() for c in model.classes_]
    np.testing.assert_allclose(model.class_count_, labelled + expected, rtol=0.02)


def test_categories_of_unlabelled_rows_are_known():
    X, y = draw(n=100)
    X.loc[50:, "s"] = "late"
    y[50:] = None
    model = NaiveBayesClassifier(missing_target="em").fit(X, y)
    assert "late" in model.schema_.columns[-1].categories


def test_without_em_they_are_left_out_with_a_warning():
    X, y = draw(n=50)
    y[:10] = None
    with pytest.warns(DataWarning, match=r"10 row\(s\) have no target"):
        NaiveBayesClassifier().fit(X, y)


def test_bad_requests_are_refused():
    X, y = draw(n=20)
    with pytest.raises(ValueError, match=r"`missing_target` must be \"drop\" or \"em\""):
        NaiveBayesClassifier(missing_target="guess").fit(X, y)
    with pytest.raises(ValueError, match="class"):
        NaiveBayesClassifier(missing_target="em").fit(X, ["a"] * 10 + [None] * 10)


def test_gaussians_of_columns_without_a_known_cell_are_quiet():
    X, y = draw(n=60)
    X["nothing"] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        NaiveBayesClassifier(numeric="gaussian").fit(X, y)
