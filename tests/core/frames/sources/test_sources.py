"""Every kind of source gives the same rows, and what is wrong with one is told with its place."""

from __future__ import annotations

import os
import re

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from bayfold.core.frames.sources import Chunk, open_source, text_files
from bayfold.core.frames.sources.chunk import cut_chunks
from bayfold.errors import DatasetError, SourceError

ROWS = pa.table(
    {
        "x": [0.5, None, 2.5, 3.0, -1.0, 7.0],
        "job": ["a", "b", None, "a", "c", "b"],
        "n": [1, 2, 3, 4, 5, 6],
    }
)


def rows_of(source, columns=("x", "job", "n"), **options):
    chunks = list(source.chunks(list(columns), **options))
    return [row for chunk in chunks for row in chunk.data.to_pylist()]


def write_arff(path):
    lines = ["@attribute x real", "@attribute job {a,b,c}", "@attribute n real", "@data"]
    shown = [["?" if c is None else str(c) for c in row.values()] for row in ROWS.to_pylist()]
    path.write_text("\n".join([*lines, *map(",".join, shown)]))


def write_stream(path):
    with pa.ipc.new_stream(path, ROWS.schema) as sink:
        sink.write_table(ROWS, max_chunksize=4)


FILES = {
    "one.parquet": lambda path: pq.write_table(ROWS, path, row_group_size=2),
    "one.csv": lambda path: csv.write_csv(ROWS, path),
    "one.feather": lambda path: feather.write_feather(ROWS, path),
    "one.arrow": write_stream,
    "one.arff": write_arff,
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_rows(name, tmp_path):
    FILES[name](tmp_path / name)
    source = open_source(tmp_path / name)
    assert source.names == ROWS.column_names
    assert rows_of(source) == ROWS.to_pylist()
    assert rows_of(source, skip=3) == ROWS.to_pylist()[3:]
    assert rows_of(source, ["n"]) == ROWS.select(["n"]).to_pylist()


@pytest.mark.parametrize(
    "source",
    [
        ROWS,
        pl.from_arrow(ROWS),
        lambda: ROWS.to_batches(max_chunksize=2),
        lambda: iter([ROWS.slice(0, 1), ROWS.slice(1)]),
        lambda: pa.RecordBatchReader.from_batches(ROWS.schema, ROWS.to_batches(4)),
        duckdb.from_arrow(ROWS),
    ],
    ids=["arrow", "polars", "batches", "tables", "reader", "duckdb"],
)
def test_every_stream_gives_the_rows_again(source):
    opened = open_source(source)
    for _ in range(2):
        assert rows_of(opened) == ROWS.to_pylist()
    assert rows_of(opened, ["job"], skip=4) == ROWS.select(["job"]).to_pylist()[4:]


def test_lists_globs_and_folders_in_the_order_of_names(tmp_path):
    for number in range(3):
        pq.write_table(ROWS.slice(2 * number, 2), tmp_path / f"part{number}.parquet")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.txt").write_text("not data")
    paths = [tmp_path / f"part{number}.parquet" for number in range(3)]
    for given in (tmp_path, paths, str(tmp_path / "*.parquet")):
        source = open_source(given)
        assert rows_of(source) == ROWS.to_pylist()
        assert source.n_rows == 6


def test_folders_name_the_values_of_columns(tmp_path):
    for year, part in ((2021, ROWS.slice(0, 2)), (2020, ROWS.slice(2))):
        folder = tmp_path / f"year={year}" / "site=a%20b"
        folder.mkdir(parents=True)
        pq.write_table(part, folder / "x.parquet")
    source = open_source(tmp_path)
    assert source.names == ["x", "job", "n", "year", "site"]
    found = rows_of(source, ["year", "site"])
    assert found == [{"year": y, "site": "a b"} for y in [2020] * 4 + [2021] * 2]


def test_chunks_are_cut_by_rows_alone():
    chunks = open_source(lambda: ROWS.to_batches(max_chunksize=1)).chunks(["n"])
    assert [chunk.data["n"].to_pylist() for chunk in cut_chunks(chunks, 4)] == [
        [1, 2, 3, 4],
        [5, 6],
    ]


def test_text_is_read_as_labels_unless_it_is_wanted_as_it_is(tmp_path):
    narrow = ROWS.set_column(1, "job", ROWS["job"].cast(pa.dictionary(pa.int8(), pa.string())))
    pq.write_table(ROWS, tmp_path / "a.parquet")
    pq.write_table(narrow, tmp_path / "b.parquet")
    source = open_source(tmp_path)
    common = pa.dictionary(pa.int32(), pa.string())
    assert {chunk.data["job"].type for chunk in source.chunks(["job"])} == {common}
    assert {chunk.data["job"].type for chunk in source.chunks(["job"], plain=["job"])} == {
        pa.string()
    }
    assert rows_of(source, ["job"]) == 2 * ROWS.select(["job"]).to_pylist()


def test_a_damaged_row_group_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": np.arange(3000.0)}), path, row_group_size=1000)
    offset = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    content = bytearray(path.read_bytes())
    content[offset : offset + 40] = b"\xff" * 40
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"a\.parquet, row group 1: .*readable"):
        rows_of(open_source(path), ["x"])


@pytest.mark.parametrize("content", [b"", b"PAR1 and then nothing"])
def test_a_file_that_is_no_parquet_is_named(tmp_path, content):
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(SourceError, match=r"a\.parquet: every part"):
        open_source(tmp_path / "a.parquet")


def test_a_bad_line_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,4,5\n")
    with pytest.raises(DatasetError, match=r"a\.csv, line 3: a row must have 2 cells.* Got 3"):
        rows_of(open_source(tmp_path / "a.csv"), ["x"])
    monkeypatch.setattr(text_files, "TEXT_BLOCK", 1 << 10)
    (tmp_path / "b.csv").write_text("x,y\n" + '1,"2\n3"\n' * 2_000 + "many,2\n")
    with pytest.raises(DatasetError, match=r"b\.csv, line 4002, column 'x': must be a number"):
        rows_of(open_source(tmp_path / "b.csv"), ["x"])
    (tmp_path / "c.arff").write_text("@attribute x real\n@data\n1\nmany\n")
    with pytest.raises(DatasetError, match=r"c\.arff:4: `x` must be a number"):
        rows_of(open_source(tmp_path / "c.arff"), ["x"])


def test_empty_files_are_fine(tmp_path):
    pq.write_table(ROWS.slice(0, 0), tmp_path / "a.parquet")
    pq.write_table(ROWS, tmp_path / "b.parquet")
    assert rows_of(open_source(tmp_path)) == ROWS.to_pylist()
    (tmp_path / "a.csv").write_text("")
    (tmp_path / "b.csv").write_text("x,y\n")
    (tmp_path / "c.csv").write_text("x,y\n1,2\n")
    assert rows_of(open_source(str(tmp_path / "*.csv")), ["x"]) == [{"x": 1.0}]


def test_columns_without_a_cell_are_what_other_csv_files_say(tmp_path):
    (tmp_path / "a.csv").write_text("x,job,t\n")
    (tmp_path / "b.csv").write_text("x,job,t\n1,,\n")
    (tmp_path / "c.csv").write_text("x,job,t\n,cook,2024-01-01\n")
    rows = rows_of(open_source(tmp_path), ["x", "job", "t"])
    assert [row["job"] for row in rows] == [None, "cook"]
    assert [row["t"] is None for row in rows] == [True, False]
    (tmp_path / "c.csv").unlink()
    nothing = {"x": 1.0, "job": None, "t": None}
    assert rows_of(open_source(tmp_path), ["x", "job", "t"]) == [nothing]


def test_damaged_pages_are_found_by_their_checksums(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table({"x": np.arange(10_000.0)}), path, write_page_checksum=True, compression="none"
    )
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"a\.parquet, row group 0"):
        rows_of(open_source(path), ["x"])


def test_a_file_that_changes_between_passes_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(ROWS, path)
    source = open_source(path)
    rows_of(source)
    os.utime(path, ns=(0, 1))
    with pytest.raises(SourceError, match=r"a\.parquet: files must stay as they are"):
        rows_of(source)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (ROWS.drop(["n"]), "b.parquet: all parts .* no column 'n', which .*a.parquet has"),
        (ROWS.append_column("z", ROWS["n"]), "a.parquet: all parts .* no column 'z'"),
        (ROWS.set_column(2, "n", ROWS["job"]), "b.parquet: column 'n' .* Got string, but int64"),
    ],
)
def test_files_that_do_not_fit_together_are_named(other, message, tmp_path):
    pq.write_table(ROWS, tmp_path / "a.parquet")
    pq.write_table(other, tmp_path / "b.parquet")
    with pytest.raises(SourceError, match=message):
        open_source(tmp_path)


def test_numbers_of_several_types_are_numbers(tmp_path):
    pq.write_table(pa.table({"x": pa.array([1, 2], pa.int8())}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [0.5]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"x": pa.nulls(1)}), tmp_path / "c.parquet")
    found = [row["x"] for row in rows_of(open_source(tmp_path), ["x"])]
    assert found == [1.0, 2.0, 0.5, None]


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ("nowhere.parquet", SourceError, "must name files that exist"),
        ("nowhere/*.parquet", SourceError, "must name at least one file"),
        (3, TypeError, "Got int. A table in memory goes to fit"),
        (
            pa.RecordBatchReader.from_batches(ROWS.schema, []),
            TypeError,
            "Give a function that opens it",
        ),
        (lambda: iter(()), SourceError, "at least one Arrow batch"),
        (lambda: [3], TypeError, "must give Arrow tables or record batches. Got int"),
    ],
)
def test_what_is_no_source_is_refused(source, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        open_source(source)


def test_an_unknown_ending_is_refused(tmp_path):
    (tmp_path / "a.xlsx").write_text("")
    with pytest.raises(SourceError, match=r"must end in .*\.parquet.*a\.xlsx"):
        open_source(tmp_path / "a.xlsx")


def test_chunks_that_are_as_long_as_wanted_are_not_copied():
    chunks = [Chunk(pa.table({"n": np.arange(4.0)})) for _ in range(3)]
    given = [chunk.data["n"].chunk(0).buffers()[1].address for chunk in chunks]
    cut = [chunk.data["n"].chunk(0).buffers()[1].address for chunk in cut_chunks(chunks, 4)]
    assert cut == given


def batches_of(*columns):
    """A source of one batch for each column of cells."""
    return open_source(lambda: [pa.table({"x": cells}) for cells in columns])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pa.array([1, 2]), pa.array([0.5, 2.25])),
        (pa.array([1, 2], pa.int8()), pa.array([300, -70_000])),
        (pa.array([0.5], pa.float32()), pa.array([1 / 3])),
        (pa.nulls(3), pa.array(["a", "b"])),
        (pa.array(["a", "b"]).dictionary_encode(), pa.array(["c"])),
    ],
    ids=["decimals", "large", "precise", "empty", "labels"],
)
def test_batches_of_a_stream_keep_their_cells(first, second):
    """Whatever the first has: decimals were cut off where it had whole numbers, large ones were others."""
    expected = first.to_pylist() + second.to_pylist()
    source = batches_of(first, second)
    assert [row["x"] for row in rows_of(source, ["x"])] == expected
    joined = [
        row["x"]
        for chunk in cut_chunks(source.chunks(["x"]), 100)
        for row in chunk.data.to_pylist()
    ]
    assert joined == expected


@pytest.mark.parametrize("cells", [["12", "13"], [True, False]])
def test_a_batch_of_another_kind_is_told(cells):
    source = batches_of([1, 2], cells)
    match = (
        "a later batch: column 'x' must be of one kind in all parts. Got .*, but int64 in the first"
    )
    with pytest.raises(SourceError, match=match):
        rows_of(source, ["x"])
