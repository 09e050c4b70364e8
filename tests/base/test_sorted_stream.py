"""Batches of a sorted table leave the edges that the first of them settled: a warning says so, and what to do."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from bayfold import NaiveBayesClassifier, NaiveBayesRegressor
from bayfold.errors import DataWarning

N_ROWS = 24_000


def feed(model, X, y, size):
    """What is warned of while a table comes in batches."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for start in range(0, len(y), size):
            model.partial_fit(X[start : start + size], y[start : start + size])
    return [str(each.message) for each in caught if issubclass(each.category, DataWarning)]


def make_rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N_ROWS)
    return pd.DataFrame({"x": x, "noise": rng.normal(size=N_ROWS)}), x + rng.normal(size=N_ROWS)


@pytest.mark.parametrize("rising", [True, False])
def test_a_sorted_stream_is_told_of(rising):
    X, y = make_rows()
    order = np.argsort(X["x"].to_numpy())[:: 1 if rising else -1]
    told = feed(NaiveBayesRegressor(), X.iloc[order], y[order], 6000)
    assert told
    side = "above" if rising else "below"
    assert all(f"Column 'x': 100% of the rows of this batch lie {side} " in text for text in told)
    assert "Shuffle the rows" in told[0]
    assert "schema=" in told[0]


@pytest.mark.parametrize("size", [7, 1000])
def test_a_shuffled_stream_is_not(size):
    X, y = make_rows()
    X.loc[::2, "noise"] = 0.0  # half of the rows in one bin, always
    X, y = X[:13_000], y[:13_000]
    assert feed(NaiveBayesClassifier(), X, (y > 0).astype(int), size) == []


def test_with_a_schema_of_all_rows_nothing_is_beyond():
    X, y = make_rows()
    order = np.argsort(X["x"].to_numpy())
    schema = NaiveBayesClassifier().fit(X, y > 0).schema_
    model = NaiveBayesClassifier(schema=schema)
    told = feed(model, X.iloc[order], (y > 0)[order], 6000)
    assert told == []
