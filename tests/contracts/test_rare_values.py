"""A value that is rare but decides is never lost: columns of few distinct values are seen whole."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
    Schema,
)
from bayfold.core.frames import read_table
from bayfold.core.kernels.encode import NARROW_BINS
from bayfold.core.schema import infer_schema, infer_target
from bayfold.errors import DataWarning
from tests.plain import plain_classifier

N_ROWS = 30_000
RARE = 3


def draw(seed, n_rows=N_ROWS):
    """A flag on a few rows that decides the class, and a column that says nothing."""
    rng = np.random.default_rng(seed)
    flag = np.zeros(n_rows)
    flag[rng.choice(n_rows, RARE, replace=False)] = 1
    y = np.where(flag == 1, 1, rng.random(n_rows) < 0.1).astype(int)
    return pd.DataFrame({"flag": flag, "noise": rng.normal(size=n_rows)}), y


FLAGGED = pd.DataFrame({"flag": [0.0, 1.0], "noise": [0.0, 0.0]})
ESTIMATORS = [
    NaiveBayesClassifier(),
    plain_classifier(),
    AveragedOneDependenceClassifier(calibration=None),
    NaiveBayesTreeClassifier(max_depth=1),
    BoostedNaiveBayesClassifier(n_rounds=5, max_bins=8),
]


@pytest.mark.parametrize("seed", range(6))
def test_a_rare_flag_has_a_bin(seed):
    X, _ = draw(seed)
    assert infer_schema(read_table(X)).columns[0].values.tolist() == [0.0, 1.0]
    assert infer_schema(read_table(X.to_numpy())).columns[0].values.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_no_estimator_takes_a_rare_flag_for_a_constant(model):
    X, y = draw(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        model.fit(X, y)


def test_a_rare_flag_decides():
    X, y = draw(2)
    probability = plain_classifier().fit(X, y).predict_proba(FLAGGED)[:, 1]
    assert probability[1] > 2 * probability[0]


def test_a_column_that_is_nearly_always_missing_is_seen():
    X, _ = draw(2)
    X["flag"] = X["flag"].where(X["flag"] == 1) * 7.5
    described = infer_schema(read_table(X)).columns[0]
    assert described.values.tolist() == [7.5]


def test_every_value_of_a_column_of_few_values_has_a_bin_whatever_the_order():
    rng = np.random.default_rng(3)
    usual = rng.integers(0, 5, N_ROWS).astype(float)
    usual[:100] = np.arange(100) + 0.5
    for x in (usual, usual[::-1], rng.permutation(usual)):
        described = infer_schema(read_table(x[:, None])).columns[0]
        assert described.values.tolist() == np.unique(x).tolist()


def test_more_values_than_bins_are_no_column_of_few_values():
    x = np.zeros(N_ROWS)
    x[:: N_ROWS // 600] = np.arange(len(x[:: N_ROWS // 600])) + 1.0
    described = infer_schema(read_table(x[:, None])).columns[0]
    assert described.values is None
    assert 100 < described.n_bins <= NARROW_BINS


def test_the_rare_values_of_a_target_have_cells():
    y = np.zeros(N_ROWS)
    y[[5, 77, 12_345]] = 10.0, 20.0, 30.0
    assert infer_target(y).values.tolist() == [0.0, 10.0, 20.0, 30.0]
    # values that are many are not all looked at
    assert infer_target(np.arange(float(N_ROWS))).values is None


def test_infinity_is_still_refused_by_name():
    X, y = draw(0)
    X.loc[17, "flag"] = np.inf
    with pytest.raises(ValueError, match="infinity in column 'flag'"):
        plain_classifier().fit(X, y)


# streams and shards


def test_a_new_value_is_learnt_by_partial_fit():
    X, y = draw(4)
    X = X.sort_values("flag", kind="stable", ignore_index=True)
    y = np.where(X["flag"] == 1, 1, y)
    stream = plain_classifier()
    for start in range(0, N_ROWS, 10_000):  # the edges are fixed after the first
        stream.partial_fit(X[start : start + 10_000], y[start : start + 10_000])
    assert stream.schema_.columns[0].values.tolist() == [0.0, 1.0]
    found = stream.evidence_.where(column="flag", bin="1")
    assert found["count"].tolist() == [RARE]
    whole = plain_classifier(schema=stream.schema_).fit(X, y)
    new = X.iloc[::97]
    np.testing.assert_array_equal(stream.predict_proba(new), whole.predict_proba(new))


@pytest.mark.parametrize("numeric", ["auto", "equal_width", "gaussian", "mdl"])
def test_shards_with_values_of_their_own_add_up_to_the_whole(numeric):
    rng = np.random.default_rng(5)
    X = np.c_[rng.integers(0, 3, 900), rng.normal(size=900)].astype(float)
    X[300:600, 0] += rng.integers(0, 3, 300) * 10.0
    X[600:, 0] -= rng.integers(0, 3, 300) * 0.25
    y = rng.integers(0, 3, 900)
    schema = NaiveBayesClassifier(numeric=numeric).fit(X[:300], y[:300]).schema_
    shards = [
        NaiveBayesClassifier(numeric=numeric, schema=schema).fit(X[a : a + 300], y[a : a + 300])
        for a in (0, 300, 600)
    ]
    whole = NaiveBayesClassifier(numeric=numeric, schema=schema).fit(X, y)
    expected = whole.predict_proba(X)
    for total in (sum(shards), shards[2] + (shards[1] + shards[0])):
        assert total.schema_ == whole.schema_
        np.testing.assert_allclose(total.predict_proba(X), expected, rtol=1e-10)


def test_a_regressor_learns_a_new_value():
    rng = np.random.default_rng(6)
    X = np.repeat([0.0, 1.0], 100)[:, None]
    y = rng.normal(size=200)
    model = NaiveBayesRegressor(schema=NaiveBayesRegressor().fit(X, y).schema_)
    model.partial_fit(X, y).partial_fit(np.full((50, 1), 5.0), np.full(50, 2.0))
    assert model.schema_.columns[0].values.tolist() == [0.0, 1.0, 5.0]


@pytest.mark.filterwarnings("ignore:Column 'x0' has no known cell")
def test_a_column_without_a_cell_learns_its_first_values():
    model = plain_classifier(
        schema=plain_classifier().fit([[np.nan, 1.0], [np.nan, 2.0]], [0, 1]).schema_
    )
    model.partial_fit([[3.0, 1.0], [4.0, 1.0], [np.nan, 2.0]], [0, 1, 1])
    assert model.schema_.columns[0].values.tolist() == [3.0, 4.0]


def test_measurements_get_no_bins_of_their_own():
    X, y = np.random.default_rng(7).normal(size=(60, 1)), np.arange(60) % 2
    model = plain_classifier(schema=plain_classifier().fit(X[:40], y[:40]).schema_)
    before = model.schema
    assert model.partial_fit(X, y).schema_ == before


def test_beyond_the_last_bin_nothing_is_lost_and_the_order_does_not_matter():
    X = np.tile(np.arange(4.0), 20)[:, None]
    y = np.arange(80) % 2
    schema = plain_classifier().fit(X, y).schema_
    a, b = (
        plain_classifier(schema=schema).partial_fit(more[:, None], np.arange(len(more)) % 2)
        for more in (np.arange(10.0, 210.0), np.arange(300.0, 900.0))
    )
    for total in (a + b, b + a):
        described = total.schema_.columns[0]
        assert described.n_bins == NARROW_BINS
        assert set(range(4)) < set(described.values.tolist())
        assert total.statistics_.counts.tables[0].sum() == 800
    assert (a + b).schema_ == (b + a).schema_
    np.testing.assert_array_equal((a + b).predict_proba(X), (b + a).predict_proba(X))


def test_pairs_beyond_the_last_bin_are_not_lost():
    rng = np.random.default_rng(8)
    X, y = np.tile(np.arange(4.0), (2, 20)).T, np.arange(80) % 2
    settings = {"numeric": "equal_frequency", "n_bins": 4, "calibration": None}
    schema = AveragedOneDependenceClassifier(**settings).fit(X, y).schema_
    parts = [
        AveragedOneDependenceClassifier(**settings, schema=schema).fit(X + shift, y)
        for shift in rng.permutation(np.arange(0, 60, 4.0))
    ]
    pairs = sum(parts).statistics_.pairs
    assert pairs.table.sum() == 80 * len(parts)
    assert pairs.layout.n_values == 64


def test_a_schema_with_learnt_values_is_written_whole():
    X, y = np.tile(np.arange(4.0), 20)[:, None], np.arange(80) % 2
    model = plain_classifier().fit(X, y).partial_fit(X + 2, y)
    written = Schema.from_dict(json.loads(json.dumps(model.schema_.to_dict())))
    assert written == model.schema_
    more = [m.partial_fit(X - 3, y) for m in (model, plain_classifier(schema=written).fit(X, y))]
    assert more[0].schema_ == more[1].schema_
    assert more[0].schema_.columns[0].added.tolist() == [-3.0, -2.0, -1.0, 4.0, 5.0]
