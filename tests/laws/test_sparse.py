"""The laws for sparse matrices: the columns of the matrix are the words of one text."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    load,
)
from bayfold.errors import MergeError, SchemaError
from tests.laws.texts import draw_tickets

TABLE, Y = draw_tickets()
TEXTS = [text or "" for text in TABLE.column("body").to_pylist()]
WORDS = CountVectorizer(lowercase=True, token_pattern=r"\w+")
X = WORDS.fit_transform(TEXTS)
NAMES = WORDS.get_feature_names_out()


def fit(matrix=X, y=Y, **settings):
    weights = settings.pop("sample_weight", None)
    return NaiveBayesClassifier(**settings).fit(matrix, y, sample_weight=weights)


MODEL = fit()


def assert_same(a, b, matrix=X):
    np.testing.assert_array_equal(a.predict_proba(matrix), b.predict_proba(matrix))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr"])
@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array])
def test_the_format_changes_nothing(kind, container):
    other = container(X).asformat(kind)
    before = other.copy()
    assert_same(fit(other), MODEL)
    assert_same(MODEL, MODEL, other)
    assert (before != other).nnz == 0


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, np.float64])
def test_the_type_of_entries_changes_nothing(dtype):
    assert_same(fit(X.astype(dtype)), MODEL)


def test_long_indices_change_nothing():
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert_same(fit(wide), MODEL)


def test_the_order_of_entries_explicit_zeros_and_entries_in_parts_change_nothing():
    coo = X.tocoo()
    order = np.random.default_rng(0).permutation(coo.nnz)
    row, col, data = coo.row[order], coo.col[order], coo.data[order]
    zeros = sp.coo_array(
        (np.append(data, 0), (np.append(row, 7), np.append(col, 1))), shape=X.shape
    )
    halves = sp.coo_array((np.tile(data / 2, 2), (np.tile(row, 2), np.tile(col, 2))), shape=X.shape)
    for other in (zeros, zeros.tocsr(), halves):
        assert_same(fit(other), MODEL)


def test_entries_that_add_up_beyond_their_type_do_not_overflow():
    row, col = np.repeat(np.arange(40), 3), np.repeat(np.arange(40) % 4, 3)
    many = sp.coo_array((np.full(120, 100, np.int8), (row, col)), shape=(40, 4))
    y = np.arange(40) % 4 > 1
    assert (fit(many, y).predict(many) == y).all()


def test_a_column_of_texts_says_the_same():
    known = [k for k, text in enumerate(TABLE.column("body").to_pylist()) if text is not None]
    table = TABLE.select(["body"]).take(known)
    as_text = NaiveBayesClassifier(calibration=None).fit(table, Y[known])
    as_counts = fit(X[known], Y[known], calibration=None)
    # the vectorizer takes no pairs of characters where no spaces stand
    plain = [k for k in known if "日" not in TEXTS[k]]
    np.testing.assert_allclose(
        as_counts.predict_proba(X[plain]),
        as_text.predict_proba(TABLE.select(["body"]).take(plain)),
        atol=1e-12,
    )


def test_parts_and_batches_add_up_exactly():
    cuts = [0, 31, 32, 77, len(Y)]
    parts = [NaiveBayesClassifier().partial_fit(X[a:b], Y[a:b]) for a, b in pairwise(cuts)]
    assert_same(sum(parts), MODEL)
    stream = NaiveBayesClassifier()
    for start in range(0, len(Y), 40):
        stream.partial_fit(X[start : start + 40], Y[start : start + 40])
    assert_same(stream, MODEL)


def test_weight_two_is_the_row_twice_and_weight_zero_none():
    weights = np.tile([2.0, 1.0, 0.0], len(Y) // 3)
    rows = np.repeat(np.arange(len(Y)), weights.astype(int))
    assert_same(fit(sample_weight=weights), fit(X[rows], Y[rows]))


def test_the_order_of_rows_and_threads_changes_nothing():
    rows = np.random.default_rng(0).permutation(len(Y))
    assert_same(fit(n_jobs=1), fit(X[rows], Y[rows], n_jobs=2))


def test_a_document_twice_as_long_says_the_same():
    np.testing.assert_allclose(MODEL.predict_proba(2 * X), MODEL.predict_proba(X), atol=1e-12)


def test_explanations_add_up_and_name_words():
    frame = pd.DataFrame.sparse.from_spmatrix(X, columns=NAMES)
    named = fit(frame)
    assert list(named.feature_names_in_) == list(NAMES)
    for model, matrix, names in ((MODEL, X[:9], None), (named, frame[:9], NAMES)):
        records = model.explain(matrix)
        scores = model.decision_function(matrix)
        for k, label in enumerate(model.classes_):
            of_class = records.where(**{"class": label})
            total = np.bincount(of_class["row"], of_class["weight"])
            np.testing.assert_allclose(total, scores[:, k], atol=1e-9)
        shown = set(records.where(row=0, bin="word")["value"])
        places = X[[0]].indices
        assert shown == {f"word {j}" if names is None else names[j] for j in places}
    assert set(named.evidence_["bin"]) <= set(NAMES)


def test_files_copies_and_pipelines(tmp_path):
    MODEL.save(tmp_path / "a.bayfold")
    assert_same(load(tmp_path / "a.bayfold"), MODEL)
    stream = NaiveBayesClassifier().partial_fit(X[:50], Y[:50])
    stream.save(tmp_path / "b.bayfold")
    assert_same(load(tmp_path / "b.bayfold").partial_fit(X[50:], Y[50:]), MODEL)
    assert_same(clone(MODEL).fit(X, Y), MODEL)
    for vectorizer in (CountVectorizer(), TfidfVectorizer()):
        assert make_pipeline(vectorizer, NaiveBayesClassifier()).fit(TEXTS, Y).score(TEXTS, Y) > 0.8


def test_a_dense_array_of_the_same_words_can_be_predicted():
    assert_same(MODEL, MODEL, X.toarray())
    np.testing.assert_array_equal(MODEL.predict_proba(X.toarray()), MODEL.predict_proba(X))


def test_rows_without_words_are_known_and_one_column_is_enough():
    nothing = sp.csr_array((3, X.shape[1]))
    np.testing.assert_allclose(MODEL.predict_proba(nothing).sum(axis=1), 1.0)
    one = sp.csr_array((np.arange(60) % 2)[:, None])
    assert fit(one, np.arange(60) % 2).score(one, np.arange(60) % 2) == 1.0


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(ValueError, match=r"Negative values .* Got -1\. Use X\.toarray\(\)"):
        fit(-X)
    with pytest.raises(ValueError, match="alternate_sign=False"):
        fit(HashingVectorizer(n_features=64).transform(TEXTS))
    with pytest.raises(ValueError, match="Got nan"):
        fit(sp.csr_array(X.astype(float) * np.nan))
    with pytest.raises(ValueError, match="Complex data"):
        fit(X * 1j)
    with pytest.raises(ValueError, match="0 feature"):
        fit(sp.csr_array((len(Y), 0)))


def test_a_table_is_no_sparse_matrix():
    with pytest.raises(SchemaError, match=r"must be a dense table.*X\.toarray\(\)"):
        fit(X.toarray()).predict(X)
    with pytest.raises(SchemaError, match="must be a sparse matrix"):
        clone(MODEL).fit(X, Y).partial_fit(X.toarray(), Y)
    with pytest.raises(ValueError, match="features"):
        MODEL.predict(X[:, 1:])
    with pytest.raises(MergeError, match="same columns in the same order"):
        MODEL + fit(X[:, 1:])


@pytest.mark.parametrize(
    "estimator",
    [AveragedOneDependenceClassifier(), BoostedNaiveBayesClassifier(), NaiveBayesRegressor()],
)
def test_other_estimators_say_which_takes_sparse_matrices(estimator):
    with pytest.raises(TypeError, match="Use NaiveBayesClassifier, which takes sparse matrices"):
        estimator.fit(X, np.arange(len(Y)) % 2)


def test_the_summary_and_the_importances_have_one_column():
    summary = MODEL.summary()
    assert summary.columns["column"].tolist() == ["words"]
    assert MODEL.feature_importances_["words"] == 1.0
    assert MODEL.schema_ == type(MODEL.schema_).from_dict(MODEL.schema_.to_dict())
