"""From a table to a scored table with two commands."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bayfold
from bayfold.cli.models import MODELS
from bayfold.cli.options import MODEL_NAMES
from bayfold.core.frames.files import ReadOptions, read_file, write_file
from bayfold.datasets import make_claims

FIT = ("fit", "credit.csv", "--target", "outcome", "--drop", "id", "-o", "m.bayfold")


def test_two_commands_give_what_python_gives(folder, run):
    run(*FIT)
    run("predict", "m.bayfold", "credit.csv", "-o", "scored.csv")
    scored, rows = read_file("scored.csv"), read_file("credit.csv")
    names = [name for name in rows.names if name not in ("id", "outcome")]
    model = bayfold.NaiveBayesClassifier().fit(rows.select(names), rows.vector("outcome"))
    assert scored.names == [*rows.names, "prediction", "probability_default", "probability_paid"]
    assert scored.vector("prediction").tolist() == model.predict(rows.select(names)).tolist()
    np.testing.assert_array_equal(
        scored.vector("probability_paid"), model.predict_proba(rows.select(names))[:, 1]
    )
    before, after = ((folder / n).read_text().splitlines() for n in ("credit.csv", "scored.csv"))
    assert [",".join(line.split(",")[:10]) for line in after] == before


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arff", "duckdb", "csv.gz"])
def test_every_format_is_scored_alike(folder, run, credit_frame, ending):
    run(*FIT)
    run("predict", "m.bayfold", "credit.csv", "-o", "expected.csv", "--keep", "none")
    write_file(f"rows.{ending}", credit_frame, ending.split(".")[0])
    run("predict", "m.bayfold", f"rows.{ending}", "-o", f"scored.{ending}", "--keep", "id")
    scored = read_file(f"scored.{ending}")
    assert scored.format == ending.split(".")[0]
    expected = read_file("expected.csv")
    for name in expected.names:
        assert scored.vector(name).tolist() == expected.vector(name).tolist()


def test_standard_input_and_output(folder, run):
    run(*FIT)
    text = (folder / "credit.csv").read_text()
    piped = run("predict", "m.bayfold", "-", input=text)
    run("predict", "m.bayfold", "credit.csv", "-o", "scored.csv")
    assert piped.stdout == (folder / "scored.csv").read_text()
    run("fit", "-", "-t", "outcome", "--drop", "id", "-o", "piped.bayfold", input=text)
    again = run("predict", "piped.bayfold", "-", input=text)
    assert again.stdout == piped.stdout


def test_columns_may_come_in_another_order_with_others_among_them(folder, run):
    run(*FIT)
    rows = read_file("credit.csv")
    shuffled = rows.frame.select(rows.names[::-1]).append_column("more", [["x"] * rows.n_rows])
    write_file("shuffled.csv", shuffled, "csv")
    found = [
        run("predict", "m.bayfold", name, "--keep", "id").stdout.splitlines()
        for name in ("credit.csv", "shuffled.csv")
    ]
    assert found[0] == found[1]


def test_the_same_dialect_comes_out(folder, run):
    text = (folder / "credit.csv").read_text()
    german = text.replace(",", ";").replace(".", ",")
    (folder / "german.csv").write_bytes(german.encode("cp1252"))
    run("fit", "german.csv", "-t", "outcome", "--drop", "id", "-o", "g.bayfold")
    run("predict", "g.bayfold", "german.csv", "-o", "out.csv")
    run(*FIT)
    run("predict", "m.bayfold", "credit.csv", "-o", "plain.csv")
    assert (folder / "out.csv").read_text() == (
        (folder / "plain.csv").read_text().replace(",", ";").replace(".", ",")
    )


def test_numbers_are_predicted_with_an_interval_or_quantiles(folder, run):
    fit = ("fit", "credit.csv", "-t", "income", "--drop", "id,outcome", "-o", "n.bayfold")
    assert "numbers with decimals: regression" in run(*fit).stderr
    lines = run("predict", "n.bayfold", "credit.csv", "--keep", "id").stdout.splitlines()
    assert lines[0] == "id,prediction,lower_90,upper_90"
    number, low, high = (float(cell) for cell in lines[1].split(",")[1:])
    assert low < number < high
    asked = run("predict", "n.bayfold", "credit.csv", "--quantiles", "0.25,0.75", "--keep", "none")
    assert asked.stdout.startswith("prediction,quantile_0.25,quantile_0.75\n")
    none = run("predict", "n.bayfold", "credit.csv", "--interval", "0", "--keep", "none")
    assert none.stdout.startswith("prediction\n")


def test_the_fit_can_be_read_by_programs(folder, run):
    told = json.loads(run(*FIT, "--json").stdout)
    assert told["model"] == "NaiveBayesClassifier"
    assert (told["rows"], told["classes"]) == (240, ["default", "paid"])
    assert told["bytes"] == (folder / "m.bayfold").stat().st_size
    info = json.loads(run("info", "m.bayfold", "--json").stdout)
    kinds = {column["name"]: column["kind"] for column in info["columns"]}
    assert kinds["income"] == "numeric"
    assert kinds["homeowner"] == "boolean"
    assert kinds["region"] == "nominal"
    assert "employment" in run("info", "m.bayfold").stdout


@pytest.mark.parametrize(
    ("cells", "task"),
    [
        (["yes", "no"], "classification"),
        ([0, 1], "classification"),
        (list(range(10)), "classification"),
        (list(range(11)), "regression"),
        ([0.5, 1.5], "regression"),
        (["true", "false"], "classification"),
        ([1.0, 2.0, "NA"], "classification"),
    ],
)
def test_the_task_is_what_the_target_looks_like(folder, run, cells, task):
    lines = [f"{k % 3},{cells[k % len(cells)]}" for k in range(44)]
    (folder / "t.csv").write_text("\n".join(["a,t", *lines]))
    told = run("fit", "t.csv", "-t", "t", "-o", "m.bayfold", "--json")
    assert json.loads(told.stdout)["task"] == task
    other = {"classification": "regression", "regression": "classification"}[task]
    assert f"`--task {other}` if that is not meant" in told.stderr


def test_the_task_can_be_forced(folder, run):
    (folder / "t.csv").write_text("a,t\n" + "1,0.5\n2,1.50\n3,0.5\n" * 8)
    fit = ("fit", "t.csv", "-t", "t", "-o", "m.bayfold", "--json", "--task")
    forced = json.loads(run(*fit, "classification").stdout)
    assert forced["classes"] == ["0.5", "1.50"]
    assert json.loads(run(*fit, "regression").stdout)["model"] == "BoostedNaiveBayesRegressor"


def test_classes_come_out_as_they_were_written(folder, run):
    (folder / "t.csv").write_text("a,t\n" + "1,TRUE\n2,FALSE\n" * 8)
    run("fit", "t.csv", "-t", "t", "-o", "m.bayfold")
    lines = run("predict", "m.bayfold", "t.csv").stdout.splitlines()
    assert lines[0] == "a,t,prediction,probability_FALSE,probability_TRUE"
    assert {line.split(",")[2] for line in lines[1:]} == {"TRUE", "FALSE"}


@pytest.mark.parametrize("name", sorted(MODELS["classification"]))
def test_every_model_is_saved_and_predicts(folder, run, name):
    run(*FIT, "--model", name, "--columns", "age,debt_ratio,employment")
    lines = run("predict", "m.bayfold", "credit.csv", "--keep", "id").stdout.splitlines()
    assert len(lines) == 241
    run("info", "m.bayfold")


def test_every_estimator_has_a_name():
    named = {public for models in MODELS.values() for public in models.values()}
    estimators = {n for n in bayfold.__all__ if n.endswith(("Classifier", "Regressor"))}
    made_of_others = {n for n in estimators if n.startswith("Collapsed")}
    assert named == estimators - made_of_others
    assert set(MODEL_NAMES) == {name for models in MODELS.values() for name in models}


def test_parameters_and_weights_and_labels(folder, run):
    run(*FIT, "--set", "numeric=mdl", "--set", "calibration=null")
    model = bayfold.load("m.bayfold")
    assert (model.numeric, model.calibration) == ("mdl", None)
    (folder / "t.csv").write_text("zip,a,w,t\n" + "1067,1,2,x\n9999,2,0,y\n1067,3,1,y\n" * 6)
    fit = ("fit", "t.csv", "-t", "t", "-o", "w.bayfold", "--categorical", "zip", "--weight", "w")
    run(*fit)
    model = bayfold.load("w.bayfold")
    assert model.class_count_.tolist() == [12.0, 6.0]
    assert list(model.feature_names_in_) == ["zip", "a"]
    assert model.schema_.columns[0].categories == ("1067",)


def test_a_missing_cell_may_be_spelt_otherwise(folder, run):
    (folder / "t.csv").write_text("a,t\n" + "1,x\n-99,y\n3,y\nNA,x\n" * 6)
    run("fit", "t.csv", "-t", "t", "-o", "m.bayfold", "--missing", "-99,NA")
    rows = read_file("t.csv", ReadOptions(missing=("-99", "NA")))
    assert rows.frame["a"].null_count == 12
    model = bayfold.load("m.bayfold")
    assert model.schema_.columns[0].kind == "numeric"


def test_rows_without_a_target_are_left_out_with_a_warning(folder, run):
    (folder / "t.csv").write_text("a,t\n" + "1,x\n2,y\n3,\n" * 6)
    assert (
        "warning: 6 row(s) have no target"
        in run("fit", "t.csv", "-t", "t", "-o", "m.bayfold").stderr
    )
    told = run("evaluate", "t.csv", "-t", "t", "--folds", "2", "--json")
    assert "warning: 6 row(s) have no target" in told.stderr
    told = run("report", "t.csv", "-t", "t", "-o", "r.html", "--against", "m.bayfold")
    assert "warning: 6 row(s) have no target" in told.stderr
    assert "12 rows of t.csv, without 6 whose t is not known" in (folder / "r.html").read_text()


def test_queries_choose_rows(folder, run):
    query = "select * from data where age > 40"
    told = json.loads(run(*FIT, "--query", query, "--json").stdout)
    assert 0 < told["rows"] < 240


def test_what_stood_for_missing_at_fit_does_so_at_predict(folder, run):
    lines = ["age,paid", *(f"{age},{'yes' if age > 40 else 'no'}" for age in range(20, 60))]
    (folder / "a.csv").write_text("\n".join([*lines, *["-99,no"] * 20]))
    (folder / "b.csv").write_text("age,n\n-99,1\n,2\n")
    run("fit", "a.csv", "-t", "paid", "--missing=-99", "-o", "m.bayfold")
    run("predict", "m.bayfold", "b.csv", "-o", "scored.csv")
    coded, empty = read_file("scored.csv").vector("probability_yes")
    assert coded == empty
    run("predict", "m.bayfold", "b.csv", "--missing=none", "-o", "other.csv")
    assert read_file("other.csv").vector("probability_yes")[0] != coded


def test_info_names_the_target(folder, run):
    run(*FIT)
    assert "target: outcome" in run("info", "m.bayfold").output
    assert json.loads(run("info", "m.bayfold", "--json").output)["target"] == "outcome"


def test_rows_without_a_target_are_not_counted_as_learnt_from(folder, run):
    (folder / "t.csv").write_text(
        "x,t\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20)) + "5,\n6,\n"
    )
    shown = json.loads(run("fit", "t.csv", "-t", "t", "-o", "m.bayfold", "--json").stdout)
    assert shown["rows"] == 20
    shown = json.loads(
        run(
            "fit", "t.csv", "-t", "t", "-o", "m.bayfold", "--json", "--set", "missing_target=em"
        ).stdout
    )
    assert shown["rows"] == 22


COSTS = "true,default,paid\ndefault,,10\npaid,1,\n"


def test_decisions_by_costs(folder, run):
    run(*FIT)
    (folder / "costs.csv").write_text(COSTS)
    decide = ("predict", "m.bayfold", "credit.csv", "--costs", "costs.csv", "--reject", "0.5")
    model = bayfold.load("m.bayfold")
    rows = read_file("credit.csv")
    costs = {"default": {"paid": 10}, "paid": {"default": 1}}
    expected = model.decide(rows.select(list(model.feature_names_in_)), costs, reject=0.5)
    for stream in ("--no-stream", "--stream"):
        run(*decide, stream, "-o", f"decided{stream}.csv")
        assert read_file(f"decided{stream}.csv").vector("prediction").tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("true,default,paid\ndefault,,ten\npaid,1,\n", "column 'paid': costs must be numbers"),
        ("true,default,late\ndefault,,10\npaid,1,\n", "Got 'late'"),
        ("true,default,paid\ndefault,,10\npaid,,\n", "must be a finite number. Got nan"),
    ],
)
def test_costs_that_are_none_are_refused(folder, run, text, message):
    run(*FIT)
    (folder / "costs.csv").write_text(text)
    failed = run("predict", "m.bayfold", "credit.csv", "--costs", "costs.csv", code=(1, 2))
    assert message in " ".join(failed.stderr.split())


def test_costs_belong_to_classes(folder, run):
    run("fit", "credit.csv", "-t", "income", "--drop", "id", "-o", "n.bayfold")
    failed = run("predict", "n.bayfold", "credit.csv", "--reject", "1", code=2)
    assert "`--reject` must go with a model of classes." in " ".join(failed.stderr.split())


def test_claims_with_an_exposure(folder, run):
    claims = make_claims(600).frame
    write_file("claims.csv", claims, "csv")
    fit = ("fit", "claims.csv", "-t", "claims", "--loss", "poisson", "--drop", "cost")
    run(*fit, "--exposure", "years", "--set", "n_rounds=20", "-o", "f.bayfold")
    predict = ("predict", "f.bayfold", "claims.csv")
    run(*predict, "--exposure", "years", "-o", "expected.csv")
    model = bayfold.load("f.bayfold")
    rows = claims.select(list(model.feature_names_in_))
    given = claims["years"].to_numpy()
    found = read_file("expected.csv")
    np.testing.assert_allclose(found.vector("prediction"), model.predict(rows, exposure=given))
    bounds = model.predict_interval(rows, exposure=given)
    np.testing.assert_allclose(found.vector("upper_90"), bounds[:, 1])
    for more, message in (
        (("--exposure", "year"), "year"),
        (("--exposure", "years", "--stream"), "`--exposure` must have all rows in memory."),
    ):
        failed = run(*predict, *more, code=2)
        assert message in " ".join(failed.stderr.split())
    run("fit", "credit.csv", "-t", "income", "-m", "naive-bayes", "--drop", "id", "-o", "n.bayfold")
    failed = run("predict", "n.bayfold", "credit.csv", "--exposure", "age", code=2)
    assert "`--exposure` must go with a model of counts or amounts" in " ".join(
        failed.stderr.split()
    )


def test_rows_of_a_patient_are_held_out_together(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = ["age,weight,patient,day,outcome"]
    for k in range(30):
        age, weight, outcome = rng.normal(), rng.normal(), rng.integers(2)
        lines += [
            f"{age + v / 1e3},{weight + v / 1e3},p{k},2024-01-0{v + 1},{outcome}" for v in range(4)
        ]
    (tmp_path / "visits.csv").write_text("\n".join(lines))
    fit = "fit", "visits.csv", "--target", "outcome", "--groups", "patient", "--overwrite"
    run(*fit, "--time", "day", "-o", "both.bayfold")
    model = bayfold.load("both.bayfold")
    assert model.feature_names_in_.tolist() == ["age", "weight"]
    assert len(set(model.statistics_.sample.units.tolist())) == 30
    assert len(set(model.statistics_.sample.time.tolist())) == 4
    run(*fit, "--time", "day", "--stream", "-o", "stream.bayfold")
    streamed = bayfold.load("stream.bayfold").statistics_.sample
    np.testing.assert_array_equal(streamed.units, model.statistics_.sample.units)
    judge = "visits.csv", "--target", "outcome", "--folds", "3", "--json"
    by_row = json.loads(run("evaluate", *judge).stdout)["models"][0]["error"]
    by_patient = json.loads(run("evaluate", *judge, "--groups", "patient").stdout)["models"][0][
        "error"
    ]
    assert by_row < 0.2 < by_patient
    run("compare", *judge, "--groups", "patient", "--models", "naive-bayes", "--no-peers")
    run("report", *judge[:3], "--groups", "patient", "-o", "report.html")
    assert "rows of a group held out together" in (tmp_path / "report.html").read_text()
    failed = run("evaluate", *judge, "--groups", "patience", code=2)
    assert "`--groups` must name a column" in " ".join(failed.stderr.split())
