"""A table that is read a chunk at a time gives what the table as a whole gives."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import bayfold
from bayfold.cli import streaming
from bayfold.core.frames.files import read_file, write_file
from bayfold.core.frames.files.formats import CsvDialect

FIT = ("fit", "credit.csv", "-t", "outcome", "--drop", "id", "-o", "m.bayfold")


@pytest.fixture
def small_memory(monkeypatch):
    """Room for a kilobyte."""
    monkeypatch.setattr(streaming, "find_memory", lambda: 1000)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arrow"])
def test_what_went_in_comes_out(folder, run, credit_frame, ending):
    data = f"credit.{ending}"
    form = ending.removesuffix(".gz")
    write_file(data, credit_frame, form, CsvDialect("utf-16", ";", ","))
    fit = ("fit", data, "-t", "outcome", "--drop", "id")
    for option, name in (("--stream", "s"), ("--no-stream", "w")):
        told = run(*fit, "-o", f"{name}.bayfold", option).stderr
        assert "'outcome' has 2 classes: classification." in told
        run("predict", f"{name}.bayfold", data, option, "-o", f"{name}.{ending}")
    if form == "csv":
        streamed, whole = (read_file(f"{name}.{ending}") for name in "sw")
        assert streamed.dialect == whole.dialect
        assert streamed.written.select(credit_frame.column_names) == whole.written.select(
            credit_frame.column_names
        )
    streamed, whole = (read_file(f"{name}.{ending}") for name in "sw")
    assert streamed.format == form
    assert streamed.names == whole.names
    assert streamed.vector("id").tolist() == whole.vector("id").tolist()
    found = [file.vector("probability_paid") for file in (streamed, whole)]
    np.testing.assert_allclose(*found, rtol=1e-9)


def test_cells_and_classes_are_those_of_the_whole(folder, run):
    rng = np.random.default_rng(0)
    rows = [f"{k % 2};0{k % 7};{x:.2f};1.1.2020" for k, x in enumerate(rng.normal(size=90))]
    text = "y;code;x;day\n" + "".join(row.replace(".", ",", 1) + "\n" for row in rows)
    (folder / "t.csv").write_bytes(text.replace(",1.2020", ".1.2020").encode("cp1252"))
    for option in ("--stream", "--no-stream"):
        run("fit", "t.csv", "-t", "y", "--columns", "code,x", "-o", f"m{option}", option)
    models = [bayfold.load(f"m{option}") for option in ("--stream", "--no-stream")]
    assert [model.classes_.tolist() for model in models] == [[0, 1], [0, 1]]
    outputs = [
        run("predict", "m--stream", "t.csv", option).stdout
        for option in ("--stream", "--no-stream")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].splitlines()[1].startswith(rows[0].split(";")[0] + ";00;")


def test_numbers_have_their_intervals(folder, run):
    fit = ("fit", "credit.csv", "-t", "age", "--columns", "debt_ratio,employment")
    told = run(*fit, "-o", "m.bayfold", "--stream").stderr
    assert "regression" in told
    predict = ("predict", "m.bayfold", "credit.csv", "--keep", "id")
    for options in ((), ("--quantiles", "0.1,0.9"), ("--interval", "0")):
        whole = run(*predict, *options).stdout
        assert run(*predict, *options, "--stream").stdout == whole


def test_a_file_larger_than_memory_is_streamed_by_itself(folder, run, small_memory):
    told = run(*FIT).stderr
    assert "credit.csv has 0 MB, and 0 MB of memory are available: read a chunk at a time." in told
    assert "read a chunk" in run("predict", "m.bayfold", "credit.csv").stderr
    assert "read a chunk" not in run(*FIT, "--no-stream").stderr
    refused = run(*FIT, "--report", "r.html", code=2).stderr
    assert "or read the table as a whole with `--no-stream`" in refused


def test_methods_of_many_passes_are_the_same_model(folder, run):
    for option in ("--stream", "--no-stream"):
        run(*FIT[:-1], f"m{option}", "--model", "tree", option)
    whole, streamed = (
        run("predict", f"m{option}", "credit.csv").stdout for option in ("--no-stream", "--stream")
    )
    assert streamed == whole


def test_memory_is_known():
    known = streaming.find_memory()
    assert known is None or 1 << 20 < known < 1 << 50


def test_several_files_are_one_table(folder, run):
    text = (folder / "credit.csv").read_text().splitlines(keepends=True)
    (folder / "parts").mkdir()
    (folder / "parts" / "a.csv").write_text("".join(text[:100]))
    (folder / "parts" / "b.csv").write_text("".join([text[0], *text[100:]]))
    run(*FIT)
    whole = run("predict", "m.bayfold", "credit.csv").stdout
    assert run("predict", "m.bayfold", "parts", "--stream").stdout == whole


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--report", "r.html"), "`--report` must have all rows in memory"),
        (("--query", "select 1"), "`--query` must have all rows in memory"),
        (("--drop", "idd"), "Did you mean 'id'?"),
        (("--task", "guess"), "`--task` must be classification or regression"),
        (("--delimiter", "ab"), "`--delimiter` must be one character"),
    ],
)
def test_what_streams_cannot_do_is_told(folder, run, options, message):
    assert message in run(*FIT, "--stream", *options, code=2).stderr


def test_an_output_is_whole_or_not_there(folder, run):
    run(*FIT)
    lines = (folder / "credit.csv").read_text()
    (folder / "bad.csv").write_text(lines + "1,2\n")
    (folder / "scored.csv").write_text("before")
    told = run(
        "predict", "m.bayfold", "bad.csv", "--stream", "-o", "scored.csv", "--overwrite", code=1
    ).stderr
    assert "bad.csv, line 242: a row must have" in told
    assert (folder / "scored.csv").read_text() == "before"
    assert not [name for name in os.listdir(folder) if name.endswith(".tmp")]
    told = run("predict", "m.bayfold", "credit.csv", "--stream", "-o", "s.arff", code=2).stderr
    assert "must be one of csv, parquet, arrow. Got arff." in told


def test_standard_output_is_real(folder, run):
    run(*FIT)
    command = [sys.executable, "-m", "bayfold", "predict", "m.bayfold", "credit.csv", "--stream"]
    piped = subprocess.run(command, capture_output=True, check=True, timeout=120)
    assert piped.stdout.decode() == run("predict", "m.bayfold", "credit.csv").stdout


@pytest.mark.parametrize(
    ("own", "files", "known"),
    [
        ("0::/a/b", {"a/b/memory.max": "900", "a/memory.max": "max"}, 650),
        ("0::/a/b", {"a/b/memory.max": "max", "a/memory.max": "700"}, 450),
        ("0::/a/b", {"a/b/memory.max": "100"}, 0),
        ("0::/elsewhere", {"memory.max": "800"}, 550),
        ("7:memory:/a", {"memory/a/memory.limit_in_bytes": "1000"}, 750),
        ("0::/a", {}, None),
    ],
)
def test_the_limit_of_a_container_is_the_limit(own, files, known, tmp_path, monkeypatch):
    """300 bytes are used, of which 50 are copies of files."""
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
        usage = {"memory.max": "memory.current"}.get(path.name, "memory.usage_in_bytes")
        (path.parent / usage).write_text("300\n")
        (path.parent / "memory.stat").write_text(
            "anon 9\ninactive_file 50\ntotal_inactive_file 50\n"
        )
    (tmp_path / "own").write_text(f"{own}\n")
    monkeypatch.setattr(streaming, "CONTROL_GROUPS", tmp_path)
    monkeypatch.setattr(streaming, "OWN_GROUP", tmp_path / "own")
    assert streaming._of_the_container() == known
