"""partial_fit: new classes, first batches, and calls that are refused."""

import numpy as np
import pandas as pd
import pytest

from bayfold.errors import SchemaError
from tests.plain import plain_classifier

RNG = np.random.default_rng(1)


def draw(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    frame = pd.DataFrame({"u": rng.normal(y, 1.0), "v": rng.exponential(1 + y)})
    frame["w"] = np.where(rng.random(n) < 0.3 + 0.4 * y, "p", "q")
    return frame, y


def edges(model):
    return [column.edges.tolist() for column in model.schema_.columns if column.kind == "numeric"]


def test_a_new_class_is_learnt():
    X, y = draw(60)
    model = plain_classifier(schema=plain_classifier().fit(X, y).schema_)
    model.partial_fit(X[:30], np.zeros(30, int)).partial_fit(X[30:], np.full(30, 7))
    assert model.classes_.tolist() == [0, 7]
    whole = plain_classifier(schema=model.schema_).fit(X, [0] * 30 + [7] * 30)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))


def test_a_class_outside_classes_is_refused_and_nothing_is_counted():
    X, y = draw(40)
    model = plain_classifier().partial_fit(X, y, classes=[0, 1, 2])
    assert model.classes_.tolist() == [0, 1, 2]
    before, answers = model.statistics_, model.predict_proba(X)
    with pytest.raises(
        ValueError, match=r"classes given by `classes`, \[0, 1, 2\]\. Got 5, 9.*Nothing"
    ):
        model.partial_fit(X, np.where(y == 0, 5, 9))
    assert model.statistics_ is before
    np.testing.assert_array_equal(model.predict_proba(X), answers)
    model.partial_fit(X, np.full(40, 2))
    assert model.class_count_.tolist() == [(y == 0).sum(), (y == 1).sum(), 40.0]


def test_a_class_outside_classes_in_the_first_call_leaves_no_model():
    X, y = draw(10)
    model = plain_classifier()
    with pytest.raises(ValueError, match="Got 1"):
        model.partial_fit(X, y, classes=[0])
    assert not hasattr(model, "classes_")


def test_other_classes_in_a_later_call_are_refused():
    X, y = draw(20)
    model = plain_classifier().partial_fit(X, y, classes=[0, 1])
    model.partial_fit(X, y, classes=[1, 0])
    with pytest.raises(ValueError, match=r"`classes=\[0, 1, 2\]` is not the same.*\[0, 1\]"):
        model.partial_fit(X, y, classes=[0, 1, 2])


def test_fit_and_sums_forget_classes_that_were_given():
    X, y = draw(20)
    model = plain_classifier().partial_fit(X, y, classes=[0, 1])
    other = plain_classifier(schema=model.schema_).fit(X, y + 1)
    assert (model + other).partial_fit(X, y + 1).classes_.tolist() == [0, 1, 2]
    model.fit(X, np.array(["a", "b"])[y])
    assert model.partial_fit(X, np.array(["c", "b"])[y]).classes_.tolist() == ["a", "b", "c"]


def test_an_announced_class_without_rows_has_no_probability():
    X, y = draw(40)
    model = plain_classifier().partial_fit(X, y, classes=[0, 1, 2])
    plain = plain_classifier().fit(X, y)
    assert not model.predict_proba(X)[:, 2].any()
    np.testing.assert_allclose(model.predict_proba(X)[:, :2], plain.predict_proba(X), rtol=1e-12)
    shifted = model.with_priors([0.25, 0.25, 0.5]).predict_proba(X)
    assert np.isfinite(shifted).all()
    assert (shifted[:, 2] > 0).all()


def test_edges_are_drawn_anew_at_doublings():
    X, y = draw(400)
    model = plain_classifier()
    for start in range(0, 400, 50):  # edges at 50, 100, 200 and 400 rows
        model.partial_fit(X[start : start + 50], y[start : start + 50])
        n = start + 50
        doubled = 50 * 2 ** int(np.log2(n / 50))
        drawn = plain_classifier().fit(X[:doubled], y[:doubled])
        assert edges(model) == edges(drawn)
        assert model.class_count_.sum() == n
    np.testing.assert_array_equal(
        model.predict_proba(X), plain_classifier().fit(X, y).predict_proba(X)
    )


def test_edges_are_fixed_after_ten_thousand_rows_and_rows_are_let_go():
    X, y = draw(14_000)
    model = plain_classifier()
    for start in range(0, 12_500, 2_500):
        model.partial_fit(X[start : start + 2_500], y[start : start + 2_500])
        assert bool(model._stream.batches) == (start + 2_500 < 10_000)
    fixed = plain_classifier().fit(X[:10_000], y[:10_000])
    assert edges(model) == edges(fixed)
    model.partial_fit(X[12_500:], y[12_500:])
    assert edges(model) == edges(fixed)
    whole = plain_classifier(schema=fixed.schema_).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X[:50]), whole.predict_proba(X[:50]))


@pytest.mark.parametrize("numeric", ["equal_frequency", "equal_width", "gaussian"])
def test_a_schema_fixes_the_edges_from_the_start(numeric):
    X, y = draw(120)
    schema = plain_classifier(numeric=numeric).fit(*draw(50, seed=5)).schema_
    model = plain_classifier(numeric=numeric, schema=schema)
    for rows in np.array_split(np.arange(120), [1, 2, 30, 31]):
        model.partial_fit(X.iloc[rows], y[rows])
        assert model.schema_ == schema
    whole = plain_classifier(numeric=numeric, schema=schema).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("numeric", ["equal_frequency", "equal_width", "gaussian"])
def test_one_row_at_a_time_ends_close_to_the_batch_fit(numeric):
    X, y = draw(600)
    stream, batch = (plain_classifier(numeric=numeric) for _ in range(2))
    for k in range(600):
        stream.partial_fit(X[k : k + 1], y[k : k + 1])
    batch.fit(X, y)
    assert stream.class_count_.tolist() == batch.class_count_.tolist()
    new, _ = draw(500, seed=9)
    difference = np.abs(stream.predict_proba(new) - batch.predict_proba(new))
    assert difference.mean() < (1e-12 if numeric == "gaussian" else 0.02)


def test_batches_may_be_overwritten_by_the_caller():
    X, y = RNG.normal(size=(40, 2)), RNG.integers(0, 2, 40)
    weights = RNG.integers(1, 4, 40).astype(float)
    model = plain_classifier()
    for rows in np.array_split(np.arange(40), [10, 15, 20]):  # at 15 no edges are drawn
        batch, target, weight = X[rows].copy(), y[rows].copy(), weights[rows].copy()
        model.partial_fit(batch, target, sample_weight=weight)
        batch[:], target[:], weight[:] = 0.0, 1, 100.0
    whole = plain_classifier().fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))


def test_a_column_of_another_kind_is_refused_before_and_at_a_doubling():
    X, y = draw(20)
    model = plain_classifier().partial_fit(X, y)
    before, stream = model.statistics_, model._stream
    for n in (5, 20):
        with pytest.raises(SchemaError, match="Column 'u' must be numeric"):
            model.partial_fit(X[:n].assign(u="word"), y[:n])
        assert model.statistics_ is before
        assert model._stream is stream
    model.partial_fit(X, y)


def test_a_mixed_column_streams_even_if_a_batch_holds_numbers_or_nothing():
    def batch(*cells):
        return pd.DataFrame({"a": pd.Series(list(cells), dtype=object)})

    model = plain_classifier().partial_fit(batch("a", 1), [0, 1])
    for cells in [(2,), (1, 1, 2), (None,), ("b", "a")]:
        model.partial_fit(batch(*cells), [0] * len(cells))
    model.partial_fit(pd.DataFrame({"a": [np.nan] * 9}), [1] * 9)
    assert model.schema_.columns[0].categories == ("1", "2", "a", "b")
    assert model.evidence_.where(bin="(missing)")["total"].tolist() == [10.0]


def test_infinity_in_a_batch_is_refused_and_nothing_is_counted():
    X, y = draw(20)
    model = plain_classifier().partial_fit(X, y)
    before = model.statistics_
    with pytest.raises(ValueError, match="infinity in column 'v'"):
        model.partial_fit(X.assign(v=np.inf), y)
    assert model.statistics_ is before


def test_partial_fit_continues_a_fit():
    X, y = draw(60)
    model = plain_classifier().fit(X[:30], y[:30])
    whole = plain_classifier(schema=model.schema_).fit(X, y)
    model.partial_fit(X[30:], y[30:])
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))


def test_new_categories_are_learnt():
    X, y = draw(40)
    model = plain_classifier().partial_fit(X, y)
    model.partial_fit(X[:10].assign(w="new"), np.ones(10, int))
    assert "new" in model.schema_.columns[2].categories
    found = model.evidence_.where(column="w", bin="new")
    assert found["count"].tolist() == [10.0]
    assert found["weight"][0] > 0
