"""How far columns are believed about a number: as far as rows confirm that weights were not fitted to."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayfold import MTERegressor, NaiveBayesRegressor

BOTH = pytest.mark.parametrize("model", [NaiveBayesRegressor, MTERegressor])


@BOTH
@pytest.mark.parametrize(("n_rows", "n_columns"), [(1500, 8), (150, 12)])
def test_columns_that_say_nothing_of_a_number_are_believed_next_to_nothing(
    model, n_rows, n_columns
):
    """Weights fitted to these rows alone moved means by .05 standard deviations in the mean of 1,500 rows."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n_rows + 1000, n_columns))
    y = np.minimum(rng.normal(size=n_rows), 0.5)
    predicted = model().fit(X[:n_rows], y).predict(X[n_rows:])
    off = np.mean((predicted - y.mean()) ** 2) / y.var()
    assert off < 9 / n_rows


@BOTH
def test_columns_that_tell_are_believed_wholly(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=400)
    found = model().fit(X, y)
    assert found.column_weights_[:2].min() > 0.5
    assert found.score(X, y) > 0.85


@BOTH
def test_the_error_that_a_summary_gives_is_that_of_new_rows(model):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2150, 25))
    y = X[:, 0] + rng.normal(size=2150)
    found = model().fit(X[:150], y[:150])
    said = found._find_held_out().model["rmse"]
    rmse = np.sqrt(np.mean((found.predict(X[150:]) - y[150:]) ** 2))
    assert said == pytest.approx(rmse, rel=0.12)


@BOTH
def test_means_are_balanced_where_a_sample_of_many_rows_decides(model):
    """Held-out rows learnt from a sample made the mean prediction 1.3 times the mean of the target."""
    rng = np.random.default_rng(2)
    n = 20_000
    names = np.array([f"c{k}" for k in range(300)])
    effect = np.exp(0.5 * rng.normal(size=(2, 300)))
    k = rng.integers(0, 300, (2, n))
    y = rng.poisson(effect[0, k[0]] * effect[1, k[1]]).astype(float)
    X = pd.DataFrame({"a": names[k[0]], "b": names[k[1]]})
    predicted = model().fit(X[:15_000], y[:15_000]).predict(X[15_000:])
    assert predicted.mean() == pytest.approx(y.mean(), rel=0.05)
