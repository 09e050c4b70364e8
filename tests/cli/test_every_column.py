"""Every command with every kind of column, and with every model."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse

import bayfold
from bayfold.cli.models import MODELS
from bayfold.core.frames.files import read_file, write_file

N = 60
READS_TEXT = {"naive-bayes": True, "boosted": True}
"""Of models of classes; of models of numbers it is naive Bayes alone."""
WORDS = np.array(["late", "early", "new", "old", "home", "car", "again", "never", "often", "soon"])


def make_frame():
    rng = np.random.default_rng(0)
    is_late = np.arange(N) % 2 == 0
    days = np.datetime64("2021-01-01") + rng.integers(0, 300, N) + 100 * is_late
    texts = [
        f"{'late' if k else 'fine'} {' '.join(rng.permutation(WORDS)[:5])} {n}"
        for n, k in enumerate(is_late)
    ]
    columns = {
        "number": pa.array(rng.normal(is_late, 1.0), mask=rng.random(N) < 0.1),
        "category": pa.array(rng.choice(["red", "green", "blue"], N), mask=rng.random(N) < 0.1),
        "boolean": pa.array(rng.random(N) < 0.3 + 0.4 * is_late, mask=rng.random(N) < 0.1),
        "text": pa.array(texts, mask=rng.random(N) < 0.1),
        "time": pa.array(days.astype("datetime64[us]"), mask=rng.random(N) < 0.1),
        "missing": pa.array([None] * N, pa.float64()),
    }
    answer = np.where(is_late, "yes", "no")
    price = rng.normal(3.0 * is_late, 1.0)
    return pa.table({**columns, "answer": answer, "price": price})


FRAME = make_frame()
KINDS = FRAME.column_names[:6]
EVERY = [(task, name) for task, models in MODELS.items() for name in models]
TARGETS = {"classification": "answer", "regression": "price"}


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_file("t.csv", FRAME, "csv")
    write_file("t.parquet", FRAME, "parquet")
    return tmp_path


def drop_others(task, name, kinds=KINDS):
    """Options that leave the other target out, and text where the model does not read it."""
    others = {"answer", "price"} - {TARGETS[task]}
    others |= set(KINDS) - set(kinds)
    if not reads_text(task, name):
        others |= {"text"}
    return ("-t", TARGETS[task], "--drop", ",".join(sorted(others)))


def reads_text(task, name):
    return name in READS_TEXT and (task == "classification" or name == "naive-bayes")


@pytest.mark.parametrize(
    ("task", "name", "data"),
    [(task, name, "t.csv") for task, name in EVERY]
    + [(task, "naive-bayes", "t.parquet") for task in TARGETS],
)
@pytest.mark.filterwarnings("ignore")
def test_every_command_with_every_model(task, name, data, table, run):
    columns = drop_others(task, name)
    run("fit", data, *columns, "-m", name, "-o", "m.bayfold")
    found = json.loads(run("info", "m.bayfold", "--json").stdout)
    kinds = {column["name"]: column["kind"] for column in found["columns"]}
    if kinds["number"] is not None:  # some models are built of others and have no schema
        expected = {
            "number": "numeric",
            "category": "nominal",
            "boolean": "boolean",
            "time": "time",
        }
        expected |= {"text": "text"} if reads_text(task, name) else {}
        assert {k: kinds[k] for k in expected} == expected
    run("info", "m.bayfold")
    run("predict", "m.bayfold", data, "-o", "scored.csv")
    assert read_file("scored.csv").n_rows == N
    run("predict", "m.bayfold", data, "--stream", "-o", "streamed.csv")
    assert (table / "streamed.csv").read_text() == (table / "scored.csv").read_text()
    explained = run("explain", "m.bayfold", data, code=(0, 2))
    assert explained.exit_code == 0 or "must be one that explains" in explained.stderr
    for form in ("sql", "json", "onnx", "scorecard"):
        exported = run("export", "m.bayfold", "--to", form, "-o", f"m.{form}", code=(0, 1, 2))
        assert exported.exit_code == 0 or "must" in exported.stderr


@pytest.mark.parametrize(("task", "name"), EVERY)
@pytest.mark.filterwarnings("ignore")
def test_reports_and_scores_of_every_model(task, name, table, run):
    columns = drop_others(task, name)
    run("report", "t.csv", *columns, "-m", name, "-o", "r.html")
    run("evaluate", "t.csv", *columns, "-m", name, "--folds", "2")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", TARGETS)
@pytest.mark.filterwarnings("ignore")
def test_every_kind_of_column_alone(task, kind, table, run):
    columns = drop_others(task, "naive-bayes", [kind])
    run("fit", "t.csv", *columns, "-m", "naive-bayes", "-o", "m.bayfold", "--report", "r.html")
    run("predict", "m.bayfold", "t.csv", "-o", "scored.parquet")
    run("explain", "m.bayfold", "t.csv", "--rows", "1-3", "-o", "why.html")
    run("explain", "m.bayfold", "t.csv", "--rows", "1-3", "--json")
    run("compare", "t.csv", *columns, "--folds", "2", "--models", "naive-bayes", "--no-peers")


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("text", "missing")])
@pytest.mark.filterwarnings("ignore")
def test_gaps_and_clusters_of_every_kind(kind, table, run):
    columns = ("--columns", f"{kind},price")
    run("impute", "t.csv", *columns, "-o", "filled.csv")
    assert read_file("filled.csv").frame[kind].null_count == 0
    run("cluster", "t.csv", *columns, "--clusters", "2", "--save", "c.bayfold", "-o", "c.csv")
    run("info", "c.bayfold")
    run("predict", "c.bayfold", "t.csv", "-o", "again.csv")


@pytest.mark.parametrize("cells", [np.eye(6, 4), scipy.sparse.eye_array(6, 4, format="csr")])
@pytest.mark.filterwarnings("ignore")
def test_a_model_of_an_array_is_shown_and_asks_for_names(cells, table, run):
    bayfold.NaiveBayesClassifier().fit(cells, [0, 1] * 3).save("m.bayfold")
    assert "NaiveBayesClassifier" in run("info", "m.bayfold").stdout
    for command in ("predict", "explain"):
        told = run(command, "m.bayfold", "t.csv", code=1).stderr
        assert "The model must know the names of its columns." in told


@pytest.mark.parametrize("command", ["impute", "cluster"])
@pytest.mark.filterwarnings("ignore")
def test_text_is_refused_where_no_model_reads_it(command, table, run):
    told = run(command, "t.csv", "--columns", "text,price", code=(0, 1)).stderr
    assert "text" in told
