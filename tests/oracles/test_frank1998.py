"""The published method by tables against a sum over all training rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayfold import NaiveBayesRegressor
from tests.reference.frank1998 import ExactRegressor

LIMIT = 0.005  # of the target's range


def draw(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.gamma(2.0, 1.0, n)
    label = np.where(rng.random(n) < 0.6, np.floor(y).astype(int), rng.integers(0, 4, n))
    frame = pd.DataFrame(
        {
            "near": y + 0.3 * rng.normal(size=n),
            "skewed": np.exp(y) * rng.random(n),
            "few": np.round(y + rng.normal(size=n)),
            "noise": rng.normal(size=n),
            "label": np.array([f"v{min(v, 5)}" for v in label], object),
        }
    )
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    return frame, y


def columns_of(frame):
    labels = frame["label"]
    return [
        *(frame[name].to_numpy(float) for name in frame.columns[:-1]),
        np.where(labels.isna(), None, labels.to_numpy(object)),
    ]


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("n", [30, 300])
def test_tables_deviate_little_from_the_exact_method(n, statistic):
    frame, y = draw(n)
    new, _ = draw(60, seed=1)
    new.loc[0, "label"] = "never seen"
    new.loc[1, "near"] = 1e6  # negligible everywhere: left out
    size = 50 if statistic == "mean" else 100
    exact = ExactRegressor(size).fit(columns_of(frame), y)
    model = NaiveBayesRegressor(bandwidth="frank1998", calibration=None, statistic=statistic)
    model.fit(frame, y)
    with pytest.warns(Warning, match="never seen"):
        found = model.predict(new)
    expected = exact.predict(columns_of(new), statistic)
    deviation = np.abs(found - expected) / np.ptp(y)
    if statistic == "mean":
        assert deviation.max() < LIMIT
    else:  # a mass near one half may fall on the other side of it
        assert np.quantile(deviation, 0.9) < 1e-9
        assert deviation.max() < 1.01 / 99 + 1e-9


def test_five_hundred_rows_stay_within_the_limit():
    rng = np.random.default_rng(2)
    X = rng.random((520, 4))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3]
    train, test = slice(0, 500), slice(500, None)
    exact = ExactRegressor().fit(list(X[train].T), y[train])
    model = NaiveBayesRegressor(bandwidth="frank1998", calibration=None).fit(X[train], y[train])
    deviation = np.abs(model.predict(X[test]) - exact.predict(list(X[test].T)))
    assert deviation.max() < LIMIT * np.ptp(y)


def test_bandwidths_are_those_of_the_exact_search():
    frame, y = draw(80)
    exact = ExactRegressor().fit(columns_of(frame), y)
    model = NaiveBayesRegressor(bandwidth="frank1998", calibration=None).fit(frame, y)
    grid = model.predict_distribution(frame[:1]).grid
    np.testing.assert_allclose(grid, exact.low + exact.span * exact.grid, rtol=1e-12, atol=1e-12)
    known = frame["near"].notna().sum()
    assert np.isin(
        (model.bandwidths_[0] * np.sqrt(known)).round(9), [0.4, 0.5, 0.6, 0.7, 0.8]
    ).all()
