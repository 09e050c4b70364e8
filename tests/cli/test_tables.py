"""explain, impute, cluster and report."""

from __future__ import annotations

import json
import re

import duckdb
import pytest

import bayfold
from bayfold.core.frames.files import read_file

FIT = ("fit", "credit.csv", "-t", "outcome", "--drop", "id", "-o", "m.bayfold")


def test_the_evidence_of_a_row_adds_up(folder, run):
    run(*FIT)
    shown = run("explain", "m.bayfold", "credit.csv", "--rows", "3").stdout
    weights = [float(w) for w in re.findall(r"[+-]\d+\.\d\d(?= )", shown)]
    *cells, total = weights
    assert sum(cells) == pytest.approx(total, abs=0.005 * len(weights))
    assert "Row 3: " in shown
    assert "█" in shown
    few = run("explain", "m.bayfold", "credit.csv", "--rows", "3", "--top", "2").stdout
    assert f"{len(cells) - 3} others" in few
    *cells, same = [float(w) for w in re.findall(r"[+-]\d+\.\d\d(?= )", few)]
    assert len(cells) == 4
    assert sum(cells) == pytest.approx(same, abs=0.02)
    assert same == total
    model, rows = bayfold.load("m.bayfold"), read_file("credit.csv").take([2])
    names = list(model.feature_names_in_)
    assert total == pytest.approx(model.decision_function(rows.select(names))[0], abs=0.006)


def test_evidence_as_json_table_and_page(folder, run):
    run(*FIT)
    explain = ("explain", "m.bayfold", "credit.csv", "--rows", "1,4-5")
    told = json.loads(run(*explain, "--json").stdout)
    assert [row["row"] for row in told] == [1, 4, 5]
    run(*explain, "-o", "evidence.parquet")
    table = read_file("evidence.parquet")
    weights = [cell["weight"] for row in told for cell in row["evidence"]]
    assert table.vector("weight").tolist() == weights
    run(*explain, "-o", "evidence.html")
    page = (folder / "evidence.html").read_text()
    assert page.count('class="card"') == 3
    assert "http" not in page


def test_more_than_two_classes_are_explained_one_at_a_time(folder, run):
    (folder / "t.csv").write_text("a,t\n" + "1,x\n2,y\n3,z\n" * 10)
    run("fit", "t.csv", "-t", "t", "-o", "m.bayfold")
    told = json.loads(run("explain", "m.bayfold", "t.csv", "--json").stdout)
    assert {cell["class"] for cell in told[0]["evidence"]} == {"x"}
    asked = run("explain", "m.bayfold", "t.csv", "--class", "z", "--json").stdout
    assert {cell["class"] for cell in json.loads(asked)[0]["evidence"]} == {"z"}
    assert "Got 'q'." in run("explain", "m.bayfold", "t.csv", "--class", "q", code=2).stderr


def test_names_are_text_not_markup(folder, run):
    (folder / "t.csv").write_text('"[red]a[/red] <b>&😀",t\n' + "[bold]1,x\n2,y\n" * 10)
    run("fit", "t.csv", "-t", "t", "-o", "m.bayfold", "--report", "r.html")
    shown = run("explain", "m.bayfold", "t.csv").stdout
    assert "[red]a[/red] <b>&😀" in shown
    assert "[bold]1" in shown
    page = (folder / "r.html").read_text()
    assert "&lt;b&gt;&amp;😀" in page
    assert "<b>" not in page


def test_impute_fills_gaps_and_nothing_else(folder, run):
    before = read_file("credit.csv")
    assert (
        "missing cells filled." in run("impute", "credit.csv", "--drop", "id", "-o", "f.csv").stderr
    )
    after = read_file("f.csv")
    assert after.names == before.names
    assert after.count_missing(after.names) == 0
    for name in before.names:
        texts = zip(before.texts(name), after.texts(name), strict=True)
        assert all(a == b for a, b in texts if a is not None)


def test_clusters_are_written_and_saved(folder, run):
    told = run("cluster", "credit.csv", "--drop", "id", "--clusters", "2", "--save", "c.bayfold")
    lines = told.stdout.splitlines()
    assert lines[0].endswith(",outcome,cluster")
    assert {line.rsplit(",", 1)[1] for line in lines[1:]} == {"0", "1"}
    assert told.stderr.startswith("2 clusters; rows of each: 0: ")
    again = run("predict", "c.bayfold", "credit.csv", "--no-probabilities").stdout
    assert again == told.stdout


def test_a_report_can_be_had_alone_or_with_the_fit(folder, run):
    run("report", "credit.csv", "-t", "outcome", "--drop", "id", "-o", "alone.html")
    run(*FIT, "--report", "with.html")
    assert (folder / "alone.html").read_text() == (folder / "with.html").read_text()


def test_models_are_exported(folder, run):
    run(*FIT)
    model = bayfold.load("m.bayfold")
    sql = run(
        "export", "m.bayfold", "--to", "sql", "--table", "people", "--dialect", "sqlite"
    ).stdout
    assert sql == model.to_sql("sqlite", table="people") + "\n"
    keyed = run("export", "m.bayfold", "--to", "sql", "--keep", "id").stdout
    duckdb.sql("create or replace table data as select * from 'credit.csv'")
    rows = duckdb.sql(keyed)
    assert rows.columns[:2] == ["id", "prediction"]
    assert len(set(rows.project("id").fetchall())) == 240
    told = run("export", "m.bayfold", "--to", "json", "--keep", "id", code=2)
    assert "`--keep` must go with `--to sql`." in told.stderr
    run("export", "m.bayfold", "--to", "json", "-o", "m.json")
    assert json.loads((folder / "m.json").read_text()) == json.loads(model.to_json())
    run(*FIT, "--set", "numeric=mdl")
    run("export", "m.bayfold", "--to", "scorecard", "-o", "card.csv")
    assert "points" in read_file("card.csv").names
    run(*FIT, "--model", "aode")
    told = run("export", "m.bayfold", "--to", "sql", code=2)
    assert "AveragedOneDependenceClassifier" in told.stderr


def test_the_default_for_numbers_says_which_model_can_be_exported(folder, run):
    fit = ("fit", "credit.csv", "-t", "income", "--drop", "id,outcome", "-o", "m.bayfold")
    run(*fit, "--set", "n_rounds=20")
    told = run("export", "m.bayfold", "--to", "sql", code=2).stderr
    assert "or NaiveBayesRegressor (`--model naive-bayes` on the command line)" in told
    run("export", "m.bayfold", "--to", "json", "-o", "m.json")
    run(*fit, "--model", "naive-bayes")
    run("export", "m.bayfold", "--to", "sql", "-o", "m.sql")


def test_a_report_of_clusters(folder, run):
    run("cluster", "credit.csv", "--drop", "id", "--clusters", "2", "--report", "c.html")
    assert "Cluster 1" in (folder / "c.html").read_text()
