"""What predict_source may replace: nothing but what it wrote itself, and never what it reads."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from bayfold.base.sources.output import check_place
from bayfold.core.frames.sources import chunk, write
from bayfold.errors import SourceError
from tests.plain import plain_classifier

RNG = np.random.default_rng(0)
N = 512
ROWS = pa.table({"id": np.arange(N), "u": RNG.normal(size=N), "y": ["a", "b"] * (N // 2)})
MODEL = plain_classifier().fit(ROWS.select(["u"]), ROWS["y"])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder to work in, in one that may be lost."""
    here = tmp_path / "around" / "here"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    monkeypatch.setattr(chunk, "PARTITION_CELLS", N)
    return here


def predict(output, source=ROWS, **options):
    return MODEL.predict_source(source, output, **({"overwrite": True} | options))


def content(folder="."):
    """All that lies below a folder."""
    paths = sorted(Path(folder).rglob("*"))
    return {str(p): p.read_bytes() if p.is_file() else None for p in paths}


def refuses(message, output, source=ROWS, **options):
    """Whether an output is refused, and nothing is touched."""
    before = content()
    with pytest.raises(SourceError, match=re.escape(message)):
        predict(output, source, **options)
    assert content() == before


def put_note(folder):
    (folder / "note.txt").write_text("mine")


def put_hidden(folder):
    (folder / ".note").write_text("mine")


def put_folder(folder):
    (folder / "older").mkdir()


def put_link(folder):
    part = folder / "part-00000.parquet"
    part.rename("elsewhere.parquet")
    part.symlink_to(Path("elsewhere.parquet").resolve())


def put_foreign_part(folder):
    pq.write_table(ROWS, folder / "part-00001.parquet")


def put_damaged_part(folder):
    (folder / "part-00001.parquet").write_bytes(b"PAR1")


def put_other_name(folder):
    shutil.copy(folder / "part-00000.parquet", folder / "best.parquet")


FOREIGN = {
    put_note: "'note.txt'",
    put_hidden: "'.note'",
    put_folder: "'older'",
    put_link: "'part-00000.parquet'",
    put_foreign_part: "'part-00001.parquet'",
    put_damaged_part: "'part-00001.parquet'",
    put_other_name: "'best.parquet'",
}


@pytest.mark.parametrize("put", FOREIGN, ids=lambda f: f.__name__)
def test_a_folder_that_holds_anything_else_stays(put):
    put(predict("scores"))
    refuses(f"must hold nothing but what `predict_source` wrote. Got {FOREIGN[put]}", "scores")


def test_a_folder_of_its_own_or_an_empty_one_is_replaced(monkeypatch):
    monkeypatch.setattr(write, "ROWS_PER_FILE", N)
    predict("scores", lambda: ROWS.to_batches() * 3)
    assert len(os.listdir("scores")) == 3
    Path("link").symlink_to("scores")
    predict("link/")
    assert os.path.islink("link")
    assert os.listdir("scores") == ["part-00000.parquet"]
    Path("empty").mkdir()
    assert os.listdir(predict("empty")) == ["part-00000.parquet"]


def test_what_came_while_it_worked_stays(here):
    predict("scores")
    before = content("scores")
    with pytest.raises(SourceError, match=re.escape("Got 'note.txt'")):
        predict("scores", callback=lambda now: put_note(here / "scores"))
    assert content("scores") == before | {"scores/note.txt": b"mine"}
    assert os.listdir() == ["scores"]
    with pytest.raises(SourceError, match="`output` must not exist yet"):
        predict(
            "new.csv", overwrite=False, callback=lambda now: Path("new.csv").write_text("theirs")
        )
    assert Path("new.csv").read_text() == "theirs"
    assert sorted(os.listdir()) == ["new.csv", "scores"]


@pytest.mark.parametrize("output", ["in", "in/", "./x/../in", "link", ".", "..", "in/deep"])
def test_the_source_and_what_holds_it_stay(output):
    for folder in ("in", "in/deep", "x"):
        Path(folder).mkdir()
    pq.write_table(ROWS, "in/deep/rows.parquet")
    Path("link").symlink_to("in")
    refuses("`output` must not be read by `source`, nor hold it", output, "in")
    refuses("`output` must not be read by `source`, nor hold it", output, "in/deep/rows.parquet")


def test_an_earlier_output_that_is_the_source_now_stays():
    predict("scores", keep=["id", "u"])
    refuses("`output` must not be read by `source`", "scores", "scores")
    refuses("`output` must not be read by `source`", "scores", "scores/*.parquet")


@pytest.mark.parametrize(
    "output", ["in/rows.csv", "in/../in/rows.csv", "soft.csv", "hard.csv", "in/more.csv", "in/new"]
)
@pytest.mark.parametrize("source", ["in", "in/*", "**/*", "i[n]/*", ["in/rows.csv", "in/*"]])
def test_a_file_that_the_source_reads_stays(output, source):
    Path("in").mkdir()
    Path("in/rows.csv").write_text("u,y\n1.5,a\n2,b\n")
    Path("soft.csv").symlink_to("in/rows.csv")
    os.link("in/rows.csv", "hard.csv")
    refuses("`output` must not be read by `source`", output, source)


@pytest.mark.parametrize(
    ("output", "source"),
    [("in/_scores", "in"), ("in/out/scores.csv", "in/*.csv"), ("in/scores.parquet", "in/*.csv")],
)
def test_what_the_source_does_not_read_is_written(output, source):
    Path("in").mkdir()
    Path("in/rows.csv").write_text("u,y\n1.5,a\n2,b\n")
    assert predict(output, source).exists()


@pytest.mark.parametrize("name", ["here", "home", "/"])
def test_places_that_are_never_replaced(name, here, monkeypatch):
    Path("home").mkdir()
    monkeypatch.setenv("HOME", str(here / "home"))
    inside = predict("own").resolve()
    monkeypatch.chdir(inside)
    message = "must not be the current folder, a home or a root"
    if name == "/":  # looked at, never written to
        with pytest.raises(SourceError, match=message):
            check_place(Path(name), is_folder=True, inputs=())
    else:
        refuses(message, {"here": inside, "home": here / "home"}[name])


def test_a_folder_is_no_file_and_a_file_is_no_folder():
    Path("x.csv").mkdir()
    Path("scores").write_text("mine")
    refuses("'x.csv' must be a file, as its name says. Got a folder", "x.csv")
    refuses("'scores' must be a folder, as its name has no ending. Got a file", "scores")


@pytest.mark.parametrize("output", ["", "x.xlsx", "x.json", "x.parquet.zip", "x.xls.gz"])
def test_names_that_say_no_format_are_refused(output):
    Path("x.xlsx").write_text("mine")
    refuses("`output` must end in .parquet, .arrow or .csv, or name a folder without", output)


def test_every_reader_reads_the_folder(monkeypatch):
    monkeypatch.setattr(write, "ROWS_PER_FILE", N)
    predict("scores", lambda: ROWS.to_batches() * 2, keep=["id"])
    read = {
        "arrow": pq.read_table("scores").num_rows,
        "dataset": ds.dataset("scores").count_rows(),
        "pandas": len(pd.read_parquet("scores")),
        "polars": pl.read_parquet("scores").height,
        "polars, lazy": pl.scan_parquet("scores/").collect().height,
        "Dask": len(dd.read_parquet("scores")),
        "DuckDB": len(duckdb.sql("select * from 'scores/*.parquet'")),
    }
    assert read == dict.fromkeys(read, 2 * N)
