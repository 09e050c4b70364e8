"""What is said of misuse (exit code 2) and of bad data (exit code 1); no tracebacks."""

from __future__ import annotations

import pytest

GOOD = "a,b,t\n" + "1,x,no\n2,y,yes\n" * 10


@pytest.fixture
def told(tmp_path, monkeypatch, run):
    """What a command says on standard error about files of these texts."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD)

    def run_on(text, *arguments, code):
        (tmp_path / "t.csv").write_text(text)
        return run(*arguments, code=code).stderr

    return run_on


FIT = ("fit", "t.csv", "-t", "t", "-o", "m.bayfold")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-t", "T"), "`--target` must name a column of t.csv. Got 'T'. Did you mean 't'?"),
        (("-t", "zzz"), "Got 'zzz'. There are 'a', 'b', 't'."),
        (("--drop", "bb"), "`--drop` must name a column of t.csv. Got 'bb'. Did you mean 'b'?"),
        (("--columns", "t"), "at least one column must be left to learn from"),
        (("--weight", "w"), "`--weight` must name a column of t.csv. Got 'w'."),
        (("--task", "guess"), "`--task` must be classification or regression. Got 'guess'."),
        (("--model", "mte"), "`--model` must be one of naive-bayes, boosted,"),
        (
            ("--set", "numeri=mdl"),
            "parameter of NaiveBayesClassifier. Got 'numeri'. Did you mean 'numeric'?",
        ),
        (("--set", "numeric"), "`--set` must be NAME=VALUE"),
        (("--set", "numeric=x"), '`numeric` must be "auto", "smooth"'),
        (("-o", "nowhere/m.bayfold"), "must be writable. Got: there is no folder 'nowhere'"),
        (("-o", "."), "must be a file. Got a folder."),
        (("-o", "-"), "`--output` must name a file for the model."),
        (("--report", "nowhere/r.html"), "there is no folder 'nowhere'"),
    ],
)
def test_misuse_of_fit(told, options, message):
    assert message in told(GOOD, *FIT, *options, code=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv: the file must have a line with the names of its columns."),
        ("a,b,t\n", "t.csv: the table must have at least one row. Got none."),
        ("a,b,t\n1,x,no\n", "the target must hold at least two classes. Got only 'no' in 't'."),
        (GOOD.replace("yes", "no"), "Got only 'no' in 't'."),
        (GOOD + "1,2\n", "t.csv, line 22: a row must have 3 cells, one per column. Got 2."),
        (
            GOOD.replace("yes", "").replace("no", "?"),
            "the target must be known in at least one row",
        ),
        ("a,t\n1,2021-01-01\n2,2021-01-02\n", "Got dates in 't'."),
        (GOOD.replace("1,x", "inf,x"), "Got infinity in column 'a'."),
    ],
)
def test_bad_data_of_fit(told, text, message):
    assert message in told(text, *FIT, code=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a\n1\n",
            "t.csv: the table must have the columns the model was fitted on. Got no column 'b'.",
        ),
        ("A,b\n1,x\n", "Got no column 'a'. Did you mean 'A'?"),
        ("a,b\n1,x\nmany,y\n", "t.csv, line 3, column 'a': must be a number. Got 'many'."),
        ("a,b\n", "t.csv: the table must have at least one row."),
    ],
)
def test_bad_data_of_predict(told, run, text, message):
    run("fit", "good.csv", "-t", "t", "-o", "m.bayfold")
    assert message in told(text, "predict", "m.bayfold", "t.csv", code=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("predict", "none.bayfold", "t.csv"), "none.bayfold: the file must exist."),
        (("predict", "m.bayfold", "none.csv"), "none.csv: the file must exist."),
        (("predict", "m.bayfold", "t.csv", "--keep", "c"), "`--keep` must name a column of t.csv."),
        (
            ("predict", "m.bayfold", "t.csv", "--quantiles", "0.5"),
            "must go with a model of numbers",
        ),
        (("explain", "m.bayfold", "t.csv", "--rows", "0"), "`--rows` must be numbers from 1 to 20"),
        (("explain", "m.bayfold", "t.csv", "--rows", "2-x"), "such as 1,4-6, or all. Got '2-x'."),
        (
            ("export", "m.bayfold", "--to", "pdf"),
            "`--to` must be one of sql, json, onnx, scorecard.",
        ),
        (("impute", "t.csv", "--strategy", "guess"), '`strategy` must be "expected" or "draw".'),
        (("compare", "t.csv", "-t", "t", "--models", "best"), "Got 'best'."),
        (("fit", "t.csv", "-t", "t"), "Missing option"),
        (("guess",), "No such command"),
    ],
)
def test_misuse_of_other_commands(told, run, arguments, message):
    run("fit", "good.csv", "-t", "t", "-o", "m.bayfold")
    assert message in told(GOOD, *arguments, code=2)


def test_a_file_that_is_no_model_is_bad_data(told):
    assert "must be a model that `save` has written" in told(GOOD, "info", "t.csv", code=1)


def test_too_many_folds_are_bad_data(told):
    message = told("a,t\n1,x\n2,y\n", "evaluate", "t.csv", "-t", "t", code=1)
    assert "`--folds` must not exceed the number of rows of a class. Got 10 for 1." in message


def test_what_does_not_explain_says_so(told, run):
    told(GOOD, *FIT, "--model", "adaboost", code=0)
    assert "must be one that explains" in told(GOOD, "explain", "m.bayfold", "t.csv", code=2)


def test_an_unwritten_model_leaves_the_old_one(told, tmp_path):
    (tmp_path / "m.bayfold").write_text("before")
    told(GOOD + "1,2\n", *FIT, "--overwrite", code=1)
    assert (tmp_path / "m.bayfold").read_text() == "before"


def test_unexpected_errors_ask_for_a_report(told, monkeypatch):
    def fail(*_):
        raise KeyError("column")

    monkeypatch.setattr("bayfold.cli.reading.read_training", fail)
    message = told(GOOD, *FIT, code=1)
    assert "Something went wrong inside bayfold (KeyError: 'column'). Add --debug" in message


def test_a_name_of_two_columns_names_none(told):
    message = "`--target` must name a column of t.csv. Got 't'. There are 't (1)', 'b', 't (2)'."
    assert message in told(GOOD.replace("a,b", "t,b"), *FIT, code=2)
