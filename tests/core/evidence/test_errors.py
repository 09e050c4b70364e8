"""Bounds of weights: by the formula that is stated, around the weights, and on tables drawn from known weights."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

import bayfold
from bayfold import (
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
)
from bayfold.core.evidence.errors import NORMAL_REACH, contrast_variances, count_variances
from bayfold.core.scoring.errors import CountErrors, LeftOutShare


def draw(n, seed=0):
    """Two columns that say something, noise, and missing cells; classes, and a number."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n), "noise": rng.normal(size=n)})
    X["kind"] = rng.choice(list("uvw"), n)
    X.loc[::7, "noise"] = np.nan
    score = X["x"] + (X["kind"] == "u")
    return X, (score + rng.logistic(size=n) > 0).astype(int), score + rng.normal(size=n)


def test_of_a_table_they_are_those_of_a_log_ratio():
    """Without smoothing: Woolf's formula, 1 / n of the cells less that of the totals."""
    X = pd.DataFrame({"a": ["u"] * 30 + ["v"] * 70 + ["u"] * 50 + ["v"] * 50})
    y = [0] * 100 + [1] * 100
    model = NaiveBayesClassifier(smoothing="none", calibration=None).fit(X, y)
    part = model.evidence_.where(bin="u")
    error = np.sqrt(1 / 30 - 1 / 100 + 1 / 50 - 1 / 100)
    np.testing.assert_allclose(part["high"] - part["weight"], NORMAL_REACH * error)
    np.testing.assert_allclose(part["weight"] - part["low"], NORMAL_REACH * error)


def test_of_a_gaussian_they_are_those_of_its_mean_and_variance():
    rng = np.random.default_rng(1)
    X = np.repeat(np.array([-1.0, 0.0, 1.0, 2.0]), 25)[:, None] + 0.0 * rng.normal(size=(100, 1))
    y = np.tile([0, 1], 50)
    model = NaiveBayesClassifier(numeric="gaussian", calibration=None).fit(X, y)
    found = model.explain([[0.5]])[1]
    of_class = [X[y == g, 0] for g in (0, 1)]
    z = np.array([(0.5 - x.mean()) / x.std() for x in of_class])
    variance = ((z**2 + (z**2 - 1) ** 2 / 2) / 50).sum()
    assert found["high"] - found["weight"] == pytest.approx(
        NORMAL_REACH * np.sqrt(variance), rel=0.05
    )


def test_contrasts_of_independent_logarithms():
    rng = np.random.default_rng(0)
    sd = np.array([0.5, 1.0, 2.0, 0.1])
    logs = rng.normal(size=(200_000, 4)) * sd
    weights = logs - logs.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(contrast_variances(sd**2), weights.var(axis=0), rtol=0.02)


def test_bins_without_rows_have_none():
    found = count_variances(np.array([[3.0, 4.0], [0.0, 0.0]]), CountErrors("m_estimate", 2.0))
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


def test_a_class_without_rows_has_no_bounds():
    model = NaiveBayesClassifier().partial_fit([[0.0], [1.0]], [0, 0], classes=[0, 1])
    assert np.isnan(model.explain([[0.5]])[0]["high"])


def test_copies_of_rows_make_nothing_surer():
    X, y, _ = draw(300)
    once = NaiveBayesClassifier().fit(X, y).evidence_
    copied = NaiveBayesClassifier().fit(X, y, sample_weight=np.full(300, 4.0)).evidence_
    np.testing.assert_allclose(copied["high"] - copied["low"], once["high"] - once["low"], rtol=0.1)


def test_rows_of_a_unit_that_are_off_alike_count_as_one():
    unit = np.repeat(np.arange(60), 10)
    own = np.random.default_rng(0).normal(size=(60, 1))[unit]
    each = np.random.default_rng(1).normal(size=(600, 1))
    told = LeftOutShare(1200.0, np.ones(600), unit)
    assert told.find_times(own) == pytest.approx(0.2)
    assert told.find_times(each) == pytest.approx(2.0, rel=0.25)
    assert LeftOutShare(1200.0, np.ones(600), None).find_times(own) == 2.0


@pytest.mark.parametrize(
    "make",
    [
        NaiveBayesClassifier,
        lambda: NaiveBayesClassifier(numeric="kernel", missing="category", calibration=None),
        lambda: NaiveBayesClassifier(numeric="gaussian"),
        lambda: BoostedNaiveBayesClassifier(n_models=4),
        bayfold.AveragedOneDependenceClassifier,
        NaiveBayesTreeClassifier,
        lambda: bayfold.AdaBoostNaiveBayesClassifier(method="real"),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_they_hold_the_weights_and_survive_a_file(make, n_classes):
    X, y, target = draw(400)
    y = y if n_classes == 2 else np.digitize(target, [0.0, 1.0])
    model = make().fit(X, y)
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    again = bayfold.load(file)
    for one in (model, again):
        for records in (one.evidence_, one.explain(X[:7])):
            known = np.isfinite(records["low"])
            is_of_pairs = isinstance(one, bayfold.AveragedOneDependenceClassifier)
            assert known.mean() > 0.5 or is_of_pairs
            assert (records["low"] <= records["weight"])[known].all()
            assert (records["weight"] <= records["high"])[known].all()
    np.testing.assert_array_equal(model.evidence_["low"], again.evidence_["low"])


def test_the_whole_is_that_of_the_sum():
    X, y, _ = draw(400)
    model = NaiveBayesClassifier(calibration=None).fit(X, y)
    first = model.explain(X[1:2])
    reach = (first["high"] - first["low"]) / 2
    whole = np.sqrt((reach**2).sum())
    np.testing.assert_allclose(first["whole_high"] - model.decision_function(X[1:2]), whole)


def test_what_people_changed_has_no_bounds():
    X, y, _ = draw(400)
    model = NaiveBayesClassifier(numeric="equal_frequency").fit(X, y)
    edited = model.edit("kind", "u", weight=0.5, reason="policy")
    for records, n in ((edited.evidence_.where(column="kind"), 1), (edited.explain(X[:50]), None)):
        changed = (records["column"] == "kind") & (records["bin"] == "u")
        assert n is None or changed.sum() == n
        assert np.isnan(records["low"][changed]).all()
        assert np.isfinite(records["low"][(records["bin"] == "v")]).all()


def hold_share(model, X, truth, names):
    """The share of bins, weighted by rows, whose true mean is within their bounds."""
    held = rows = 0.0
    for name in names:
        part = model.evidence_.where(column=name)
        x = X[name].to_numpy()
        for k in range(len(part)):
            low, high = part["lower"][k], part["upper"][k]
            inside = x == part["bin"][k] if low != low and high != high else (x >= low) & (x < high)
            if inside.any():
                mean = (truth[name] - truth[name].mean())[inside].mean()
                held += inside.sum() * (part["low"][k] <= mean <= part["high"][k])
                rows += inside.sum()
    return held / rows


@pytest.mark.parametrize("kind", ["class", "number"])
def test_boosted_bounds_hold_what_tables_were_drawn_with(kind):
    shares = []
    for seed in range(4):
        X, y, target = draw(800, seed)
        truth = {"x": X["x"].to_numpy(), "kind": (X["kind"] == "u").to_numpy() * 1.0}
        if kind == "class":
            model = BoostedNaiveBayesClassifier(interactions=1, n_models=4).fit(X, y)
        else:
            model = BoostedNaiveBayesRegressor(interactions=1, n_models=4).fit(X, target)
        shares.append(hold_share(model, X, truth, ["x", "kind"]))
    assert np.mean(shares) > 0.85


def test_bounds_of_a_curve_are_narrower_with_more_rows():
    widths = []
    for n in (300, 4800):
        X, y, target = draw(n)
        for model in (NaiveBayesClassifier().fit(X, y), NaiveBayesRegressor().fit(X, target)):
            part = model.evidence_.where(column="x")
            widths.append(np.nanmedian(part["high"] - part["low"]))
    assert widths[2] < 0.6 * widths[0]
    assert widths[3] < 0.6 * widths[1]
