"""Nothing that a command reads is written over, and nothing that bayfold did not write, unless that is asked for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bayfold.cli import PANELS
from bayfold.cli.command import command, find_marks

TEXT = "id,a,b,t\n" + "1,1,x,no\n2,2,y,yes\n" * 10


@pytest.fixture
def here(tmp_path, monkeypatch, run):
    """A folder with a table, a model of it, another file, and a folder of tables."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TEXT)
    run("fit", "t.csv", "-t", "t", "-o", "m.bayfold")
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "t.csv").write_text(TEXT)
    (tmp_path / "soft.csv").symlink_to("t.csv")
    os.link("t.csv", "hard.csv")
    return tmp_path


def content(folder):
    return {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


FIT = ("fit", "t.csv", "-t", "t")
PREDICT = ("predict", "m.bayfold", "t.csv")


@pytest.mark.parametrize("force", [(), ("--overwrite",)], ids=["plain", "overwrite"])
@pytest.mark.parametrize(
    "arguments",
    [
        (*FIT, "-o", "t.csv"),
        (*FIT, "-o", "./in/../t.csv"),
        (*FIT, "-o", "soft.csv"),
        (*FIT, "-o", "hard.csv"),
        (*FIT, "-o", "new.bayfold", "--report", "t.csv"),
        ("fit", "soft.csv", "-t", "t", "-o", "hard.csv"),
        ("fit", "in", "-t", "t", "--stream", "-o", "in/new.bayfold"),
        ("fit", "in/*", "-t", "t", "--stream", "-o", "in/t.csv"),
        ("fit", "**/*.csv", "-t", "t", "--stream", "-o", "in/new.csv"),
        (*PREDICT, "-o", "m.bayfold"),
        (*PREDICT, "-o", "m.bayfold", "--output-format", "csv"),
        (*PREDICT, "-o", "t.csv"),
        (*PREDICT, "-o", "t.csv", "--stream"),
        ("predict", "m.bayfold", "in", "-o", "in/new.csv", "--stream"),
        ("impute", "t.csv", "-o", "t.csv"),
        ("cluster", "t.csv", "-o", "t.csv"),
        ("cluster", "t.csv", "--save", "t.csv"),
        ("explain", "m.bayfold", "t.csv", "-o", "t.csv"),
        ("export", "m.bayfold", "--to", "json", "-o", "m.bayfold"),
        ("report", "t.csv", "-t", "t", "-o", "t.csv"),
    ],
    ids=" ".join,
)
def test_an_input_is_never_an_output(here, run, arguments, force):
    before = content(here)
    told = run(*arguments, *force, code=2).stderr
    assert re.search(r"`--(output|report|save)` must not be what the command reads", told)
    assert content(here) == before


@pytest.mark.parametrize(
    "arguments",
    [
        (*FIT, "-o", "X", "--report", "X"),
        (*FIT, "-o", "X", "--report", "in/../x"),
        ("cluster", "t.csv", "-o", "x.csv", "--save", "x.csv"),
        ("cluster", "t.csv", "--report", "-"),
    ],
    ids=" ".join,
)
def test_two_outputs_are_two_files(here, run, arguments):
    before = content(here)
    assert "must be two files" in run(*arguments, code=2).stderr
    assert content(here) == before


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ((*FIT, "-o"), "mine.txt"),
        ((*FIT, "-o", "new.bayfold", "--report"), "mine.txt"),
        ((*FIT, "-o", "new.bayfold", "--report"), "m.bayfold"),
        (("report", "t.csv", "-t", "t", "-o"), "m.bayfold"),
        ((*PREDICT, "-o"), "mine.txt"),
        ((*PREDICT, "--stream", "-o"), "mine.txt"),
        (("impute", "t.csv", "-o"), "mine.txt"),
        (("cluster", "t.csv", "--clusters", "1", "-o"), "mine.txt"),
        (("cluster", "t.csv", "--clusters", "1", "--save"), "mine.txt"),
        (("explain", "m.bayfold", "t.csv", "-o"), "mine.txt"),
        (("export", "m.bayfold", "--to", "sql", "-o"), "mine.txt"),
    ],
    ids=lambda v: v if isinstance(v, str) else " ".join(v),
)
def test_what_bayfold_did_not_write_is_replaced_only_if_asked(here, run, arguments, path):
    Path(path).write_bytes(Path(path).read_bytes() + b"\n")  # a model with a byte more is a model
    before = content(here)
    option = "--output" if arguments[-1] == "-o" else arguments[-1]
    told = run(*arguments, path, code=2).stderr
    assert f"`{option}` must be new" in told
    assert (
        f"Got {path!r}, which exists. Choose another name, or replace it with --overwrite." in told
    )
    assert content(here) == before
    run(*arguments, path, "--overwrite")
    assert (here / path).read_bytes() != before[here / path]


def test_what_bayfold_wrote_and_what_is_empty_is_replaced(here, run):
    for _ in range(2):
        run(*FIT, "-o", "m.bayfold", "--report", "r.html")
        run("cluster", "t.csv", "--clusters", "1", "--save", "m.bayfold", "--report", "r.html")
        run(*FIT, "-o", "m.bayfold")
        run("explain", "m.bayfold", "t.csv", "-o", "e.html")
        run("report", "t.csv", "-t", "t", "-o", "e.html")
    Path("empty.csv").touch()
    run(*PREDICT, "-o", "empty.csv")
    assert Path("empty.csv").read_text().startswith("id,a,b,t,prediction")
    run(*PREDICT, "-o", "/dev/null")
    run(*PREDICT, "-o", "/dev/null", "--stream")


@pytest.mark.parametrize("name", ["x.xlsx", "x.json", "x.csv.zip", "x.xls.gz"])
def test_an_ending_that_is_no_format_is_refused(here, run, name):
    for arguments in (PREDICT, ("impute", "t.csv"), ("explain", "m.bayfold", "t.csv")):
        told = run(*arguments, "-o", name, code=2).stderr
        assert "The name of an output must end in .csv, .tsv," in told
        assert f"Got {name!r}." in told
    assert not Path(name).exists()
    run(*PREDICT, "-o", name, "--output-format", "csv")
    assert Path(name).exists()


@pytest.mark.skipif(os.name == "nt", reason="needs a shell of POSIX")
@pytest.mark.parametrize(
    "line", ["- < t.csv -o t.csv --overwrite", "t.csv >> t.csv", "- < t.csv >> hard.csv"]
)
def test_redirections_are_inputs_and_outputs_too(here, line):
    before = content(here)
    command = f"{sys.executable} -m bayfold predict m.bayfold {line}"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert ran.returncode == 2
    assert "`--output` must not be what the command reads" in ran.stderr
    assert content(here) == before


@pytest.mark.parametrize("function", [f for fs in PANELS.values() for f in fs])
def test_every_path_is_marked(function):
    marks = find_marks(command(function))
    for name, parameter in command(function).__signature__.parameters.items():
        kind, *told = getattr(parameter.annotation, "__metadata__", [None])[::-1] or [None]
        metavars = {getattr(each, "metavar", None) for each in (kind, *told)}
        is_path = "Path" in str(parameter.annotation) or metavars & {"FILE", "DATA", "MODEL"}
        assert (name in marks) == bool(is_path), name
