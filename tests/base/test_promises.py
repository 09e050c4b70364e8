"""What estimators share and promise: one reading of a table, one derivation of a model, outputs, weights."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyRegressor

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    MDLDiscretizer,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesImputer,
    NaiveBayesMixture,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
    ViaRegressionClassifier,
)
from bayfold.base import regressor as regressor_module
from bayfold.core.frames import Table

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
CLASSES = (X[:, 0] > 0).astype(int)
NUMBERS = X[:, 0] + 0.1 * X[:, 1]

REGRESSORS = [NaiveBayesRegressor(calibration=None), MTERegressor(n_pieces=4, bandwidth_factor=1.0)]
CLASSIFIERS = [
    NaiveBayesClassifier(),
    AveragedOneDependenceClassifier(),
    BoostedNaiveBayesClassifier(),
    AdaBoostNaiveBayesClassifier(),
    NaiveBayesTreeClassifier(),
    ViaRegressionClassifier(),
    ClassDecompositionClassifier(n_clusters=2),
    MDLDiscretizer(),
]
OTHERS = [NaiveBayesMixture(2), NaiveBayesImputer()]


def name_of(estimator):
    return type(estimator).__name__


# a model is derived once, and blocks of rows are the only threads


@pytest.mark.parametrize("regressor", REGRESSORS, ids=name_of)
def test_blocks_share_one_derivation_after_partial_fit(regressor, monkeypatch):
    monkeypatch.setattr(regressor_module, "ANSWER_ROWS", 8)
    model = clone(regressor).set_params(n_jobs=4).partial_fit(X, NUMBERS)
    derive, derived = type(model)._derive, []

    def derive_slowly(self, statistics):
        derived.append(threading.get_ident())
        threading.Event().wait(0.05)  # the other blocks would have begun to derive by now
        return derive(self, statistics)

    monkeypatch.setattr(type(model), "_derive", derive_slowly)
    model.predict_quantiles(X, [0.1, 0.9])
    assert derived == [threading.get_ident()]


@pytest.mark.parametrize("regressor", REGRESSORS, ids=name_of)
def test_blocks_start_no_threads_of_their_own(regressor, monkeypatch):
    monkeypatch.setattr(regressor_module, "ANSWER_ROWS", 8)
    model = clone(regressor).set_params(n_jobs=4).fit(X, NUMBERS)
    predictor = type(model._fitted())
    distribution, asked = predictor.distribution, []

    def distribution_of_block(self, table, n_threads):
        asked.append(n_threads)
        return distribution(self, table, n_threads)

    monkeypatch.setattr(predictor, "distribution", distribution_of_block)
    model.predict_interval(X)
    assert set(asked) == {1}
    assert len(asked) == 8
    asked.clear()
    model.predict_distribution(X)
    assert asked == [4]


# a table is read once


def stream_of(values):
    table = pa.table({f"x{j}": values[:, j] for j in range(values.shape[1])})
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7))


def test_via_regression_reads_a_stream_that_can_be_read_once():
    model = ViaRegressionClassifier().fit(stream_of(X), CLASSES)
    again = ViaRegressionClassifier().fit(X, CLASSES)
    np.testing.assert_array_equal(model.predict(stream_of(X)), again.predict(X))


def test_via_regression_gives_other_regressors_the_table_as_it_came():
    class Recorder(DummyRegressor):
        def fit(self, X, y, sample_weight=None):
            self.seen_ = X
            return super().fit(X, y, sample_weight)

    frame = pd.DataFrame(X, columns=["a", "b"])
    target = pd.Series(CLASSES).astype("Int64")
    target[5] = pd.NA
    with pytest.warns(UserWarning, match="1 row"):
        model = ViaRegressionClassifier(Recorder()).fit(frame, target)
    seen = model.regressors_[0].seen_
    assert not isinstance(seen, Table)
    pd.testing.assert_frame_equal(seen, frame.drop(index=5))


# set_output knows pandas and polars


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("transformer", [NaiveBayesImputer(), MDLDiscretizer()], ids=name_of)
def test_set_output_of_arrow_tables(transformer, library):
    table = pa.table({"a": X[:, 0], "b": pa.array(X[:, 1], mask=X[:, 1] > 1)})
    plain = clone(transformer).fit(table, CLASSES)
    model = clone(transformer).set_output(transform=library).fit(table, CLASSES)
    for found in (model.transform(table), model.fit_transform(table, CLASSES)):
        assert type(found).__module__.split(".")[0] == library
        assert list(found.columns) == ["a", "b"]
        np.testing.assert_array_equal(found.to_numpy(), as_matrix(plain.transform(table)))


def as_matrix(found):
    return (
        found
        if isinstance(found, np.ndarray)
        else np.column_stack([c.to_numpy() for c in found.columns])
    )


# weights that no sum can hold


def fit_weighted(estimator, weights):
    target = NUMBERS if hasattr(estimator, "predict_interval") else CLASSES
    return clone(estimator).fit(X, target, sample_weight=weights)


@pytest.mark.parametrize("weight", [5e-324, 1e-300, 1e300, 1.7e308])
@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS, *OTHERS], ids=name_of)
def test_weights_that_cannot_be_summed_are_refused(estimator, weight):
    with pytest.raises(
        ValueError, match=r"^`sample_weight` must add up to .* Divide them by their"
    ):
        fit_weighted(estimator, np.full(len(X), weight))


@pytest.mark.parametrize(
    "estimator",
    [
        NaiveBayesClassifier(),
        NaiveBayesRegressor(calibration=None),
        NaiveBayesMixture(2, random_state=0),
    ],
    ids=name_of,
)
def test_a_weight_that_changes_no_sum_is_none(estimator):
    tiny = np.where(np.arange(len(X)) % 3, 1.0, 1e-300)
    given = tiny.copy()
    found, expected = (
        fit_weighted(estimator, given),
        fit_weighted(estimator, np.where(tiny == 1, 1.0, 0.0)),
    )
    answer = "predict_interval" if hasattr(estimator, "predict_interval") else "predict_proba"
    np.testing.assert_array_equal(getattr(found, answer)(X), getattr(expected, answer)(X))
    np.testing.assert_array_equal(given, tiny)  # the caller's array stays as it was
