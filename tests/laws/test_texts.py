"""The laws for columns of text."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayfold import NaiveBayesClassifier, NaiveBayesRegressor
from bayfold.core.densities.words import WordChoice
from bayfold.core.frames import arrow
from bayfold.core.schema import TextColumn
from bayfold.core.scoring.predictor import Predictor
from bayfold.errors import DatasetError, DataWarning
from tests.laws.texts import WORDS, draw_tickets

X, Y = draw_tickets()
SCHEMA = NaiveBayesClassifier().fit(X, Y).schema_


def fit(table=X, y=Y, **settings):
    weights = settings.pop("sample_weight", None)
    return NaiveBayesClassifier(**settings).fit(table, y, sample_weight=weights)


def assert_same(a, b, table=X):
    np.testing.assert_array_equal(a.predict_proba(table), b.predict_proba(table))


def test_a_column_of_sentences_is_text():
    assert isinstance(SCHEMA.columns[0], TextColumn)
    assert fit().score(X, Y) > 0.8


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
def test_parts_add_up_exactly(ngrams):
    whole = fit(ngrams=ngrams)
    cuts = [0, 31, 32, 77, len(Y)]
    parts = [
        fit(X.slice(a, b - a), Y[a:b], schema=whole.schema_)
        for a, b in pairwise(cuts)
        if len(set(Y[a:b])) > 1
    ]
    one = NaiveBayesClassifier(schema=whole.schema_).partial_fit(X.slice(31, 1), Y[31:32])
    assert_same(sum([*parts, one]), whole)


def test_batches_and_files_give_the_same_model(tmp_path):
    stream = NaiveBayesClassifier(schema=SCHEMA)
    for start in range(0, len(Y), 40):
        stream.partial_fit(X.slice(start, 40), Y[start : start + 40])
    assert_same(stream, fit())
    pq.write_table(X.append_column("team", pa.array(Y)), tmp_path / "a.parquet")
    assert_same(NaiveBayesClassifier().fit_source(tmp_path, "team", progress=False), fit())


def test_files_are_counted_without_labels_of_texts(tmp_path, monkeypatch):
    asked, make = [], arrow.label_column
    monkeypatch.setattr(
        arrow, "label_column", lambda name, data: asked.append(name) or make(name, data)
    )
    pq.write_table(X.append_column("team", pa.array(Y)), tmp_path / "a.parquet")
    NaiveBayesClassifier(schema=SCHEMA).fit_source(tmp_path, "team", progress=False)
    assert "body" not in asked


def test_bytes_that_are_no_utf8_are_an_error():
    cells = [b"good \xff word" if team == "bill" else b"bad \xe2\x82" for team in Y]
    bounds = pa.py_buffer(np.cumsum([0, *map(len, cells)], dtype=np.int32))
    array = pa.Array.from_buffers(
        pa.string(), len(Y), [None, bounds, pa.py_buffer(b"".join(cells))]
    )
    table = pa.table({"body": array})
    with pytest.raises(DatasetError, match=r"Got: .*Invalid UTF8 sequence"):
        fit(table, text_features=["body"])


def test_weight_two_is_the_row_twice_and_weight_zero_none():
    weights = np.tile([2.0, 1.0, 0.0], len(Y) // 3)
    rows = np.repeat(np.arange(len(Y)), weights.astype(int))
    assert_same(fit(sample_weight=weights), fit(X.take(rows), Y[rows]))


def test_the_order_of_rows_and_threads_changes_nothing():
    rows = np.random.default_rng(0).permutation(len(Y))
    assert_same(fit(n_jobs=1), fit(X.take(rows), Y[rows], n_jobs=2))


def shuffle_words(texts):
    rng = np.random.default_rng(0)
    return [
        None if text is None else ", ".join(rng.permutation(text.upper().split(" ")))
        for text in texts.to_pylist()
    ]


def test_the_order_of_words_and_their_case_change_nothing():
    mixed = X.set_column(0, "body", pa.array(shuffle_words(X.column("body"))))
    model = fit()
    np.testing.assert_allclose(model.predict_proba(mixed), model.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(fit(mixed).predict_proba(X), model.predict_proba(X), atol=1e-12)


def with_choice(model, choice):
    """The model with words weighed otherwise."""
    term = model._predictor.model.terms[0]
    term = replace(term, density=replace(term.density, choice=choice))
    terms = (term, *model._predictor.model.terms[1:])
    model._predictor = Predictor(replace(model._predictor.model, terms=terms))
    return model


@pytest.mark.parametrize("length", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("repeats", [0.0, 0.5, 1.0])
def test_a_document_twice_as_long_says_the_same(length, repeats):
    twice = [None if text is None else f"{text} {text}" for text in X.column("body").to_pylist()]
    longer = X.set_column(0, "body", pa.array(twice))
    model = with_choice(fit(), WordChoice(3.0, 0.5, length, repeats, True))
    np.testing.assert_allclose(model.predict_proba(longer), model.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("missing", ["ignore", "category"])
@pytest.mark.parametrize("teams", [["bill", "tech"], ["bill", "tech", "sales"]])
def test_explanations_add_up(missing, teams):
    rows = np.flatnonzero(np.isin(Y, teams))
    table = X.take(rows)
    model = fit(table, Y[rows], missing=missing)
    some = table.slice(0, 12)
    scores = model.decision_function(some).reshape(12, -1)
    records = model.explain(some)
    shown = model.classes_[-1:] if len(teams) == 2 else model.classes_
    for k, label in enumerate(shown):
        of_class = records.where(**{"class": label})
        total = np.bincount(of_class["row"], of_class["weight"])
        np.testing.assert_allclose(total, scores[:, k], atol=1e-9)
    words = records.where(bin="word")
    assert set(words["column"]) == {"body"}


def test_a_word_that_never_occurred_says_nothing():
    model = fit()
    strange = X.set_column(
        0, "body", pa.array([f"{text or ''} zyxwv qqq" for text in X.column("body").to_pylist()])
    )
    known = [k for k, text in enumerate(X.column("body").to_pylist()) if text is not None]
    np.testing.assert_array_equal(
        model.predict_proba(strange)[known], model.predict_proba(X)[known]
    )


def test_a_missing_text_touches_only_its_own_term():
    model = fit(calibration=None)
    nothing = X.set_column(0, "body", pa.nulls(len(Y), pa.string()))
    alone = fit(X.select(["size"]), calibration=None)
    np.testing.assert_allclose(
        model.predict_proba(nothing), alone.predict_proba(X.select(["size"])), atol=1e-12
    )


def test_copies_of_rows_change_no_choice_for_the_worse():
    rows = np.repeat(np.arange(len(Y)), 3)
    copied, plain = fit(X.take(rows), Y[rows], schema=SCHEMA), fit(schema=SCHEMA)
    assert (
        copied._predictor.model.terms[0].density.choice
        == plain._predictor.model.terms[0].density.choice
    )
    np.testing.assert_allclose(copied.predict_proba(X), plain.predict_proba(X), atol=0.05)


# numeric targets

SIZE = np.array([{"bill": 0.0, "tech": 5.0, "sales": 20.0}[team] for team in Y])
SIZE += np.random.default_rng(1).normal(size=len(Y))


def fit_number(table=X, y=SIZE, **settings):
    weights = settings.pop("sample_weight", None)
    return NaiveBayesRegressor(**settings).fit(table, y, sample_weight=weights)


def test_words_tell_a_number():
    model, without = fit_number(), fit_number(X.select(["size"]))
    later, teams = draw_tickets(seed=5)
    truth = np.array([{"bill": 0.0, "tech": 5.0, "sales": 20.0}[team] for team in teams])
    assert model.score(later, truth) > 0.5 > without.score(later.select(["size"]), truth)
    strongest = model.evidence_.where(column="body")["bin"]
    assert strongest[0] in WORDS["sales"] or strongest[0] in {"日本", "本語"}
    assert strongest[-1] in WORDS["bill"]


def test_numbers_by_words_add_up_and_weights_are_copies():
    whole = fit_number()
    parts = [fit_number(X.slice(a, 60), SIZE[a : a + 60], schema=whole.schema_) for a in (0, 60)]
    np.testing.assert_allclose(sum(parts).predict(X), whole.predict(X), rtol=1e-10)
    weights = np.tile([2.0, 1.0, 0.0], len(Y) // 3)
    rows = np.repeat(np.arange(len(Y)), weights.astype(int))
    twice = fit_number(X.take(rows), SIZE[rows])
    np.testing.assert_allclose(
        fit_number(sample_weight=weights).predict(X), twice.predict(X), rtol=1e-10
    )


def test_a_text_of_noise_costs_a_regressor_little():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    y = x + 0.5 * rng.normal(size=400)
    words = ["".join(rng.choice(list("abcdefgh"), 5)) for _ in range(2000)]
    noise = [" ".join(rng.choice(words, 10)) for _ in range(400)]
    with_noise = pa.table({"x": x, "noise": noise})
    errors = [
        np.square(fit_number(t.slice(0, 200), y[:200]).predict(t.slice(200)) - y[200:]).mean()
        for t in (with_noise, with_noise.select(["x"]))
    ]
    assert errors[0] < 1.03 * errors[1]


def test_the_published_regression_reads_no_words():
    with pytest.warns(DataWarning, match="which only .* and NaiveBayesRegressor can read"):
        fit_number(bandwidth="frank1998")
    with pytest.raises(ValueError, match="`text_features` must be None"):
        fit_number(bandwidth="frank1998", text_features=["body"])
