"""A CSV file in blocks is the CSV file read as a whole."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow as pa
import pytest

from bayfold.core.frames.files import ReadOptions, read_file
from bayfold.core.frames.sources import text_files
from bayfold.core.frames.sources.many_files import FileSource
from bayfold.errors import DatasetError, on_command_line

LINES = [
    ("1,5", "1.234,5", "Zoë", "2024-01-31", "true", "01067", "31.12.2024"),
    ("", " 12 ", 'a "b"; c', "2024-02-01", "FALSE", "99999", ""),
    ("-3", "7", "line\nbreak", "?", "NA", "00001", "01.02.2023"),
    ("2,25", "1.000.000", " x ", "2023-12-31", "True", "12345", "3.4.2023"),
]
NAMES = ("number", "thousands", "text", "day", "flag", "zip", "date")


def write(path, encoding="utf-8", delimiter=";", n_rows=60, end="\n", zipped=False):
    """Rows in a random order, in the dialect asked for."""
    rng = np.random.default_rng(0)
    rows = [NAMES, *LINES, *(LINES[k] for k in rng.integers(0, len(LINES), n_rows))]
    text = "".join(
        delimiter.join(
            '"' + cell.replace('"', '""') + '"' if set(cell) & set('";,\n') else cell
            for cell in row
        )
        + end
        for row in rows
    )
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if zipped else data)


def read_blocks(path, options=None):
    source = FileSource(path, options)
    chunks = list(source.chunks(source.names, plain=source.names))
    return pa.concat_tables([chunk.data for chunk in chunks])


def as_floats(table):
    """Whole numbers may have decimals further down: blocks have floats for both."""
    types = [pa.float64() if pa.types.is_integer(t) else t for t in table.schema.types]
    return table.cast(pa.schema(zip(table.column_names, types, strict=True)))


@pytest.mark.parametrize(
    "dialect",
    [
        {},
        {"encoding": "cp1252"},
        {"encoding": "utf-8-sig", "end": "\r\n"},
        {"encoding": "utf-16"},
        {"delimiter": "\t", "zipped": True},
        {"delimiter": "|", "encoding": "latin-1", "zipped": True},
    ],
    ids=str,
)
def test_blocks_are_the_whole(tmp_path, monkeypatch, dialect):
    path = tmp_path / ("a.csv.gz" if dialect.get("zipped") else "a.csv")
    write(path, **dialect)
    whole = as_floats(read_file(str(path)).frame)
    for size in (1 << 9, 1 << 10, 1 << 22):  # several rows in a block, and all
        monkeypatch.setattr(text_files, "TEXT_BLOCK", size)
        found = read_blocks(path)
        # times of days have the unit of their format, and the moment is the same
        assert found.cast(whole.schema).to_pylist() == whole.to_pylist()


def test_a_lone_quote_within_a_cell_is_a_letter(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "TEXT_BLOCK", 1 << 9)
    (tmp_path / "a.csv").write_text('x,y\n1,5" pipe\n' + "2,hose\n" * 200)
    found = read_blocks(tmp_path / "a.csv")
    assert found["y"].to_pylist() == ['5" pipe'] + ["hose"] * 200


def test_a_quote_that_swallows_the_file_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "TEXT_BLOCK", 1 << 18)
    (tmp_path / "a.csv").write_text("x,y\n" + "1,b\n" * 5 + '2,"hose\n' + "2,hose\n" * 50_000)
    with pytest.raises(DatasetError, match=r"a\.csv.*line 7"):
        read_blocks(tmp_path / "a.csv")


def test_cells_come_as_they_were_written(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "TEXT_BLOCK", 1 << 9)
    write(tmp_path / "a.csv")
    file = text_files.CsvFile(str(tmp_path / "a.csv"))
    names = [text_files.WRITTEN + name for name in NAMES]
    found = pa.concat_tables(list(file.batches([*names, "number"], [])))
    whole = read_file(str(tmp_path / "a.csv")).written
    assert [column.to_pylist() for column in found.columns[:-1]] == [
        column.to_pylist() for column in whole.columns
    ]


def test_what_is_given_is_not_guessed(tmp_path):
    (tmp_path / "a.csv").write_text("x;y;z\n1,5;-;007\n2;3;010\n")
    given = ReadOptions(
        delimiter=";", decimal=",", missing=("-",), kinds={"z": "numeric", "y": "nominal"}
    )
    assert read_blocks(tmp_path / "a.csv", given).to_pylist() == [
        {"x": 1.5, "y": None, "z": 7.0},
        {"x": 2.0, "y": "3", "z": 10.0},
    ]


@pytest.mark.parametrize(
    ("first", "later", "message"),
    [
        (
            "1",
            "many",
            "line 302, column 'x': must be a number, as the first rows have it. Got 'many'",
        ),
        ("1", "007", "line 302, column 'x': must be a number"),
        ("1,5", "1.5", "line 302, column 'x': must be a number"),
        ("2024-01-31", "2024-02-30", "line 302, column 'x': must be a date or time"),
        ("true", "maybe", "line 302, column 'x': must be true or false"),
        ("", "b", "Correct it, or give a DuckDB query that says what the column is"),
        ("a", "b;c", "line 302: a row must have 2 cells, one per column. Got 3"),
        ("a", '"b', "line 302: every quote must be closed"),
        ("a", "\udcff", "line 302: the text must be utf-8. Got bytes that are not."),
    ],
)
def test_a_later_cell_that_is_something_else_is_named(tmp_path, monkeypatch, first, later, message):
    monkeypatch.setattr(text_files, "TEXT_BLOCK", 1 << 9)
    text = "y;x\n" + f"0;{first}\n" * 300 + f"0;{later}\n" + f"0;{first}\n" * 3
    (tmp_path / "a.csv").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(DatasetError, match=r"a\.csv, ") as caught:
        read_blocks(tmp_path / "a.csv")
    assert message in str(caught.value)


def test_on_the_command_line_its_options_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "TEXT_BLOCK", 1 << 9)
    (tmp_path / "a.csv").write_text("y;x\n" + "0;\n" * 300 + "0;b\n")
    wanted = "or `--categorical x` if the column holds labels"
    with on_command_line(), pytest.raises(DatasetError, match=wanted):
        read_blocks(tmp_path / "a.csv")


def test_a_zipped_file_that_was_cut_is_named(tmp_path):
    write(tmp_path / "a.csv.gz", zipped=True)
    data = (tmp_path / "a.csv.gz").read_bytes()
    (tmp_path / "a.csv.gz").write_bytes(data[:-20])
    with pytest.raises(ValueError, match=r"a\.csv\.gz: every part of the source must be readable"):
        read_blocks(tmp_path / "a.csv.gz")


def test_a_byte_of_zero_is_refused_wherever_it_is(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,x\n" * 500 + "2,y\0\n")
    monkeypatch.setattr(text_files, "TEXT_BLOCK", 1 << 8)  # in a later block
    for read in (read_blocks, lambda path: read_file(str(path), ReadOptions())):
        with pytest.raises(DatasetError, match=r"t.csv, line 502: a CSV file must be text"):
            read(path)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
def test_names_without_a_row_are_a_table_without_rows(tmp_path, end):
    path = tmp_path / "t.csv"
    path.write_bytes(f"a,b{end}".encode())
    assert read_file(str(path), ReadOptions()).frame.shape == (0, 2)
    other = tmp_path / "u.csv"
    other.write_text("a,b\n1,x\n")
    assert read_blocks([path, other]).num_rows == 1


def test_names_may_be_longer_than_a_block_of_arrow(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"{'long' * 300}{k}" for k in range(1000)]
    path.write_text(",".join(names) + "\n" + ",".join("1" * 1000) + "\n")
    assert read_file(str(path), ReadOptions()).frame.shape == (1, 1000)
    assert read_blocks(path).shape == (1, 1000)
