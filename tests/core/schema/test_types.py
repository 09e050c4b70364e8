"""Schemas as data: there and back through JSON, and merged."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold import NaiveBayesClassifier
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS, WIDE_BINS
from bayfold.core.schema import NominalColumn, NumericColumn, Schema
from bayfold.errors import MergeError, SchemaError

finite = st.floats(allow_nan=False, allow_infinity=False)
labels = st.sets(st.text(max_size=4), max_size=6).map(sorted).map(tuple)


def numbers(values):
    return np.unique(np.array(values, np.float64))


number_lists = st.lists(finite, max_size=6).map(numbers)
numeric = st.builds(
    NumericColumn,
    st.text(),
    number_lists,
    st.none() | number_lists,
    finite,
    finite.filter(lambda x: x > 0),
    st.booleans(),
)
nominal = st.builds(NominalColumn, st.text(), labels, st.booleans())
schemas = st.builds(Schema, st.lists(numeric | nominal, max_size=4).map(tuple), named=st.booleans())


@given(schemas)
def test_there_and_back_through_json(schema):
    back = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert back == schema
    for mine, theirs in zip(back.columns, schema.columns, strict=True):
        if isinstance(theirs, NumericColumn):  # what equality of codes leaves aside
            assert mine.is_time == theirs.is_time
            assert (mine.values is None) == (theirs.values is None)
            assert mine.values is None or np.array_equal(mine.values, theirs.values)
            assert mine.edges.dtype == np.float64


@given(schemas)
def test_narrow_and_wide_share_the_columns_with_numeric_ones_first(schema):
    narrow, wide = schema.narrow.tolist(), schema.wide.tolist()
    assert sorted(narrow + wide) == list(range(len(schema.columns)))
    assert narrow[: len(schema.numeric)] == schema.numeric.tolist()


@pytest.mark.parametrize("n_bins", [NARROW_BINS, NARROW_BINS + 1])
def test_a_column_is_wide_as_soon_as_one_byte_is_too_small(n_bins):
    column = NominalColumn("c", tuple(f"{k:03d}" for k in range(n_bins)))
    schema = Schema((column,))
    assert schema.n_codes == [n_bins + FIRST_BIN]
    assert (len(schema.narrow), len(schema.wide)) == ((1, 0) if n_bins <= NARROW_BINS else (0, 1))


def test_other_takes_a_bin_too():
    column = NominalColumn("c", tuple(f"{k:03d}" for k in range(NARROW_BINS)), has_other=True)
    assert column.n_bins == NARROW_BINS + 1
    assert Schema((column,)).wide.tolist() == [0]


@given(labels, labels, labels)
def test_merging_categories_is_a_union_in_any_order(a, b, c):
    x, y, z = (Schema((NominalColumn("c", found),)) for found in (a, b, c))
    expected = tuple(sorted({*a, *b, *c}))
    assert x.merged(y).merged(z).columns[0].categories == expected
    assert z.merged(y.merged(x)).columns[0].categories == expected
    assert x.merged(x) is x


def test_merging_keeps_equal_edges_and_refuses_others():
    x = Schema((NumericColumn("x", np.array([1.0, 2.0])),))
    assert x.merged(Schema((NumericColumn("x", np.array([1.0, 2.0])),))) == x
    for other in (
        NumericColumn("x", np.array([1.0, 2.5])),
        NumericColumn("x", np.array([1.0, 2.0]), shift=1.0),
        NumericColumn("x", np.array([1.0, 2.0]), scale=2.0),
    ):
        with pytest.raises(MergeError, match="x"):
            x.merged(Schema((other,)))


def test_merging_refuses_other_names_kinds_and_orders():
    x, c = NumericColumn("x", np.empty(0)), NominalColumn("c", ("a",))
    both = Schema((x, c))
    for columns in ((c, x), (x,), (x, NominalColumn("d", ("a",))), (NominalColumn("x", ()), c)):
        with pytest.raises(MergeError):
            both.merged(Schema(columns))


def test_merging_remembers_other():
    plain, capped = NominalColumn("c", ("a",)), NominalColumn("c", ("b",), has_other=True)
    for a, b in ((plain, capped), (capped, plain)):
        assert Schema((a,)).merged(Schema((b,))).columns[0].has_other


@given(labels, labels, st.integers(0, 8))
def test_extending_never_drops_a_category_nor_passes_the_cap(a, b, cap):
    column = NominalColumn("c", a)
    extended = column.extended(b, cap)
    assert set(a) <= set(extended.categories) <= {*a, *b}
    assert list(extended.categories) == sorted(extended.categories)
    assert len(extended.categories) <= max(cap, len(a))
    assert extended.has_other == (len({*a, *b}) > max(cap, len(a)))
    assert column.extended(a) is column


def test_the_largest_column_still_fits_two_bytes():
    column = NominalColumn("c", ()).extended(map(str, range(WIDE_BINS + 5)))
    assert column.has_other
    assert column.n_codes == 65536


@pytest.mark.parametrize(("values", "empty"), [(None, False), ([], True), ([1.0], False)])
def test_only_a_column_known_to_have_no_values_is_empty(values, empty):
    own = None if values is None else np.array(values)
    assert NumericColumn("x", np.empty(0), own).is_empty == empty


def test_bin_bounds_cover_the_line():
    lower, upper = NumericColumn("x", np.array([1.0, 4.0])).bin_bounds()
    assert lower.tolist() == [-np.inf, 1.0, 4.0]
    assert upper.tolist() == [1.0, 4.0, np.inf]


def test_declared_categories_count_only_where_asked_for():
    X = np.array(["a", "a", "b", "b", "b"], object).reshape(-1, 1)
    y = [0, 0, 0, 1, 1]
    schema = NaiveBayesClassifier().fit(X, y).schema_.with_categories({"x0": ["c", "d"]})
    plain = NaiveBayesClassifier(schema=schema).fit(X, y)
    declared = NaiveBayesClassifier(schema=schema, smoothing="laplace_declared").fit(X, y)
    assert plain.decision_function([["c"]]) == plain.decision_function(np.array([[None]], object))
    weight = declared.explain([["c"]]).where(column="x0")["weight"]
    np.testing.assert_allclose(weight, np.log(1 / (2 + 4)) - np.log(1 / (3 + 4)))


@pytest.mark.parametrize("name", ["number", "absent"])
def test_categories_are_refused_where_there_are_none(name):
    schema = Schema((NumericColumn("number", np.array([0.5])), NominalColumn("label", ("a",))))
    with pytest.raises(SchemaError, match=f"nominal columns of the schema. Got '{name}'"):
        schema.with_categories({name: ["a"]})


def test_a_schema_that_covers_the_other_is_the_sum():
    small = Schema((NominalColumn("a", ("p", "r")),))
    large = Schema((NominalColumn("a", ("p", "q", "r")),))
    other = Schema((NominalColumn("a", ("p", "s"), has_other=True),))
    assert small.merged(large) is large
    assert large.merged(small).columns == large.columns
    assert small.merged(other) == other.merged(small)
    assert small.merged(other).columns[0] == NominalColumn("a", ("p", "r", "s"), has_other=True)


def test_a_schema_of_many_columns_is_shown_in_a_few_words():
    age = NumericColumn("age", np.arange(18.5, 60))
    code = NominalColumn("zip", tuple(map(str, range(10_000))))
    others = [NumericColumn(f"x{j}", np.arange(250.0)) for j in range(500)]
    wide = Schema((age, code, *others))
    shown = repr(wide)
    assert len(shown) < 1_000
    assert "NumericColumn('age', 43 bins, cut from 18.5 to 59.5)" in shown
    assert "NominalColumn('zip', 10000 categories: '0', '1', '2', '3', '4' and 9995 more)" in shown
    assert shown.startswith("Schema(502 columns: ")
    assert shown.endswith(" and 497 more)")
