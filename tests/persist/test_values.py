"""Every type of class, parameter and number comes back as it was, or is refused by name."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import json
import struct
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression

import bayfold
from bayfold.errors import DataWarning, ModelFileError
from bayfold.persist.arrays import ArrayWriter, StoredArrays
from bayfold.persist.values import Decoder, Encoder
from tests.persist.models import fit_two, reloaded, saved


def through_file(value):
    """A value after it was written as JSON and bytes, and read."""
    encoder = Encoder(statistics=True)
    encoded = json.loads(json.dumps(encoder.encode(value, "value"), allow_nan=False))
    arrays = StoredArrays(encoder.arrays.table, encoder.arrays.pieces, encoder.arrays.blob)
    return Decoder(encoder.objects, arrays).decode(encoded)


def bits(array):
    return array.dtype, array.shape, array.tobytes(), array.flags.f_contiguous


dtypes = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="?"),
    hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
    hnp.datetime64_dtypes(endianness="?"),
    hnp.timedelta64_dtypes(endianness="?"),
    hnp.unicode_string_dtypes(endianness="?", min_len=1),
    hnp.byte_string_dtypes(min_len=1),
)
arrays = dtypes.flatmap(lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=0, min_side=0)))


@given(arrays, st.booleans())
def test_arrays_come_back_bit_for_bit(array, by_column):
    array = np.asfortranarray(array) if by_column else array
    assert bits(through_file(array)) == bits(array)


ODD_BITS = [0x7FF8000000000000, 0x7FF0DEADBEEF0001, 0xFFF8000000000123, 0x8000000000000000, 1]


@pytest.mark.parametrize("pattern", ODD_BITS)
def test_payloads_signs_and_subnormal_numbers_stay(pattern):
    raw = struct.pack(">Q", pattern)
    (number,) = struct.unpack(">d", raw)
    array = np.array([number, 0.0, 1.0])
    assert through_file(array).tobytes() == array.tobytes()
    assert through_file(np.float64(number)).tobytes() == np.float64(number).tobytes()
    assert struct.pack(">d", through_file(number)) == raw


whole = st.integers(-(2**70), 2**70)
plain = st.one_of(
    st.none(),
    st.booleans(),
    whole,
    st.floats(allow_nan=False),
    st.text(st.characters()),  # surrogates that stand alone too
    st.binary(),
    st.dates(),
    st.datetimes(),
    st.times(),
    st.timedeltas(),
    st.decimals(allow_nan=False),
    hnp.from_dtype(np.dtype("i8")),
    hnp.from_dtype(np.dtype("f4"), allow_nan=False),
    hnp.from_dtype(np.dtype("U3")),
)
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.dictionaries(plain, inner),
        st.frozensets(plain),
    ),
    max_leaves=10,
)


def typed(value):
    """A value with the types of all that is in it; 1, 1.0 and True are not the same."""
    if isinstance(value, dict):
        return "dict", [(typed(k), typed(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [typed(item) for item in value]
    if isinstance(value, frozenset):
        return frozenset, {typed(item) for item in value}
    return type(value), value


@given(values)
def test_values_come_back_with_their_types(value):
    assert typed(through_file(value)) == typed(value)


CLASSES = {
    "str": np.array(["a", "b"]),
    "object": np.array(["a", "b"], object),
    "emoji": np.array(["\N{SNAKE}", "\N{DOG FACE}"], object),
    "int64": np.array([3, 7]),
    "int8": np.array([3, 7], np.int8),
    "big-endian": np.array([3, 7], ">i4"),
    "beyond 2**53": np.array([2**53 + 1, 2**53 + 3]),
    "beyond 2**64": np.array([2**64 + 1, 2**70], object),
    "bool": np.array([False, True]),
    "float64": np.array([0.0, 1.0]),
    "float16": np.array([0.0, 1.0], np.float16),
    "bytes": np.array([b"a", b"b"]),
    "byte objects": np.array([b"a", b"\xff"], object),
    "decimals": np.array([decimal.Decimal("1.50"), decimal.Decimal(2)], object),
    "dates": np.array([dt.date(2020, 1, 1), dt.date(2021, 1, 1)], object),
    "times": np.array([dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1, 2, 3, 4, 5)], object),
    "timestamps": np.array(
        [pd.Timestamp("2020"), pd.Timestamp("2021-01-01 00:00:00.123456789")], object
    ),
    "timestamps of a zone": np.array(
        [pd.Timestamp(f"2020-0{k}-01", tz="Europe/Berlin").as_unit("s") for k in (1, 8)], object
    ),
    "timestamps of an offset": np.array(
        [pd.Timestamp(f"2020-0{k}-01", tz="UTC+02:00") for k in (1, 8)], object
    ),
    "times of a zone": np.array(
        [dt.datetime(2020, 1, k, tzinfo=dt.timezone(dt.timedelta(hours=2))) for k in (1, 2)], object
    ),
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_every_type_come_back(name):
    labels = CLASSES[name]
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = bayfold.NaiveBayesClassifier().fit(X, labels[np.arange(40) % 2])
    loaded = reloaded(model)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert [type(c) for c in loaded.classes_] == [type(c) for c in model.classes_]
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert repr(loaded.classes_) == repr(model.classes_)
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert (loaded + model).classes_.tolist() == model.classes_.tolist()


@pytest.mark.parametrize(
    "labels", [pd.period_range("2020", periods=2, freq="M"), pd.interval_range(0, 2)]
)
def test_classes_that_only_pandas_has_are_refused_by_name(labels):
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = bayfold.NaiveBayesClassifier().fit(X, pd.Series(labels)[np.arange(40) % 2])
    with pytest.raises(ModelFileError, match=r"`statistics_.*groups` must be .* Got pandas\."):
        saved(model)


NAMES = [
    ["a", "b"],
    [0, 1],
    [7, 9],
    ["same", "same"],
    ["\N{SNAKE}", ""],
    ["a\n\0", "\\u0000"],
    ["x" * 3000, "\u202e"],
]


@pytest.mark.parametrize("names", NAMES, ids=repr)
def test_columns_of_every_name_come_back(names):
    data = np.random.default_rng(0).normal(size=(40, 2))
    X = pd.DataFrame(data, columns=names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = bayfold.NaiveBayesClassifier().fit(X, data[:, 0] > 0)
        loaded = reloaded(model)
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.schema_ == model.schema_
    assert hasattr(loaded, "feature_names_in_") == hasattr(model, "feature_names_in_")


def test_categories_of_every_kind_come_back():
    cells = ["", " ", "\N{SNAKE}", "a\udc80", "\0", "nan", "None", "1", "1.0", "x" * 5000] * 8
    X = np.array(cells, object)[:, None]
    y = np.arange(80) % 2
    model = bayfold.NaiveBayesClassifier().fit(X, y)
    loaded = reloaded(model)
    assert loaded.schema_.columns[0].categories == model.schema_.columns[0].categories
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    "parameters",
    [
        {"categorical_features": ["a", "b"]},
        {"categorical_features": np.array([True, False])},
        {"categorical_features": pd.Index(["a"])},
        {"categorical_features": range(3)},
        {"categorical_features": slice},
        {"priors": {"no": 0.5, "yes": 0.5}, "m": np.float32(2)},
        {"class_weight": {dt.date(2020, 1, 1): 2}, "numeric": {"x": "mdl", 3: "gaussian"}},
        {"n_jobs": 2**80, "variance_floor": float("nan")},
    ],
    ids=repr,
)
def test_parameters_come_back(parameters):
    model = bayfold.NaiveBayesClassifier(**parameters)
    if parameters.get("categorical_features") is slice:
        with pytest.warns(DataWarning, match="'categorical_features'"):
            assert reloaded(model).categorical_features is None
        return
    loaded = reloaded(model)
    for name, value in parameters.items():
        found = getattr(loaded, name)
        assert repr(found) == repr(np.asarray(value) if isinstance(value, pd.Index) else value)


@pytest.mark.parametrize(
    "state", [np.random.RandomState(0), np.random.default_rng(0), np.random.PCG64(0)]
)
def test_random_generators_are_left_out_with_a_warning(state):
    model = bayfold.NaiveBayesMixture(random_state=state)
    with pytest.warns(DataWarning, match="Not saved: 'random_state'"):
        assert reloaded(model).random_state is None


def test_functions_are_left_out_with_a_warning():
    model = bayfold.BoostedNaiveBayesClassifier(n_rounds=2, callback=print)
    with pytest.warns(DataWarning, match="Not saved: 'callback'"):
        assert reloaded(fit_two(model)).callback is None


def test_attributes_of_others_are_left_out_with_a_warning():
    model = bayfold.NaiveBayesClassifier()
    model.note = "mine"
    with pytest.warns(DataWarning, match="Not saved: 'note'"):
        assert not hasattr(reloaded(model), "note")


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (bayfold.ClassDecompositionClassifier(LogisticRegression()), "`estimator` .* sklearn"),
        (bayfold.ClassDecompositionClassifier(clusterer=KMeans()), "`clusterer` .* sklearn"),
        (bayfold.ViaRegressionClassifier(LinearRegression()), "`regressor` .* sklearn"),
        (bayfold.NaiveBayesClassifier(priors=object()), "`priors` .* builtins.object"),
    ],
)
def test_what_a_file_cannot_hold_is_refused_by_name(model, what):
    with pytest.raises(ModelFileError, match=what + ".*Use pickle or skops"):
        saved(model)


def test_subclasses_are_refused():
    class Mine(bayfold.NaiveBayesClassifier):
        pass

    with pytest.raises(ModelFileError, match="must be of a class of bayfold"):
        saved(Mine())


def test_arrays_that_are_equal_are_stored_once():
    writer = ArrayWriter()
    places = [writer.add(np.arange(1000.0)) for _ in range(3)]
    assert places == [0, 1, 2]
    assert len(writer.pieces) == 1
    assert len(writer.blob) == 2000
    stored = StoredArrays(writer.table, writer.pieces, writer.blob)
    first, second = stored.array(0), stored.array(1)
    assert first is stored.array(0)
    assert not np.shares_memory(first, second)  # to change one must not change the other


def test_set_output_comes_back():
    model = bayfold.MDLDiscretizer().set_output(transform="pandas")
    X = np.random.default_rng(0).normal(size=(60, 2))
    model.fit(X, X[:, 0] > 0)
    file = io.BytesIO()
    model.save(file)
    assert isinstance(bayfold.load(io.BytesIO(file.getvalue())).transform(X), pd.DataFrame)
