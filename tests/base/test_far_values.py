"""A few numbers far from all others ruin Gaussians: that is said, and only where Gaussians are asked for."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from bayfold import NaiveBayesClassifier
from bayfold.errors import DataWarning


def draw(n_rows=300):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    return (
        pd.DataFrame({"normal": rng.normal(y, 1.0), "other": rng.normal(0.0, 1.0, n_rows)}),
        y,
        rng,
    )


@pytest.mark.parametrize(("value", "n_rows"), [(-999.0, 15), (1e6, 1)])
def test_numbers_far_off_are_named_where_gaussians_are_asked_for(value, n_rows):
    X, y, _ = draw()
    X.loc[:n_rows, "normal"] = value
    with pytest.warns(DataWarning, match=f"Column 'normal' has numbers .* as {value:.10g}\\. They"):
        NaiveBayesClassifier(numeric="gaussian").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        NaiveBayesClassifier().fit(X, y)


def test_several_columns_are_one_warning():
    X, y, _ = draw()
    X.loc[:3] = 1e6
    with pytest.warns(DataWarning, match="so have 'other'") as caught:
        NaiveBayesClassifier(numeric="gaussian").fit(X, y)
    assert len(caught) == 1


def test_ordinary_columns_are_not_far_off():
    X, y, rng = draw()
    X["exponential"] = rng.exponential(size=len(y))
    X["log-normal"] = np.exp(rng.normal(size=len(y)))
    X["flag"] = (rng.random(len(y)) < 0.01) * 1.0
    X["count"] = rng.poisson(1.0, len(y))
    X["missing"] = np.where(rng.random(len(y)) < 0.9, np.nan, 1e6 * rng.normal(size=len(y)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        NaiveBayesClassifier(numeric="gaussian").fit(X, y)
