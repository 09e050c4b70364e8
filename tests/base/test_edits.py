"""Edits by hand: what they change, that nothing else changes, and that everybody who shows a model shows them."""

from __future__ import annotations

import io
import json
from functools import cache

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bayfold
from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    NaiveBayesClassifier,
    errors,
)
from bayfold.evaluate import compare_edits
from bayfold.report import gather, write
from tests.export.javascript import run_node
from tests.export.runtime import run_onnx

BINNED = {"numeric": "equal_frequency", "n_bins": 5}


@cache
def draw(n=500):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n).astype(float),
            "income": rng.normal(size=n),
            "region": rng.choice(["north", "south", "east"], n),
        }
    )
    score = (X.age > 40) + X.income * np.where(X.age > 50, 2, -1) + (X.region == "north")
    X.loc[::17, "age"] = np.nan
    noisy = score + rng.logistic(size=n)
    return X, (noisy > 0.5).to_numpy().astype(int), (100 * noisy + 1000).to_numpy()


@cache
def fitted(kind):
    X, y, number = draw()
    few = {"n_rounds": 12, "n_models": 1, "max_bins": 8, "early_stopping": False}
    if kind == "naive":
        return NaiveBayesClassifier(**BINNED).fit(X, y)
    if kind == "three":
        return NaiveBayesClassifier(**BINNED).fit(X, np.digitize(number, [950, 1100]))
    if kind == "boosted":
        return BoostedNaiveBayesClassifier(**few).fit(X, y)
    return BoostedNaiveBayesRegressor(**few).fit(X, number)


def bins_of(model, column):
    found = model.evidence_.where(column=column)
    return list(dict.fromkeys(found["bin"].tolist()))


def answers(model):
    X = draw()[0]
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def pair_of(model):
    return next(name for name in model.evidence_["column"] if " x " in name)


def check_explained(model):
    """Law 12 after edits: the summands of a row add up to what is predicted."""
    X = draw()[0]
    explained = model.explain(X)
    added = np.bincount(explained["row"], explained[explained.measure])
    wanted = model.decision_function(X) if hasattr(model, "classes_") else model.predict(X)
    np.testing.assert_allclose(added, wanted, rtol=1e-9)


@pytest.mark.parametrize("kind", ["naive", "boosted", "number"])
def test_an_edited_bin_has_the_weight_that_was_given_and_all_others_theirs(kind):
    model = fitted(kind)
    before = answers(model)
    label = bins_of(model, "age")[2]
    edited = model.edit("age", label, weight=-0.5, reason="policy 12", author="Ada")
    shown = edited.evidence_
    measure = shown.measure
    old = model.evidence_
    is_bin = (shown["column"] == "age") & (shown["bin"] == label)
    assert shown[measure][is_bin] == pytest.approx([-0.5])
    np.testing.assert_allclose(shown[measure][~is_bin], old[measure][~is_bin], atol=1e-12)
    record = edited.edits_[0]
    assert record["before"] == pytest.approx(old[measure][is_bin][0])
    assert (record["reason"], record["author"], record["active"]) == ("policy 12", "Ada", True)
    np.testing.assert_array_equal(answers(model), before)
    assert len(model.edits_) == 0
    check_explained(edited)


@pytest.mark.parametrize("kind", ["naive", "boosted", "number"])
def test_all_actions_are_stored_replayed_and_undone(kind):
    model = fitted(kind)
    X, y, number = draw()
    edited = model.edit("region", "south", weight=0.25, reason="a")
    edited = edited.cap("income", 0.2, reason="b").smooth("age", 2, reason="c")
    edited = edited.merge_bins("age", bins_of(edited, "age")[1:3], reason="d")
    edited = edited.remove_column("region", reason="e")
    shown = edited.evidence_
    measure = shown.measure
    assert np.abs(shown.where(column="income")[measure]).max() <= 0.2 + 1e-9
    assert not shown.where(column="region")[measure].any()
    assert not [name for name in shown["column"] if " x " in name and "region" in name]
    edited = edited.refit_intercept(X, y if kind != "number" else number, reason="f")
    assert edited.edits_["edit"].max() == 6
    check_explained(edited)
    mean = answers(edited)[:, 1].mean() if kind != "number" else answers(edited).mean()
    assert mean == pytest.approx(y.mean() if kind != "number" else number.mean())

    file = io.BytesIO()
    edited.save(file, statistics=False)
    loaded = bayfold.load(io.BytesIO(file.getvalue()))
    np.testing.assert_array_equal(answers(loaded), answers(edited))
    assert loaded.edits_.to_dict() == edited.edits_.to_dict()
    without = loaded.undo().undo(reason="needed")
    assert without.evidence_.where(column="region", bin="south")[measure] == pytest.approx([0.25])
    assert without.edits_[-1]["bin"] == "edit 5"
    np.testing.assert_array_equal(answers(without.undo(8).undo(7)), answers(edited))
    for number_of_edit in (6, 5, 4, 3, 2, 1):
        loaded = loaded.undo(number_of_edit)
    np.testing.assert_array_equal(answers(loaded), answers(model))
    assert "12 edits" in repr(loaded.summary())


def test_smoothing_and_merging_keep_the_mean_weight_of_the_training_rows():
    model = fitted("naive")

    def mean(one):
        found = one.evidence_.where(column="income")
        return np.average(found["weight"], weights=found["total"])

    smooth = model.smooth("income", 3, reason="s")
    merged = model.merge_bins("income", bins_of(model, "income")[2:5], reason="m")
    assert mean(smooth) == pytest.approx(mean(model))
    assert mean(merged) == pytest.approx(mean(model))
    assert len(bins_of(merged, "income")) == len(bins_of(model, "income")) - 2
    spread = [np.ptp(one.evidence_.where(column="income")["weight"][1:]) for one in (model, smooth)]
    assert spread[1] < spread[0]


def test_a_cell_of_a_pair_is_found_by_names_in_either_order_and_removed():
    model = fitted("boosted")
    name = pair_of(model)
    first, second = name.split(" x ")
    cell = bins_of(model, name)[1]
    a, b = cell.split(" & ")
    edited = model.edit((second, first), (b, a), 0.75, reason="r")
    again = model.edit(name, cell, 0.75, reason="r")
    assert edited.evidence_.where(column=name, bin=cell)["weight"] == pytest.approx([0.75])
    np.testing.assert_array_equal(answers(edited), answers(again))
    check_explained(edited)
    assert name not in edited.remove_column(name, reason="r").evidence_["column"].tolist()


def test_of_three_classes_the_others_move_together():
    model = fitted("three")
    edited = model.edit("region", "east", weight={1: 0.4}, reason="r").cap("age", 0.1, reason="c")
    before, after = (
        m.evidence_.where(column="region", bin="east")["weight"] for m in (model, edited)
    )
    assert after[1] == pytest.approx(0.4)
    assert after.sum() == pytest.approx(0, abs=1e-12)
    assert after[2] - after[0] == pytest.approx(before[2] - before[0])
    assert np.abs(edited.evidence_.where(column="age")["weight"]).max() <= 0.1 + 1e-12
    balanced = edited.refit_intercept()
    np.testing.assert_allclose(answers(balanced).mean(axis=0), model.class_count_ / 500, atol=1e-9)


def test_an_interval_names_all_bins_within_it():
    model = fitted("boosted")
    bins = model.evidence_.where(column="age")
    edge = float(bins["upper"][3])
    below = model.edit("age", f"< {edge:g}", -0.5, reason="r")
    assert below.evidence_.where(column="age")["weight"][1:4] == pytest.approx([-0.5] * 3)
    between = model.edit("age", (bins["lower"][2], bins["upper"][3]), 0.1, reason="r")
    assert between.edits_["bin"].tolist() == bins["bin"][2:4].tolist()


def test_special_codes_and_given_bins_are_edited_by_their_names():
    X, y, _ = draw()
    X = X.assign(income=X.income.where(X.index % 10 > 0, -99.0))
    given = {"bins": {"age": [25, 40, 60]}, "special_codes": {"income": [-99]}}
    model = NaiveBayesClassifier(**BINNED, **given).fit(X, y)
    edited = model.edit("income", "code -99", 0.3, reason="r").edit(
        "age", (25, 60), 0.2, reason="r"
    )
    edited = edited.smooth("income", reason="r").merge_bins(
        "income", bins_of(model, "income")[1:3], reason="r"
    )
    assert edited.evidence_.where(column="income", bin="code -99")["weight"] == pytest.approx([0.3])
    assert edited.evidence_.where(column="age")["weight"][2:4] == pytest.approx([0.2, 0.2])
    explained = edited.explain(X)
    added = np.bincount(explained["row"], explained["weight"])
    np.testing.assert_allclose(added, edited.decision_function(X), rtol=1e-9)


WRONG = {
    "no such column": (
        lambda m: m.edit("agee", "a", 1, reason="r"),
        "columns of the table.*'agee'",
    ),
    "no such bin": (lambda m: m.edit("region", "west", 1, reason="r"), "bin of 'region'.*'west'"),
    "no such edge": (lambda m: m.edit("age", "< 18.3", 1, reason="r"), "bin of 'age'.*'< 18.3'"),
    "weight": (lambda m: m.edit("region", "east", np.nan, reason="r"), "`weight` must be"),
    "reason": (lambda m: m.edit("region", "east", 1, reason=" "), "`reason` must be"),
    "author": (lambda m: m.cap("age", 1, reason="r", author=3), "`author` must be"),
    "cap": (lambda m: m.cap("age", -1, reason="r"), "`most` must be"),
    "alone": (lambda m: m.merge_bins("region", ["east"], reason="r"), "at least two bins"),
    "apart": (
        lambda m: m.merge_bins("age", [bins_of(m, "age")[k] for k in (1, 3)], reason="r"),
        "neighbouring",
    ),
    "no order": (lambda m: m.smooth("region", reason="r"), "column of numbers"),
    "no pair": (lambda m: m.cap(("age", "agee"), 1, reason="r"), "'agee'"),
    "no edit": (lambda m: m.undo(1), "no edit counts"),
}


@pytest.mark.parametrize("kind", ["naive", "boosted", "number"])
@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_exist_is_refused_by_name(kind, what):
    act, message = WRONG[what]
    with pytest.raises(ValueError, match=message):
        act(fitted(kind))
    assert len(fitted(kind).edits_) == 0


def test_an_edit_that_another_rests_on_is_not_undone_alone():
    model = fitted("naive")
    merged = model.merge_bins("age", bins_of(model, "age")[1:3], reason="m")
    edited = merged.edit("age", bins_of(merged, "age")[1], 1.0, reason="e")
    with pytest.raises(ValueError, match="no later one rests on"):
        edited.undo(1)


def test_curves_and_other_models_are_refused_by_name():
    X, y, _ = draw()
    smooth = NaiveBayesClassifier().fit(X, y)
    with pytest.raises(ValueError, match='numeric="mdl"'):
        smooth.cap("income", 1, reason="r")
    removed = smooth.remove_column("income", reason="r")
    assert not removed.evidence_.where(column="income")["weight"].any()
    other = AveragedOneDependenceClassifier().fit(X, y)
    with pytest.raises(errors.NoTablesError, match="AveragedOneDependenceClassifier"):
        other.edit("region", "east", 1, reason="r")


def test_edits_belong_to_fitted_tables():
    X, y, number = draw()
    model = fitted("naive")
    edited = model.edit("region", "east", 1.0, reason="r")
    for learn in (lambda: edited.partial_fit(X, y), lambda: edited + model, lambda: model + edited):
        with pytest.raises(errors.MergeError, match="must have no edits"):
            learn()
    assert not hasattr(clone(edited), "schema_")
    shifted = edited.with_priors({0: 0.9, 1: 0.1})
    assert shifted.evidence_.where(column="region", bin="east")["weight"] == pytest.approx([1.0])
    assert answers(shifted.undo()) == pytest.approx(answers(model.with_priors({0: 0.9, 1: 0.1})))
    np.testing.assert_array_equal(edited.score_samples(X), model.score_samples(X))
    again = edited.undo().edit("region", "east", 1.0, reason="r")
    with pytest.warns(errors.DataWarning, match="3 edits are dropped"):
        again.fit(X, y)
    np.testing.assert_array_equal(answers(again), answers(model))
    boosted = fitted("number").edit("region", "east", 1.0, reason="r")
    with pytest.raises(AttributeError, match="collapsed model"):
        boosted.fit(X, number)
    with pytest.raises(ValueError, match="keeps no rows"):
        boosted.refit_intercept()


def test_exports_agree_with_an_edited_model_and_say_what_was_edited():
    X, _, _ = draw()
    reason = 'policy 12\n"; DROP TABLE data; --'
    edited = fitted("boosted").edit("region", ["east", "south"], -0.5, reason=reason, author="Ada")
    edited = edited.edit("age", "(missing)", 0.25, reason="unknown").refit_intercept(X, draw()[1])
    wanted = edited.predict_proba(X)[:, 1]
    sql = edited.to_sql(keep=["row key"])
    head = [line for line in sql.splitlines() if line.startswith("--")]
    assert len(head) == 3
    assert "1. edit region (east, south): policy 12" in head[0]
    with duckdb.connect() as connection:
        connection.register("data", X.assign(**{"row key": np.arange(len(X))}))
        found = connection.execute(sql).df().sort_values("row key")
    np.testing.assert_allclose(found["probability_1"], wanted, atol=1e-9)
    text = edited.to_json()
    assert json.loads(text)["edits"][0]["reason"] == reason
    rows = [answer["probabilities"][1] for answer in run_node(text, X[:20])]
    np.testing.assert_allclose(rows, wanted[:20], atol=1e-9)
    pytest.importorskip("onnx")
    made = edited.to_onnx()
    assert "policy 12" in made.metadata_props[0].value
    np.testing.assert_allclose(run_onnx(made, X)[1][:, 1], wanted, atol=1e-6)


def test_the_report_and_evaluate_compare_before_and_after(tmp_path):
    X, y, number = draw()
    edited = fitted("naive").edit("region", "east", 1.0, reason="<b>why</b>").undo()
    edited = edited.cap("age", 0.1, reason="c")
    steps = compare_edits(edited, X, y)
    assert steps["action"].tolist() == ["before", "edit", "undo", "cap"]
    loss = -np.log(answers(fitted("naive"))[np.arange(500), y])
    assert steps["log_loss"][0] == pytest.approx(loss.mean())
    assert steps["change"][1] > 0
    assert steps["change"][2] == 0
    with pytest.raises(ValueError, match="must have edits"):
        compare_edits(fitted("naive"), X, y)
    numbers = compare_edits(fitted("number").cap("income", 1.0, reason="c"), X, number)
    assert numbers["rmse"][1] > numbers["rmse"][0]
    report = gather(edited, X, y)
    assert report["quality"] is None
    assert report["edits"]["records"][0]["reason"] == "<b>why</b>"
    write(edited, X, y, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Edited by hand" in page
    assert "<b>why</b>" not in page
