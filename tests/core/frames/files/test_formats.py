"""Every format in, every format out; files are there whole or not at all."""

from __future__ import annotations

import gzip
import os
import re
from datetime import datetime

import pytest

from bayfold.core.frames.files import ReadOptions, find_output_format, read_file, write_file
from bayfold.core.frames.files.write import write_whole
from bayfold.core.frames.output import make_frame
from bayfold.errors import DatasetError, UsageError

COLUMNS = {
    "number": [1.5, None, -3.25],
    "label": ["it's", None, 'a "b", c'],
    "plain name": ["x", "y", "x"],
}
FORMATS = ["csv", "csv.gz", "tsv", "parquet", "arrow", "arff", "arff.gz", "duckdb"]


@pytest.fixture
def frame():
    return make_frame(COLUMNS, "arrow")


@pytest.mark.parametrize("ending", FORMATS)
def test_tables_survive_every_format(tmp_path, frame, ending):
    path = str(tmp_path / f"t.{ending}")
    form = find_output_format(path, None, "csv")
    write_file(path, frame, form)
    file = read_file(path)
    assert file.frame.to_pydict() == COLUMNS
    assert file.format == form
    assert os.listdir(tmp_path) == [f"t.{ending}"]


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow", "arff"])
def test_a_file_without_an_ending_is_known_by_its_first_bytes(tmp_path, frame, form):
    path = str(tmp_path / "table")
    write_file(path, frame, form)
    assert read_file(path).format == form


def test_a_database_is_known_by_its_first_bytes(tmp_path, frame):
    path = str(tmp_path / "t.duckdb")
    write_file(path, frame, "duckdb")
    os.rename(path, tmp_path / "table")
    assert read_file(str(tmp_path / "table")).frame.num_rows == 3


def test_the_arrow_stream_is_read_too(tmp_path, frame):
    import pyarrow as pa

    path = tmp_path / "t.arrows"
    with pa.ipc.new_stream(path, frame.schema) as writer:
        writer.write_table(frame)
    assert read_file(str(path)).frame.to_pydict() == COLUMNS


def test_from_csv_to_csv_cells_stay_as_they_were_written(tmp_path):
    text = "id;zip;price\n0012345678901234567890;01067;1.234,50\n2;99999;NA\n"
    path = tmp_path / "t.csv"
    path.write_text(text)
    file = read_file(str(path))
    out = tmp_path / "out.csv"
    table = file.with_columns(file.names, {"p": [0.5, 0.25]}, "csv")
    write_file(str(out), table, "csv", file.dialect)
    lines = [
        line + tail for line, tail in zip(text.splitlines(), (";p", ";0,5", ";0,25"), strict=True)
    ]
    assert out.read_text().splitlines() == lines
    typed = file.with_columns(file.names, {}, "parquet")
    assert typed["price"].to_pylist() == [1234.5, None]


def test_filling_touches_only_what_is_missing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,50;x\n?;y\n")
    file = read_file(str(path))
    filled = file.filled(make_frame({"a": [1.5, 2.25]}, "arrow"))
    assert filled.written.to_pydict() == {"a": ["1,50", "2,25"], "b": ["x", "y"]}
    assert (file.count_missing(["a", "b"]), filled.count_missing(["a", "b"])) == (1, 0)


def test_queries_find_a_file_as_data(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2021-01-01\n2,2021-01-02\n")
    file = read_file(str(path), ReadOptions(query="select a + 1 as c, b from data where a > 1"))
    assert file.frame.to_pydict() == {"c": [3], "b": [datetime(2021, 1, 2)]}
    with pytest.raises(DatasetError, match="DuckDB could not read it"):
        read_file(str(path), ReadOptions(query="select nothing from data"))


def test_the_tables_of_a_database_are_told_apart(tmp_path):
    import duckdb

    path = str(tmp_path / "t.duckdb")
    with duckdb.connect(path) as database:
        database.execute(
            "create table first as select 1 as a; create table second as select 2 as a"
        )
    with pytest.raises(UsageError, match=r"one table must be meant\. Got 2: 'first', 'second'"):
        read_file(path)
    with pytest.raises(UsageError, match=r"Got 'secnd'\. Did you mean 'second'\?"):
        read_file(path, ReadOptions(table="secnd"))
    assert read_file(path, ReadOptions(table="second")).frame["a"].to_pylist() == [2]
    assert read_file(path, ReadOptions(query="from first")).frame["a"].to_pylist() == [1]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.parquet", b"PAR1 no", "t.parquet: the file must be whole and of the format"),
        ("t.arrow", b"ARROW1 no", "t.arrow: the file must be whole"),
        ("t.csv.gz", b"\x1f\x8bno", "t.csv.gz: the file must be whole"),
        (
            "t.csv.gz",
            gzip.compress(b"a,b\n1,2\n", mtime=0)[:-4],
            "t.csv.gz: the file must be whole",
        ),
        ("t.duckdb", b"nothing", "t.duckdb: DuckDB could not read it"),
        ("t.arff", b"@relation x\n@attribute a real\n@data\nx\n", "t.arff:4: `a` must be a number"),
    ],
)
def test_damaged_files_are_refused_by_name(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=re.escape(message)):
        read_file(str(path))


def test_a_path_that_leads_nowhere_is_misuse(tmp_path):
    (tmp_path / "churn.csv").write_text("a\n1\n")
    with pytest.raises(UsageError, match=r"Got no such file\. Did you mean '.*churn\.csv'\?"):
        read_file(str(tmp_path / "chrun.csv"))
    with pytest.raises(UsageError, match=r"must be a file\. Got a folder"):
        read_file(str(tmp_path))


def test_a_file_is_never_half_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("before")

    def fail(temporary):
        with open(temporary, "w") as file:
            file.write("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match=r"must be writable\. Got: No space left on device"):
        write_whole(str(path), fail)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["t.csv"]


def test_links_and_devices_stay_what_they_are(tmp_path, frame):
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("")
    link.symlink_to(target)
    write_file(str(link), frame, "csv")
    assert link.is_symlink()
    assert target.read_text().startswith("number,")
    write_file(os.devnull, frame, "csv")
    assert not os.path.isfile(os.devnull)
