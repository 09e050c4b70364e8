"""Boosting that begins with the words of texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from bayfold import BoostedNaiveBayesClassifier, load
from bayfold.core.schema import TextColumn
from bayfold.errors import ExportError
from tests.laws.texts import draw_tickets

X, Y = draw_tickets(180)
QUICK = {"n_models": 2, "n_rounds": 30, "early_stopping": False}


def fit(table=X, y=Y, sample_weight=None, **settings):
    model = BoostedNaiveBayesClassifier(**{**QUICK, **settings})
    return model.fit(table, y, sample_weight=sample_weight)


def assert_same(a, b):
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


def test_words_are_heard():
    model, blind = fit(), fit(X.select(["size"]))
    assert isinstance(model.schema_.columns[0], TextColumn)
    assert model.score(X, Y) > 0.8 > blind.score(X.select(["size"]), Y)
    assert "invoice" in set(model.evidence_.where(column="body")["bin"])


def test_weight_two_is_the_row_twice_and_weight_zero_none():
    weights = np.tile([2.0, 1.0, 0.0], len(Y) // 3)
    rows = np.repeat(np.arange(len(Y)), weights.astype(int))
    assert_same(fit(sample_weight=weights), fit(X.take(rows), Y[rows]))


def test_the_order_of_rows_and_threads_changes_nothing():
    rows = np.random.default_rng(0).permutation(len(Y))
    assert_same(fit(n_jobs=1), fit(X.take(rows), Y[rows], n_jobs=2))


def test_rows_that_differ_in_their_text_alone_are_different_rows():
    texts = X.select(["body"])
    assert fit(texts).score(texts, Y) > 0.7


def test_a_text_that_every_row_has_is_no_constant_column():
    rows = np.flatnonzero(X.column("body").is_valid())
    model = fit(X.select(["body"]).take(rows), Y[rows])
    assert (
        model.n_rounds_ == QUICK["n_rounds"]
    )  # trees without a split move the classes beside the words


@pytest.mark.parametrize("teams", [["bill", "tech"], ["bill", "tech", "sales"]])
def test_explanations_add_up(teams):
    rows = np.flatnonzero(np.isin(Y, teams))
    body = X.column("body").to_pylist()
    body = [
        None if k % 3 == 0 else text for k, text in enumerate(body)
    ]  # trees ask whether it is known
    table = X.set_column(0, "body", pa.array(body)).take(rows)
    model = fit(table, Y[rows], text_features=["body"])
    some = table.slice(0, 12)
    records, scores = model.explain(some), model.decision_function(some).reshape(12, -1)
    shown = model.classes_[-1:] if len(teams) == 2 else model.classes_
    for k, label in enumerate(shown):
        of_class = records.where(**{"class": label})
        total = np.bincount(of_class["row"], of_class["weight"])
        np.testing.assert_allclose(total, scores[:, k], atol=1e-9)
    *_, last = model.staged_predict_proba(some)
    np.testing.assert_allclose(last, model.predict_proba(some), atol=1e-12)


def test_rounds_begin_with_what_words_say():
    first = next(iter(fit().staged_predict_proba(X)))
    assert np.mean(np.array(sorted(set(Y)))[first.argmax(axis=1)] == Y) > 0.7


def test_files_hold_the_words(tmp_path):
    model = fit()
    model.save(tmp_path / "model.bayfold")
    loaded = load(tmp_path / "model.bayfold")
    assert_same(loaded, model)
    *_, last = loaded.staged_predict_proba(X)
    np.testing.assert_allclose(last, model.predict_proba(X), atol=1e-12)
    assert_same(model.collapse(), model)


def test_no_export_knows_words():
    with pytest.raises(ExportError, match="no column of text"):
        fit().to_sql("sqlite")


def test_texts_of_noise_are_not_heard():
    rng = np.random.default_rng(0)
    words = np.array(["".join(rng.choice(list("abcdefgh"), 5)) for _ in range(500)])
    noise = pa.array([" ".join(rng.choice(words, 6)) for _ in Y])
    table = X.select(["size"]).append_column("noise", noise)
    start = fit(table, text_features=["noise"])._ensemble.rounds.trees.start
    assert start.texts[0] < 0.3  # nearly nothing beside one


def test_rows_are_told_by_others_alone():
    """Words of one row each give nothing away, however well they would tell the rows apart."""
    own = pa.array([f"{label}{k} mine{k}" for k, label in enumerate(Y)])
    table = X.select(["size"]).append_column("own", own)
    model = fit(table, text_features=["own"])
    blind = fit(X.select(["size"]))
    loss, alone = model.validation_loss_[0], blind.validation_loss_[0]
    assert loss == pytest.approx(alone, abs=0.05)
    assert loss > 0.9


def test_few_rows_do_not_make_words_certain():
    table = pa.table({"t": [f"hello {label} world" for label in "ababa"]})
    model = BoostedNaiveBayesClassifier(text_features=["t"]).fit(table, list("ababa"))
    assert model.predict_proba(table).max() < 0.9999
