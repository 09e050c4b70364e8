"""Targets, classes and weights."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayfold import NaiveBayesClassifier
from bayfold.errors import DataWarning

X = np.arange(8.0)[:, None]
LABELS = ["a", "a", None, "a", "b", None, "b", "b"]
KNOWN = [label is not None for label in LABELS]


@pytest.mark.parametrize(
    "make",
    [
        list,
        lambda y: [np.nan if label is None else label for label in y],
        lambda y: np.array(y, object),
        lambda y: pd.Series(y, dtype=object),
        lambda y: pd.Series(y, dtype="string"),
        lambda y: pd.Series(pd.Categorical(y)),
        lambda y: pd.DataFrame({"y": y}),
        lambda y: pl.Series("y", y),
        lambda y: pl.Series("y", y, dtype=pl.Categorical),
        lambda y: pa.array(y),
        lambda y: pa.chunked_array([y[:3], y[3:]]).dictionary_encode(),
    ],
    ids=[
        "list",
        "nan",
        "object",
        "pd-object",
        "pd-string",
        "pd-cat",
        "pd-frame",
        "pl",
        "pl-cat",
        "pa",
        "pa-dict",
    ],
)
def test_rows_without_a_target_are_left_out_and_counted(make):
    with pytest.warns(DataWarning, match=r"^2 row\(s\) have no target and were left out") as caught:
        model = NaiveBayesClassifier().fit(X, make(LABELS))
    assert caught[0].filename == __file__
    alone = NaiveBayesClassifier().fit(X[KNOWN], [label for label in LABELS if label])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.class_count_.tolist() == [3.0, 3.0]
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_missing_numbers_as_targets():
    for y in (
        [0, 0, np.nan, 0, 1, np.nan, 1, 1],
        pd.Series([0, 0, None, 0, 1, None, 1, 1], dtype="Int64"),
    ):
        with pytest.warns(DataWarning, match="2 row"):
            model = NaiveBayesClassifier().fit(X, y)
        assert model.classes_.tolist() == [0, 1]


def test_no_target_at_all():
    with pytest.raises(ValueError, match="at least one known entry"):
        NaiveBayesClassifier().fit(X, [None] * 8)
    with pytest.raises(ValueError, match="requires y to be passed"):
        NaiveBayesClassifier().fit(X, None)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (X[:, 0] + 0.5, "continuous.*Cut the numbers into classes, or use a regressor"),
        ([1, "a"] * 4, "a mixture of int, str"),
        ([{"a": 1}] * 8, "Unknown label type: dict"),
        (np.zeros((8, 2)), r"1d array, got an array of shape \(8, 2\)"),
        (np.array([1j] * 8), "Unknown label type: complex128"),
    ],
)
def test_targets_that_are_no_classes(y, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayesClassifier().fit(X, y)


def test_a_single_class_is_an_error_at_fit_that_says_what_to_do():
    with pytest.raises(ValueError, match=r"at least two classes.*only the class 'a'.*partial_fit"):
        NaiveBayesClassifier().fit(X, ["a"] * 8)
    with (
        pytest.warns(DataWarning, match="7 row"),
        pytest.raises(ValueError, match="only the class 'a'"),
    ):
        NaiveBayesClassifier().fit(X, ["a"] + [None] * 7)
    with pytest.raises(ValueError, match="only the class 0"):
        NaiveBayesClassifier().fit(X, [0] * 4 + [1] * 4, sample_weight=[1.0] * 4 + [0.0] * 4)


@pytest.mark.parametrize("numeric", ["equal_frequency", "equal_width", "gaussian"])
def test_a_single_class_is_fine_in_streams_and_sums(numeric):
    shard = NaiveBayesClassifier(numeric=numeric).partial_fit(X[:4], ["a"] * 4)
    assert shard.predict(X).tolist() == ["a"] * 8
    np.testing.assert_array_equal(shard.predict_proba(X), np.ones((8, 1)))
    np.testing.assert_array_equal(shard.predict_log_proba(X), np.zeros((8, 1)))
    np.testing.assert_array_equal(shard.decision_function(X), np.zeros(8))
    assert not shard.explain(X)["weight"].any()
    assert not shard.evidence_["weight"].any()
    other = NaiveBayesClassifier(numeric=numeric, schema=shard.schema_)
    other.partial_fit(X[4:], ["b"] * 4)
    whole = NaiveBayesClassifier(numeric=numeric, schema=shard.schema_)
    whole.fit(X, ["a"] * 4 + ["b"] * 4)
    np.testing.assert_allclose((shard + other).predict_proba(X), whole.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal((shard + shard).predict_proba(X), np.ones((8, 1)))


def test_density_of_a_single_class_is_that_of_its_column():
    shard = NaiveBayesClassifier(numeric="gaussian").partial_fit([[-1.0], [1.0]], ["a", "a"])
    expected = -0.5 * np.log(2 * np.pi) - 0.5 * np.array([0.0, 4.0])
    np.testing.assert_allclose(shard.score_samples([[0.0], [2.0]]), expected, rtol=1e-12)


Y = [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_must_be_frequencies(bad):
    weights = [1.0] * 7 + [bad]
    with pytest.raises(ValueError, match=rf"not negative\. Got {bad}.*2 is the row twice"):
        NaiveBayesClassifier().fit(X, Y, sample_weight=weights)
    model = NaiveBayesClassifier().partial_fit(X, Y)
    before = model.statistics_
    with pytest.raises(ValueError, match="not negative"):
        model.partial_fit(X, Y, sample_weight=weights)
    assert model.statistics_ is before


def test_some_weight_must_be_positive():
    with pytest.raises(ValueError, match="positive for at least one row"):
        NaiveBayesClassifier().fit(X, Y, sample_weight=np.zeros(8))
    with pytest.raises(ValueError, match=r"1D with one weight per row. Got \(8, 1\)"):
        NaiveBayesClassifier().fit(X, Y, sample_weight=np.ones((8, 1)))


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_weights_far_from_one_are_told_how_to_rescale(factor):
    message = rf"mean of `sample_weight` is {re.escape(f'{factor:.3g}')}.*sample_weight / sample_weight\.mean\(\)"
    with pytest.warns(DataWarning, match=message) as caught:
        NaiveBayesClassifier().fit(X, Y, sample_weight=np.full(8, factor))
    assert caught[0].filename == __file__


def test_usual_weights_raise_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NaiveBayesClassifier().fit(X, Y, sample_weight=pl.Series([1.0, 2.0, 0.5, 1.0] * 2))


def test_class_weight_is_a_factor_on_counts():
    skewed = [0, 0, 0, 0, 0, 0, 1, 1]
    balanced = NaiveBayesClassifier(class_weight="balanced").fit(X, skewed)
    factors = np.array([8 / 12] * 6 + [8 / 4] * 2)
    weighted = NaiveBayesClassifier(schema=balanced.schema_).fit(X, skewed, sample_weight=factors)
    np.testing.assert_allclose(balanced.predict_proba(X), weighted.predict_proba(X), rtol=1e-12)
    given = NaiveBayesClassifier(class_weight={0: 8 / 12, 1: 2}).fit(X, skewed)
    np.testing.assert_allclose(given.predict_proba(X), balanced.predict_proba(X), rtol=1e-12)


INTEGERS = [i % 3 for i in range(8)]


@pytest.mark.parametrize(
    "make",
    [
        list,
        lambda y: np.array(y, object),
        lambda y: pd.Series(y, dtype="Int64"),
        lambda y: pd.array(y, dtype="UInt8"),
        lambda y: pd.Series(y, dtype="int16[pyarrow]"),
        lambda y: pl.Series("y", y),
        lambda y: pl.Series("y", y, dtype=pl.Int8),
        lambda y: pa.array(y),
        lambda y: pa.chunked_array([y[:3], y[3:]]),
        lambda y: pa.table({"y": y}),
        lambda y: np.ma.masked_array([v or 0 for v in y], [v is None for v in y]),
    ],
    ids=[
        "list",
        "object",
        "pd-Int64",
        "pd-UInt8",
        "pd-arrow",
        "pl",
        "pl-Int8",
        "pa",
        "pa-chunks",
        "pa-table",
        "masked",
    ],
)
@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
def test_integer_classes_stay_integers_where_some_are_missing(make):
    whole = NaiveBayesClassifier().fit(X, make(INTEGERS))
    gappy = NaiveBayesClassifier().fit(X, make([*INTEGERS[:6], None, INTEGERS[7]]))
    for model in (whole, gappy):
        assert model.classes_.dtype.kind in "iu"
        assert model.predict(X).dtype.kind in "iu"
        assert model.classes_.tolist() == [0, 1, 2]
    assert (
        whole + NaiveBayesClassifier(schema=whole.schema_).fit(X, make(INTEGERS))
    ).classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda y: pd.Series(y, dtype="Int64"),
        lambda y: pl.Series("y", y),
        lambda y: pa.array(y),
        lambda y: np.array(y, object),
        lambda y: np.ma.masked_array([v or 0 for v in y], [v is None for v in y]),
    ],
    ids=["pd", "pl", "pa", "object", "masked"],
)
@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
def test_integer_classes_beyond_the_floats_stay_apart(make):
    model = NaiveBayesClassifier().fit(X, make([2**60, 2**60 + 1, 2**60 + 2, None] * 2))
    assert model.classes_.tolist() == [2**60, 2**60 + 1, 2**60 + 2]
    assert model.predict(X).dtype == np.int64


@pytest.mark.parametrize(
    "make",
    [
        list,
        lambda y: pd.Series(y, dtype="boolean"),
        lambda y: pl.Series("y", y),
        lambda y: pa.array(y),
    ],
    ids=["list", "pd", "pl", "pa"],
)
@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
def test_boolean_classes_stay_boolean_where_some_are_missing(make):
    model = NaiveBayesClassifier().fit(X, make([True, False, None, True] * 2))
    assert model.classes_.dtype == bool
    assert model.predict(X).dtype == bool


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
def test_parts_with_and_without_missing_integer_classes_add_up():
    first = NaiveBayesClassifier().partial_fit(X, pd.Series(INTEGERS, dtype="Int64"))
    gappy = pd.Series([*INTEGERS[:6], None, 3], dtype="Int64")
    second = NaiveBayesClassifier(schema=first.schema_).partial_fit(X, gappy)
    assert (first + second).classes_.tolist() == [0, 1, 2, 3]
    assert (first + second).classes_.dtype.kind == "i"


@pytest.mark.parametrize("y", [[1, "a", 2, "b"] * 2, [1, 2**70] * 4, [1, 2.0, None, 2] * 2])
@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
def test_other_objects_are_classes_as_they_are_or_refused(y):
    if "a" in y:
        with pytest.raises(ValueError, match=r"^Unknown label type: a mixture of int, str"):
            NaiveBayesClassifier().fit(X, y)
        return
    model = NaiveBayesClassifier().fit(X, np.array(y, object))
    assert model.classes_.tolist() == sorted({v for v in y if v is not None})
