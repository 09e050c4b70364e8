"""AODE against its definition (Webb et al. 2005, Eq. 5), computed from the rows with plain loops."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayfold import AveragedOneDependenceClassifier
from tests.plain import plain_classifier

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def draw_nominal(seed, n_rows=60, n_columns=4, n_classes=3, missing=0.15):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    cells = (rng.integers(0, 4, (n_rows, n_columns)) + y[:, None] * rng.integers(0, 2)) % 4
    frame = pd.DataFrame(np.array(list("abcd"), object)[cells], columns=list("uvwx"))
    return frame.mask(rng.random(frame.shape) < missing), y


def count(X, y, label, **equal):
    chosen = y == label
    for name, value in equal.items():
        chosen &= (X[name] == value).to_numpy()
    return int(chosen.sum())


def known(X, y, label, name, **equal):
    return count(X[X[name].notna()], y[X[name].notna()], label, **equal)


def joint_of(X, y, row, min_parent_count, smoothing, m=2.0):
    """p(y, x) of one row for every class."""
    cells = {name: value for name, value in row.items() if isinstance(value, str)}
    labels = np.unique(y)
    parents = [n for n, v in cells.items() if (X[n] == v).sum() >= min_parent_count]
    answers = []
    for label in labels:
        total = 0.0
        for parent in parents:
            others = {name: value for name, value in cells.items() if name != parent}
            with_class = count(X, y, label, **{parent: cells[parent]})
            n_known = int(X[parent].notna().sum())
            n_cells = X[parent].nunique() * len(labels)
            if smoothing == "laplace":
                product = (with_class + 1) / (n_known + n_cells)
            else:
                product = (with_class + m / n_cells) / (n_known + m)
            for name, value in others.items():
                n_both = count(X, y, label, **{parent: cells[parent], name: value})
                n_parent = known(X, y, label, name, **{parent: cells[parent]})
                if smoothing == "laplace":
                    product *= (n_both + 1) / (n_parent + X[name].nunique())
                else:
                    share = ((X[name] == value).sum() + 1) / (X[name].count() + X[name].nunique())
                    n_class = known(X, y, label, name)
                    given_class = (count(X, y, label, **{name: value}) + m * share) / (n_class + m)
                    product *= (n_both + m * given_class) / (n_parent + m)
            total += product / len(parents)
        answers.append(total)
    return np.array(answers)


@pytest.mark.parametrize("smoothing", ["laplace", "m_estimate"])
@pytest.mark.parametrize("seed", range(4))
def test_probabilities_are_those_of_the_definition(seed, smoothing):
    X, y = draw_nominal(seed)
    model = AveragedOneDependenceClassifier(
        smoothing=smoothing, min_parent_count=3, calibration=None
    ).fit(X, y)
    rows = X.iloc[:10]
    expected = np.array([joint_of(X, y, row, 3, smoothing) for _, row in rows.iterrows()])
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(rows), expected, rtol=1e-10)


@pytest.mark.parametrize("smoothing", ["laplace", "m_estimate", 0.5, None])
def test_without_parents_it_is_naive_bayes(smoothing):
    X, y = draw_nominal(9)
    X["number"] = np.random.default_rng(0).normal(y)
    one = AveragedOneDependenceClassifier(
        smoothing=smoothing, min_parent_count=1e6, calibration=None
    ).fit(X, y)
    naive = plain_classifier(smoothing=smoothing, calibration=None).fit(X, y)
    np.testing.assert_allclose(one.predict_proba(X), naive.predict_proba(X), rtol=1e-10)


def test_a_single_column_is_the_class_given_its_value():
    X, y = draw_nominal(5)
    X = X[["u"]]
    model = AveragedOneDependenceClassifier(smoothing=None, calibration=None).fit(X, y)
    rows = X[X["u"].notna()]
    shares = pd.crosstab(X["u"], y, normalize="index")
    np.testing.assert_allclose(model.predict_proba(rows), shares.loc[rows["u"]].to_numpy())


def test_what_naive_bayes_cannot_learn():
    rng = np.random.default_rng(0)
    X = rng.choice(["p", "q"], (400, 2)).astype(object)
    y = X[:, 0] == X[:, 1]
    assert AveragedOneDependenceClassifier().fit(X, y).score(X, y) == 1.0
    assert plain_classifier().fit(X, y).score(X, y) < 0.6


def test_many_columns_do_not_underflow():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    X = np.array(list("abcdef"), object)[rng.integers(0, 6, (300, 500))]  # p(x) is about 6^-500
    probability = AveragedOneDependenceClassifier().fit(X, y).predict_proba(X)
    assert np.isfinite(probability).all()
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
