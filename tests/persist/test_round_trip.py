"""A loaded model is the model that was saved, bit for bit, and goes on learning where that one stopped."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import bayfold
from bayfold.errors import ModelFileError
from tests.persist.models import (
    MODELS,
    answers,
    fitted,
    reloaded,
    saved,
    table,
)

ESTIMATORS = [name for name in bayfold.__all__ if hasattr(getattr(bayfold, name), "get_params")]


def test_every_estimator_is_tried():
    assert {type(fitted(name)).__name__ for name in MODELS} == set(ESTIMATORS)


@pytest.mark.parametrize("name", MODELS)
def test_loaded_models_answer_alike_bit_for_bit(name):
    model = fitted(name)
    assert answers(reloaded(model)) == answers(model)


@pytest.mark.parametrize("name", MODELS)
def test_pickled_models_answer_alike_bit_for_bit(name):
    model = fitted(name)
    assert answers(pickle.loads(pickle.dumps(model))) == answers(model)


EVIDENCE_BY_COUNTS = {
    "pairs",
    "pairs in batches",
    "pairs of merged bins",
    "regression",
    "regression in batches",
    "frank1998",
    "via regression",
    "mte",
    "mte with own intervals",
    "mte by em",
}


@pytest.mark.parametrize("name", MODELS)
def test_files_without_statistics_predict_and_explain_alike(name):
    model = fitted(name)
    mine, theirs = answers(reloaded(model, statistics=False)), answers(model)
    mine.pop("staged_predict_proba", None), theirs.pop("staged_predict_proba", None)
    if "saved with statistics=False" in str(mine.get("evidence_")):
        assert name in EVIDENCE_BY_COUNTS  # a table of how often what was counted
        mine.pop("evidence_"), theirs.pop("evidence_")
    assert mine == theirs


@pytest.mark.parametrize("name", MODELS)
def test_what_is_loaded_is_saved_as_the_same_file(name):
    content = saved(fitted(name))
    assert saved(reloaded(fitted(name))) == content


@pytest.mark.parametrize("name", MODELS)
def test_attributes_and_parameters_come_back(name):
    model = fitted(name)
    loaded = reloaded(model)
    assert loaded.__getstate__().keys() == model.__getstate__().keys()
    plain = {k: v for k, v in model.get_params(deep=False).items() if not hasattr(v, "get_params")}
    assert {k: loaded.get_params(deep=False)[k] for k in plain} == plain


ADDED = ["naive bayes", "gaussian", "stream", "pairs", "regression", "mte"]


@pytest.mark.parametrize("name", ADDED)
def test_a_loaded_model_adds_up(name):
    model = fitted(name)
    loaded = reloaded(model)
    assert answers(loaded + loaded) == answers(model + model)
    assert answers(loaded + model) == answers(model + model)


@pytest.mark.parametrize(
    "name", ["naive bayes", "stream", "pairs in batches", "regression in batches"]
)
def test_a_loaded_model_goes_on_with_batches(name):
    X, y, t = table()
    target = t if "regression" in name else y
    model, loaded = reloaded(fitted(name)), reloaded(reloaded(fitted(name)))
    for part in (model, loaded):
        part.partial_fit(X[50:], target[50:])
    assert answers(loaded) == answers(model)


@pytest.mark.parametrize("name", ["naive bayes", "pairs", "regression", "mte"])
def test_without_statistics_a_model_says_that_it_cannot_go_on(name):
    X, y, t = table()
    loaded = reloaded(fitted(name), statistics=False)
    with pytest.raises(ModelFileError, match="statistics=False"):
        loaded + fitted(name)
    with pytest.raises(ModelFileError, match="statistics=False"):
        loaded.partial_fit(X, t if name in ("regression", "mte") else y)
    assert not hasattr(loaded, "statistics_")


@pytest.mark.parametrize("name", ["additive", "confidence"])
def test_without_statistics_a_model_does_not_know_its_rounds(name):
    loaded = reloaded(fitted(name), statistics=False)
    with pytest.raises(ModelFileError, match="each round"):
        next(loaded.staged_predict_proba(table()[0]))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_models_that_are_not_fitted_come_back_with_their_parameters(name):
    cls = getattr(bayfold, name)
    loaded = reloaded(cls())
    assert type(loaded) is cls
    assert vars(loaded) == vars(cls())


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_saves_by_the_same_method(name):
    assert list(inspect.signature(getattr(bayfold, name).save).parameters) == [
        "self",
        "file",
        "statistics",
        "notes",
    ]


def test_arrays_that_were_one_are_one():
    model = fitted("naive bayes")
    loaded = reloaded(model)
    assert loaded.classes_ is loaded.statistics_.counts.groups
    assert loaded.schema_ is loaded.statistics_.schema
    assert loaded.classes_.flags.writeable
    assert np.shares_memory(loaded.class_count_, loaded.statistics_.counts.totals)
