"""Columns: of no use, missing, too many, in a wrong order, of a wrong shape."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from bayfold import (
    AveragedOneDependenceClassifier,
    MDLDiscretizer,
    NaiveBayesClassifier,
    NaiveBayesTreeClassifier,
)
from bayfold.errors import DataWarning
from tests.plain import plain_classifier

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 2)), np.arange(60) % 2
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})


@pytest.mark.parametrize("numeric", ["equal_frequency", "equal_width", "gaussian"])
@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"ID": 7.0}, "Column 'ID' has a single value"),
        ({"ID": "x"}, "Column 'ID' has a single value"),
        ({"ID": 7.0, "City": "x"}, "Columns 'ID', 'City' have a single value"),
        ({"ID": np.nan}, "Column 'ID' has no known cell"),
        ({"ID": None}, "Column 'ID' has no known cell"),
    ],
)
def test_columns_of_no_use_are_named_and_change_nothing(numeric, extra, message):
    wider = FRAME.assign(**extra)
    with pytest.warns(DataWarning, match=message) as caught:
        model = plain_classifier(numeric=numeric).fit(wider, Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "consider dropping" in str(caught[0].message)
    alone = plain_classifier(numeric=numeric).fit(FRAME, Y)
    np.testing.assert_allclose(
        model.predict_proba(wider), alone.predict_proba(FRAME), rtol=0, atol=1e-15
    )
    assert np.isfinite(model.evidence_["weight"]).all()


def test_a_constant_column_stays_silent_for_other_values():
    with pytest.warns(DataWarning, match="single value"):
        model = plain_classifier().fit(FRAME.assign(c=7.0), Y)
    np.testing.assert_array_equal(
        model.predict_proba(FRAME.assign(c=-3.0)), model.predict_proba(FRAME.assign(c=7.0))
    )


TEXTS = pd.DataFrame({"text": [f"the {k}th letter of many words" for k in range(40)]})


def test_words_of_texts_are_evidence():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = plain_classifier().fit(TEXTS, np.arange(40) % 2)
    assert model.schema_.columns[0].kind == "text"


@pytest.mark.parametrize("estimator", [AveragedOneDependenceClassifier, NaiveBayesTreeClassifier])
def test_who_reads_no_words_says_who_does(estimator):
    with pytest.warns(
        DataWarning, match="Column 'text' has texts, which only NaiveBayesClassifier"
    ):
        estimator().fit(TEXTS.assign(x=np.arange(40.0)), np.arange(40) % 2)
    schema = plain_classifier().fit(TEXTS, np.arange(40) % 2).schema_
    with pytest.raises(ValueError, match=r"must have no column of text\. Got 'text'"):
        AveragedOneDependenceClassifier(schema=schema).fit(TEXTS, np.arange(40) % 2)


def test_text_that_is_no_text_is_refused():
    frame = TEXTS.assign(x=np.arange(40.0))
    with pytest.raises(TypeError, match=r"`text_features` must name columns of strings\. Got 'x'"):
        NaiveBayesClassifier(text_features=["x"]).fit(frame, np.arange(40) % 2)
    both = NaiveBayesClassifier(text_features=["text"], categorical_features=["text"])
    with pytest.raises(ValueError, match="Name it in one of them only"):
        both.fit(frame, np.arange(40) % 2)
    model = NaiveBayesClassifier(text_features=["text"]).fit(TEXTS, np.arange(40) % 2)
    with pytest.raises(
        ValueError, match=r"Column 'text' must be text, as it was at fit\. Got numbers"
    ):
        model.predict(pd.DataFrame({"text": [1.0]}))
    with pytest.raises(NotImplementedError, match=r"must have no column of text\. Got 'text'"):
        model.to_sql()


def test_identifiers_are_named():
    ids = pd.DataFrame({"a": X[:, 0], "Name": [f"n{k}" for k in range(60)]})
    with pytest.warns(DataWarning, match=r"Column 'Name' has nearly as many categories as rows"):
        plain_classifier().fit(ids, Y)
    with (
        warnings.catch_warnings()
    ):  # numbers may all differ, and a tenth of the rows is no identifier
        warnings.simplefilter("error")
        plain_classifier().fit(FRAME.assign(c=[f"n{k // 10}" for k in range(60)]), Y)


@pytest.mark.parametrize(
    "table",
    [
        np.empty((0, 2)),
        FRAME.iloc[:0],
        pl.DataFrame({"a": [], "b": []}),
        pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.float64())}),
    ],
)
def test_empty_tables_are_refused(table):
    model = plain_classifier().fit(FRAME.to_numpy(), Y)
    for call in (lambda: plain_classifier().fit(table, []), lambda: model.predict(table)):
        with pytest.raises(ValueError, match=r"0 sample\(s\).*at least one row and one column"):
            call()


@pytest.mark.parametrize("table", [np.empty((4, 0)), pd.DataFrame(index=range(4))])
def test_tables_without_columns_are_refused(table):
    with pytest.raises(ValueError, match=r"0 feature\(s\).*at least one row and one column"):
        plain_classifier().fit(table, [0, 1, 0, 1])


def test_wrong_columns_are_named():
    model = plain_classifier().fit(FRAME, Y)
    before = model.statistics_
    cases = {
        "unseen at fit time:\n- z\n.*yet now missing:\n- b\n": FRAME.rename(columns={"b": "z"}),
        "yet now missing:\n- b\n": FRAME[["a"]],
        "unseen at fit time:\n- c\n": FRAME.assign(c=1),
        "must be in the same order": FRAME[["b", "a"]],
    }
    for message, frame in cases.items():
        for call in (
            model.predict,
            model.explain,
            model.score_samples,
            lambda X: model.partial_fit(X, Y),
            lambda X: plain_classifier(schema=model.schema_).fit(X, Y),
        ):
            with pytest.raises(ValueError, match=f"(?s){message}"):
                call(frame)
    assert model.statistics_ is before


def test_wrong_number_of_features():
    model = plain_classifier().fit(X, Y)
    message = "X has 1 features, but NaiveBayesClassifier is expecting 2 features as input"
    for call in (
        model.predict_proba,
        lambda X: model.partial_fit(X, Y),
        lambda X: plain_classifier(schema=model.schema_).fit(X, Y),
    ):
        with pytest.raises(ValueError, match=message):
            call(X[:, :1])


def test_names_at_fit_only_are_a_warning_at_the_callers_line():
    model = plain_classifier().fit(FRAME, Y)
    for call in (model.predict, model.explain):
        with pytest.warns(UserWarning, match="does not have valid feature names") as caught:
            call(X)
        assert caught[0].filename == __file__


def test_names_must_be_all_strings_or_none():
    with pytest.raises(TypeError, match="all input features have string names"):
        plain_classifier().fit(pd.DataFrame({"a": [1, 2], 0: [1, 2]}), [0, 1])
    assert not hasattr(plain_classifier().fit(pd.DataFrame(X), Y), "feature_names_in_")


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_array, sp.coo_matrix])
def test_sparse_is_refused_with_what_to_use(make):
    with pytest.raises(TypeError, match=r"sparse \w+.*NaiveBayesClassifier.*X\.toarray\(\)"):
        MDLDiscretizer().fit(make(X), Y)


def test_complex_is_refused():
    with pytest.raises(ValueError, match="Complex data not supported"):
        plain_classifier().fit(X + 1j, Y)
    with pytest.raises(ValueError, match=r"Complex data not supported.*column 'c'"):
        plain_classifier().fit(FRAME.assign(c=1j), Y)


@pytest.mark.parametrize("column", [X[:, 0], X[:, 0].tolist(), pa.array(X[:, 0])])
def test_a_single_column_is_refused_with_how_to_reshape(column):
    with pytest.raises(ValueError, match=r"Expected 2D array, got 1D array.*reshape\(-1, 1\)"):
        plain_classifier().fit(column, Y)


@pytest.mark.parametrize("column", [FRAME["a"], pl.Series("a", X[:, 0])])
def test_a_series_is_refused_with_how_to_make_a_frame_of_it(column):
    with pytest.raises(TypeError, match=r"Got a Series.*X\.to_frame\(\)"):
        plain_classifier().fit(column, Y)


def test_other_dimensions_are_refused():
    with pytest.raises(ValueError, match="array with dim 3"):
        plain_classifier().fit(X[None], Y)
    with pytest.raises(ValueError, match="scalar array"):
        plain_classifier().fit(3.0, Y)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"\[60, 59\].*`y` must have one entry per row"):
        plain_classifier().fit(X, Y[:-1])
    with pytest.raises(ValueError, match=r"\[60, 59\].*`sample_weight` must have one entry"):
        plain_classifier().fit(X, Y, sample_weight=np.ones(59))


def test_a_lazy_frame_is_told_to_collect():
    with pytest.raises(TypeError, match=r"LazyFrame.*X\.collect\(\)"):
        plain_classifier().fit(pl.LazyFrame({"a": [1, 2]}), [0, 1])


def test_a_density_for_a_nominal_column_is_refused():
    frame = pd.DataFrame({"n": [1.0, 2.0], "job": ["a", "b"]})
    with pytest.raises(ValueError, match=r"`numeric` must be about numeric columns\. Got 'job'"):
        plain_classifier(numeric={"job": "gaussian"}).fit(frame, [0, 1])


def test_integers_beyond_the_floats_are_infinite():
    frame = pd.DataFrame({"big": pd.Series([10**400, 1], dtype=object)})
    with pytest.raises(ValueError, match=r"infinity in column 'big'"):
        plain_classifier().fit(frame, [0, 1])


@pytest.mark.parametrize("weight", [1.0, 5.0])
def test_an_identifier_is_named_however_often_its_rows_are_copied(weight):
    table = FRAME.assign(ID=[f"row {k}" for k in range(60)])
    with pytest.warns(DataWarning, match="Column 'ID' has nearly as many categories as rows"):
        plain_classifier().fit(table, Y, sample_weight=np.full(60, weight))


def test_more_categories_than_codes_are_merged_by_name():
    """The most frequent are kept; no row is dropped in silence."""
    names = np.array([f"v{k}" for k in range(66_000)])
    table = pd.DataFrame({"id": np.append(names, names[:40_000])})
    y = np.arange(len(table)) % 2
    with pytest.warns(
        DataWarning, match="Column 'id' has more than 65,533 categories.*in 467 rows"
    ) as caught:
        model = plain_classifier().fit(table, y)
    assert len(caught) == 1
    assert model.statistics_.counts.n_rows == len(table)
    assert set(names[:40_000]) <= set(model.schema_.columns[0].categories)
