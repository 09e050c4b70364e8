"""evaluate and compare: the library's cross-validation, as a table and as JSON."""

from __future__ import annotations

import json

import pytest

from bayfold import NaiveBayesClassifier
from bayfold.core.frames.files import read_file
from bayfold.evaluate import cross_validate, summarise

DATA = ("credit.csv", "-t", "outcome", "--drop", "id", "--folds", "3")


def test_evaluate_is_the_librarys_cross_validation(folder, run):
    told = json.loads(run("evaluate", *DATA, "--json").stdout)
    rows = read_file("credit.csv")
    names = [name for name in rows.names if name not in ("id", "outcome")]
    result = cross_validate(
        {"m": NaiveBayesClassifier()},
        rows.select(names),
        rows.vector("outcome"),
        n_repeats=1,
        n_folds=3,
    )
    scores = {row["model"]: row for row in told["models"]}
    assert scores["naive-bayes"]["log_loss"] == pytest.approx(summarise(result)["log_loss"][0])
    assert set(scores) == {"naive-bayes", "(share of the classes)", "(logistic regression)"}
    assert scores["naive-bayes"]["log_loss"] < scores["(share of the classes)"]["log_loss"]
    table = run("evaluate", *DATA).stdout
    assert f"{scores['naive-bayes']['error']:.4f}" in table
    assert "error_sd" not in table  # of one repeat


def test_evaluate_numbers(folder, run):
    data = ("credit.csv", "-t", "income", "--drop", "id", "--folds", "3", "--json")
    told = json.loads(run("evaluate", *data).stdout)
    assert told["task"] == "regression"
    scores = {row["model"]: row for row in told["models"]}
    assert scores["(mean of the target)"]["r2"] <= 0
    assert scores["boosted"]["rmse"] > 0


def test_weights_are_frequencies_in_scores_too(folder, run):
    lines = [f"{k % 4},{'xy'[k % 3 == 0]},{1 + k % 2}" for k in range(40)]
    (folder / "w.csv").write_text("\n".join(["a,t,w", *lines]))
    data = ("evaluate", "w.csv", "-t", "t", "--folds", "2", "--json")
    weighted = json.loads(run(*data, "--weight", "w").stdout)["models"][1]
    share = sum(1 + k % 2 for k in range(40) if k % 3 == 0) / 60
    assert weighted["error"] == pytest.approx(share)


def test_compare_ranks_models_and_tells_which_differ(folder, run):
    models = ("--models", "naive-bayes,aode", "--no-peers")
    told = json.loads(run("compare", *DATA, *models, "--json").stdout)["models"]
    assert {row["model"] for row in told} == {"naive-bayes", "aode"}
    assert told[0]["log_loss"] <= told[1]["log_loss"]
    assert (told[0]["difference"], told[0]["p"]) == (0, None)
    assert 0 <= told[1]["p"] <= 1
    shown = run("compare", *DATA, *models).stdout
    assert f"Best by log_loss: {told[0]['model']}." in shown


def test_compare_has_all_models_by_default(folder, run, monkeypatch):
    seen = {}

    def look(models, *_):
        seen.update(models)
        raise ValueError("seen")

    monkeypatch.setattr("bayfold.cli.judging.judge", look)
    run("compare", *DATA, code=1)
    ours = ["naive-bayes", "boosted", "aode", "tree", "adaboost", "decomposition", "via-regression"]
    peers = [name for name in seen if name.startswith("(")]
    assert [name for name in seen if name not in peers] == ours
    assert len(peers) == 5
