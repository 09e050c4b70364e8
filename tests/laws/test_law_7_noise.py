"""Law 7: a column of noise, of any cardinality, an identifier or a constant costs no default model a point."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    NaiveBayesClassifier,
    NaiveBayesTreeClassifier,
    ViaRegressionClassifier,
)

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")

N_TRAIN, N_TEST = 1000, 3000
KINDS = (2, 20, 400, 5000, "constant", "identifier")
QUICK = {
    "naive Bayes": NaiveBayesClassifier(),
    "AODE": AveragedOneDependenceClassifier(),
    "tree": NaiveBayesTreeClassifier(),
    "deeper tree": NaiveBayesTreeClassifier(2),
    "tree by accuracy": NaiveBayesTreeClassifier(2, utility="leave_one_out"),
    "AdaBoost": AdaBoostNaiveBayesClassifier(),
    "collapsed AdaBoost": AdaBoostNaiveBayesClassifier(method="real"),
}
SLOW = {
    "AdaBoost of trees": AdaBoostNaiveBayesClassifier(max_depth=2),
    "via regression": ViaRegressionClassifier(),
}


def draw_rows(seed):
    """Numbers and categories that tell of the class, and two that tell only together."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, N_TRAIN + N_TEST)
    columns = {f"number {k}": rng.normal(0.4 * y, 1.0) for k in range(3)}
    for k in range(3):
        share = np.where(y[:, None] == 1, [0.2, 0.3, 0.5], [0.45, 0.3, 0.25]).cumsum(axis=1)
        columns[f"category {k}"] = np.array(list("abc"))[
            (rng.random((len(y), 1)) > share).sum(axis=1)
        ]
    one = rng.integers(0, 2, len(y))
    columns["one"] = one.astype(str)
    columns["other"] = ((one + y + (rng.random(len(y)) < 0.25)) % 2).astype(str)
    return pd.DataFrame(columns), y, rng


def draw_noise(kind, n_rows, rng):
    if kind == "constant":
        return np.full(n_rows, "same")
    if kind == "identifier":
        return rng.permutation(n_rows).astype(str)
    return rng.integers(0, kind, n_rows).astype(str)


def find_accuracy(model, n_draws, kind=None):
    right = []
    for seed in range(n_draws):
        frame, y, rng = draw_rows(seed)
        if kind is not None:
            frame["noise"] = draw_noise(kind, len(y), rng)
        fitted = clone(model).fit(frame[:N_TRAIN], y[:N_TRAIN])
        right.append(fitted.score(frame[N_TRAIN:], y[N_TRAIN:]))
    return np.mean(right)


@pytest.mark.parametrize("name", QUICK)
def test_noise_costs_at_most_a_point(name):
    before = find_accuracy(QUICK[name], 3)
    for kind in KINDS:
        assert find_accuracy(QUICK[name], 3, kind) >= before - 0.01, kind


@pytest.mark.parametrize("name", SLOW)
def test_many_values_cost_at_most_a_point(name):
    """Of several tables: another bootstrap alone moves the accuracy of one by a point."""
    before = find_accuracy(SLOW[name], 3)
    assert find_accuracy(SLOW[name], 3, 400) >= before - 0.01


def test_noise_costs_classes_that_are_split_at_most_a_point():
    model = ClassDecompositionClassifier(n_folds=3, random_state=0)
    before = find_accuracy(model, 4)
    for kind in (20, "constant", "identifier"):
        assert find_accuracy(model, 4, kind) >= before - 0.01, kind


def test_noise_hides_nothing_from_boosting():
    """Two columns that tell only together have no gain of their own; one of noise with more values had more."""
    model = BoostedNaiveBayesClassifier(random_state=0)
    before = find_accuracy(model, 3)
    for kind in (20, 100, 400):
        assert find_accuracy(model, 3, kind) >= before - 0.01, kind


def test_three_columns_of_noise_cost_boosting_no_more_than_a_point_each():
    frame, y, rng = draw_rows(0)
    noisy = frame.assign(**{f"noise {k}": draw_noise(100, len(y), rng) for k in range(3)})
    found = [
        BoostedNaiveBayesClassifier(random_state=0)
        .fit(table[:N_TRAIN], y[:N_TRAIN])
        .score(table[N_TRAIN:], y[N_TRAIN:])
        for table in (frame, noisy)
    ]
    assert found[1] >= found[0] - 0.01


@pytest.mark.parametrize("seed", [0, 1])
def test_groups_of_noisy_categories_get_no_table_of_three_columns(seed):
    frame, y, rng = draw_rows(seed)
    noisy = frame.assign(**{f"noise {k}": draw_noise(100, len(y), rng) for k in range(3)})
    found = [
        BoostedNaiveBayesClassifier(interactions=most, random_state=0)
        .fit(noisy[:N_TRAIN], y[:N_TRAIN])
        .predict_proba(noisy[N_TRAIN:])
        for most in ("auto", 2)
    ]
    np.testing.assert_array_equal(*found)
