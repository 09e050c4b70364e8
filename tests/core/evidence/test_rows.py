"""What the explanation of a row says its weights rest on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from bayfold import NaiveBayesClassifier


def draw_normal(n_classes, n_rows=300):
    rng = np.random.default_rng(1)
    y = rng.integers(0, n_classes, n_rows)
    frame = pd.DataFrame(
        {"size": rng.normal(2.0 * y, 1.0 + y), "colour": rng.choice(["r", "g"], n_rows)}
    )
    return frame, np.array(["a", "b", "c"], object)[y]


def fit_gaussian(X, y, **parameters):
    return NaiveBayesClassifier(numeric="gaussian", calibration=None, **parameters).fit(X, y)


def describe(x):
    return f"{x.mean():.5g} ± {x.std():.3g}"


def test_two_classes_are_named_with_their_means_and_standard_deviations():
    X, y = draw_normal(2)
    rows = X.iloc[:3].assign(size=[1.0, 2.5, np.nan])
    records = fit_gaussian(X, y).explain(rows).where(column="size")
    a, b = (X["size"].to_numpy()[y == label] for label in "ab")
    basis = f"a: {describe(a)}, b: {describe(b)}"
    assert records["bin"].tolist() == [basis, basis, "(missing)"]
    x = np.array([1.0, 2.5])
    expected = norm.logpdf(x, b.mean(), b.std()) - norm.logpdf(x, a.mean(), a.std())
    np.testing.assert_allclose(records["weight"], [*expected, 0.0], rtol=1e-6)


def test_of_several_classes_each_has_its_own():
    X, y = draw_normal(3)
    records = fit_gaussian(X, y).explain(X.iloc[:1]).where(column="size")
    assert records["class"].tolist() == ["a", "b", "c"]
    assert records["bin"].tolist() == [describe(X["size"].to_numpy()[y == k]) for k in "abc"]


@pytest.mark.parametrize("calibration", ["weights", "temperature"])
def test_a_calibrated_weight_rests_on_the_same_means(calibration):
    X, y = draw_normal(2)
    plain = fit_gaussian(X, y).explain(X.iloc[:1])["bin"]
    model = NaiveBayesClassifier(numeric="gaussian", calibration=calibration).fit(X, y)
    assert model.explain(X.iloc[:1])["bin"].tolist() == plain.tolist()


def test_times_have_standard_deviations_in_units_of_time():
    X, y = draw_normal(2)
    when = pd.to_datetime("2020-01-01") + pd.to_timedelta(X["size"], unit="D")
    text = fit_gaussian(when.to_frame(), y).explain(when.to_frame().iloc[:1])["bin"][1]
    assert text.startswith("a: 2019-12-31 ")
    assert text.count("days") == 2


def test_a_column_with_a_single_value_rests_on_nothing():
    X, y = draw_normal(2)
    with pytest.warns(UserWarning, match="single value"):
        model = fit_gaussian(X.assign(size=1.0), y)
    records = model.explain(X.iloc[:1].assign(size=1.0)).where(column="size")
    assert records["bin"].tolist() == ["any"]
    assert not records["weight"].any()
