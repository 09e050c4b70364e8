"""MDLDiscretizer: the paper's cuts on raw columns, missing cells, weights, frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline

from bayfold import MDLDiscretizer, NaiveBayesClassifier
from tests.plain import plain_classifier
from tests.reference import mdl


def reference_edges(values, y):
    """The paper's recursion over all distinct values, cuts midway between neighbours."""
    distinct = np.unique(values[~np.isnan(values)])
    counts = np.array([[np.sum((values == v) & (y == c)) for c in np.unique(y)] for v in distinct])
    cuts = mdl.find_mdl_cuts(counts)
    return [(distinct[cut - 1] + distinct[cut]) / 2 for cut in cuts]


def draw(seed, n_rows=120, n_classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    X = rng.normal(size=(n_rows, 3)) + y[:, None] * [0.0, 1.5, 3.0]
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_classes", [2, 4])
def test_cuts_are_those_of_the_paper_while_every_value_has_a_bin(seed, n_classes):
    X, y = draw(seed, n_classes=n_classes)
    found = MDLDiscretizer().fit(X, y).bin_edges_
    for j in range(3):
        np.testing.assert_allclose(found[j], reference_edges(X[:, j], y), rtol=1e-12)


def test_bins_are_those_of_the_edges_and_missing_stays_missing():
    X, y = draw(0)
    discretizer = MDLDiscretizer().fit(X, y)
    bins = discretizer.transform(X)
    for j, edges in enumerate(discretizer.bin_edges_):
        expected = np.where(np.isnan(X[:, j]), np.nan, np.searchsorted(edges, X[:, j], "right"))
        np.testing.assert_array_equal(bins[:, j], expected)
    np.testing.assert_array_equal(discretizer.n_bins_, [len(e) + 1 for e in discretizer.bin_edges_])


@settings(deadline=None, derandomize=True, max_examples=20)
@given(st.integers(0, 10**6))
def test_weights_are_frequencies(seed):
    X, y = draw(seed, n_rows=60)
    weights = np.random.default_rng(seed).integers(0, 4, len(y))
    weighted = MDLDiscretizer().fit(X, y, sample_weight=weights)
    repeated = MDLDiscretizer().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    for a, b in zip(weighted.bin_edges_, repeated.bin_edges_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_many_values_are_cut_near_the_truth():
    rng = np.random.default_rng(0)
    x = rng.random(50_000)
    y = rng.random(50_000) < np.where(x < 0.3, 0.2, np.where(x < 0.7, 0.8, 0.5))
    edges = MDLDiscretizer().fit(x[:, None], y).bin_edges_[0]
    np.testing.assert_allclose(edges, [0.3, 0.7], atol=0.005)


def test_a_column_of_noise_is_one_bin():
    rng = np.random.default_rng(0)
    discretizer = MDLDiscretizer().fit(rng.random((500, 1)), rng.integers(0, 2, 500))
    assert discretizer.n_bins_.tolist() == [1]


def test_frames_names_and_set_output():
    X, y = load_iris(return_X_y=True, as_frame=True)
    discretizer = MDLDiscretizer().set_output(transform="pandas").fit(X, y)
    bins = discretizer.transform(X)
    assert isinstance(bins, pd.DataFrame)
    assert bins.columns.tolist() == X.columns.tolist()
    plain = MDLDiscretizer().fit(X.to_numpy(), y).transform(X.to_numpy())
    np.testing.assert_array_equal(bins.to_numpy(), plain)
    polars = MDLDiscretizer().fit(pl.from_pandas(X), y).transform(pl.from_pandas(X))
    np.testing.assert_array_equal(polars, plain)


def test_the_classifier_cuts_the_same():
    X, y = load_iris(return_X_y=True)
    discretizer = MDLDiscretizer().fit(X, y)
    ours = plain_classifier(numeric="mdl").fit(X, y)
    theirs = make_pipeline(MDLDiscretizer(), CategoricalNB()).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    lower = ours.evidence_.where(column="x2", **{"class": 0})["lower"]
    np.testing.assert_array_equal(lower[2:], discretizer.bin_edges_[2])


def test_monotone_evidence():
    rng = np.random.default_rng(0)
    x = rng.random(4000)
    y = rng.random(4000) < 0.3 + 0.3 * x + 0.25 * np.sin(12 * x)
    free = NaiveBayesClassifier(numeric="mdl").fit(x[:, None], y)
    rising = NaiveBayesClassifier(numeric="mdl", monotone={"x0": "increasing"}).fit(x[:, None], y)
    assert (np.diff(free.evidence_["weight"][1:]) < 0).any()
    assert (np.diff(rising.evidence_["weight"][1:]) > 0).all()
    edges = MDLDiscretizer(monotone="increasing").fit(x[:, None], y).bin_edges_[0]
    np.testing.assert_array_equal(rising.evidence_["lower"][2:], edges)


def test_nominal_columns_are_refused_by_name():
    with pytest.raises(TypeError, match=r"`X` must hold numeric columns.*'job'.*make_column_tr"):
        MDLDiscretizer().fit(pd.DataFrame({"n": [1, 2], "job": ["a", "b"]}), [0, 1])


@pytest.mark.parametrize("monotone", ["up", {"x0": "sideways"}, 1])
def test_directions_are_checked(monotone):
    with pytest.raises(
        ValueError,
        match=r"`monotone` must be .increasing., .decreasing., .peak., .valley., .auto. or None",
    ):
        MDLDiscretizer(monotone=monotone).fit([[0.0], [1.0]], [0, 1])
