"""The baselines against what defines them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from papers.shared.baselines import EliminatedLinearRegression, NearestNeighbours, OrderedCodes
from papers.shared.significance import count_significant, differ


def draw(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    X["e"] = rng.choice(["x", "y", "z"], n)
    y = 2 * X["a"].to_numpy() + (X["e"] == "y") + 0.3 * rng.normal(size=n)
    return X, y


def test_all_columns_together_are_least_squares():
    X, y = draw()
    matrix = OrderedCodes(X, y).transform(X)
    dummies = np.column_stack(
        [np.ones(len(X)), X[list("abcd")], pd.get_dummies(X["e"]).iloc[:, 1:]]
    )
    planes = [m @ np.linalg.lstsq(m.astype(float), y)[0] for m in (matrix, dummies.astype(float))]
    np.testing.assert_allclose(*planes, atol=1e-10)


def test_elimination_reaches_a_criterion_that_no_single_removal_lowers():
    X, y = draw()
    model = EliminatedLinearRegression().fit(X, y)
    matrix = model.codes.transform(X)

    def criterion(columns):
        m = matrix[:, list(columns)]
        squares = ((y - m @ np.linalg.lstsq(m, y)[0]) ** 2).sum()
        return len(y) * np.log(squares / len(y)) + 2 * len(columns)

    kept = model.kept.tolist()
    assert 1 in kept  # the column that matters
    assert len(kept) < matrix.shape[1]
    others = [c for c in combinations(kept, len(kept) - 1) if 0 in c]
    assert criterion(kept) <= min(map(criterion, others))
    m = matrix[:, kept]
    np.testing.assert_allclose(model.predict(X), m @ np.linalg.lstsq(m, y)[0], atol=1e-8)


def test_elimination_stands_repeated_constant_and_missing_columns():
    X, y = draw()
    X["same"], X["constant"], X["empty"] = X["a"], 1.0, np.nan
    X.loc[3, "b"], X.loc[4, "e"] = np.nan, None
    new = X.iloc[:5].assign(e="never seen")
    assert np.isfinite(EliminatedLinearRegression().fit(X, y).predict(new)).all()


def slow_neighbours(train, y, row, k):
    distances = []
    for other in train:
        total = 0.0
        for a, b in zip(row, other, strict=True):
            if isinstance(a, str) or isinstance(b, str):
                total += a != b
            elif np.isnan(a) and np.isnan(b):
                total += 1
            elif np.isnan(a) or np.isnan(b):
                known = b if np.isnan(a) else a
                total += max(known, 1 - known) ** 2
            else:
                total += (a - b) ** 2
        distances.append(np.sqrt(total / len(row)))
    nearest = np.argsort(distances, kind="stable")[:k]
    weights = 1 / (np.array(distances)[nearest] + 1e-3)
    return weights @ y[nearest] / weights.sum()


def test_neighbours_are_those_of_the_distance():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(25), "b": rng.random(25), "c": rng.choice(["u", "v"], 25)})
    X.loc[0, "a"], X.loc[1, "a"] = 0.0, 1.0
    X.loc[2, "b"], X.loc[3, "b"] = 0.0, 1.0
    X.loc[5, "a"] = np.nan
    y = rng.random(25) ** 4  # skewed, so that means and medians ask for other numbers of neighbours
    model = NearestNeighbours().fit(X, y)
    rows = X.to_numpy(object).tolist()
    misses = np.array(
        [
            [
                slow_neighbours(rows[:i] + rows[i + 1 :], np.delete(y, i), rows[i], k) - y[i]
                for i in range(25)
            ]
            for k in range(1, 21)  # twenty at most
        ]
    )
    new = pd.DataFrame({"a": [0.3, np.nan], "b": [0.2, 0.9], "c": ["u", "v"]})
    for loss, power in (("squared", 2), ("absolute", 1)):
        k = 1 + int(np.argmin((np.abs(misses) ** power).sum(axis=1)))
        expected = [slow_neighbours(rows, y, row, k) for row in new.to_numpy(object).tolist()]
        assert model.predict(new, loss) == pytest.approx(expected)
    assert model.k["squared"] != model.k["absolute"]


def test_significance_counts_datasets():
    repeats = range(10)
    noise = np.random.default_rng(0).normal(size=10)
    index = pd.MultiIndex.from_product([["p", "q", "r"], repeats])
    first = np.concatenate([noise, noise, noise])
    second = np.concatenate([noise + 1 + 0.01 * noise**2, noise - 1 + 0.01 * noise**2, noise[::-1]])
    table = pd.DataFrame({"a": first, "b": second}, index)
    assert count_significant(table, "a", "b") == (1, 1)
    assert differ(pd.Series([1.0]), pd.Series([2.0])) == 0
