"""Which files a folder, a glob or a list means: none is left out without an error, none is counted twice."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayfold.core.frames.sources import open_source
from bayfold.errors import SourceError


@pytest.fixture
def folder(tmp_path):
    """Three files of one row, two of them in folders."""
    for number, name in enumerate(("a.csv", "sub/b.csv", "sub/deep/c.csv")):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"x,y\n{number},u\n")
    return tmp_path / "data"


def numbers(source, column="x"):
    chunks = open_source(source).chunks([column])
    return [row[column] for chunk in chunks for row in chunk.data.to_pylist()]


def sources(folder):
    return [folder, str(folder / "**" / "*.csv"), [folder / "a.csv", folder / "sub"]]


def test_folders_globs_and_lists_find_the_same(folder):
    for source in [*sources(folder), str(folder / "*"), str(folder / "**")]:
        assert sorted(numbers(source)) == [0, 1, 2]


def test_a_folder_that_cannot_be_listed_is_an_error(folder, monkeypatch):
    listed = os.scandir

    def scandir(path):
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    for source in sources(folder):
        with pytest.raises(SourceError, match=r"deep: every part .* Got: .*Permission denied"):
            open_source(source)


def test_linked_folders_and_files_are_read(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "d.csv").write_text("x,y\n3,u\n")
    (other / "e.csv").write_text("x,y\n4,u\n")
    (folder / "linked").symlink_to(other)
    (folder / "f.csv").symlink_to(other / "e.csv")
    for source in (folder, str(folder / "**" / "*.csv")):
        assert sorted(numbers(source)) == [0, 1, 2, 3, 4]


def test_a_file_counts_once_under_any_spelling(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "same.csv").symlink_to(folder / "a.csv")
    spellings = ["a.csv", "./a.csv", "sub/../a.csv", str(folder / "a.csv"), "same.csv", "*.csv"]
    assert numbers(spellings) == [0]
    assert numbers(["a.csv", "a.csv"]) == [0]
    assert sorted(numbers([".", folder])) == [0, 1, 2]


def test_a_file_with_two_values_of_a_key_is_an_error(folder):
    for key in "12":
        (folder / f"i={key}").mkdir()
        (folder / f"i={key}" / "d.csv").symlink_to(folder / "a.csv")
    (folder / "a.csv").rename(folder / "_a.csv")
    for key in "12":
        (folder / f"i={key}" / "d.csv").unlink()
        (folder / f"i={key}" / "d.csv").symlink_to(folder / "_a.csv")
    with pytest.raises(SourceError, match=r"i=2/d\.csv: the names of folders .* of .*i=1/d\.csv"):
        open_source(folder)


@pytest.mark.parametrize("name", ["gone.csv", "gone"])
def test_a_link_that_leads_nowhere_is_an_error(folder, name):
    (folder / "sub" / name).symlink_to(folder / "nowhere")
    for source in (folder, str(folder / "*"), [folder / "sub" / name]):
        with pytest.raises(SourceError, match=f"sub/{name}: links must lead to a file or a folder"):
            open_source(source)


def test_a_loop_of_links_is_an_error(folder):
    (folder / "sub" / "deep" / "up").symlink_to(folder)
    for source in sources(folder):
        with pytest.raises(SourceError, match=r"deep/up.*: links must not lead back"):
            open_source(source)


def test_a_key_that_is_a_column_is_an_error(tmp_path):
    (tmp_path / "x=9").mkdir()
    (tmp_path / "x=9" / "a.csv").write_text("x,y\n1,u\n")
    with pytest.raises(SourceError, match=r"a\.csv: columns in the names of folders .* Got 'x'"):
        open_source(tmp_path)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("=5", {}),
        ("k=a=b", {"k": "a=b"}),
        ("k=--5", {"k": "--5"}),
        ("k=99999999999999999999", {"k": "99999999999999999999"}),
        ("k=", {"k": ""}),
        ("k=-7", {"k": -7}),
    ],
)
def test_odd_names_of_folders(tmp_path, name, keys):
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.csv").write_text("x,y\n1,u\n")
    source = open_source(tmp_path)
    assert source.names == ["x", "y", *keys]
    for column, value in keys.items():
        assert numbers(tmp_path, column) == [value]


def test_a_key_twice_in_one_path_is_an_error(tmp_path):
    (tmp_path / "k=1" / "k=2").mkdir(parents=True)
    (tmp_path / "k=1" / "k=2" / "a.csv").write_text("x\n1\n")
    with pytest.raises(SourceError, match=r"must have different names\. Got 'k' more than"):
        open_source(tmp_path)


def test_an_empty_file_beside_keys_is_fine(tmp_path):
    for key, text in (("1", ""), ("2", "x\n1\n"), ("3", "x\n")):
        (tmp_path / f"k={key}").mkdir()
        (tmp_path / f"k={key}" / "a.csv").write_text(text)
    assert numbers(tmp_path, "k") == [2]


@pytest.mark.parametrize(
    "name", ["d.parquet.gz", "d.csv.zst", "d.arff.gz", "d.duckdb", "d.csv.ZIP"]
)
def test_a_table_that_cannot_be_read_is_an_error(folder, name):
    (folder / name).write_bytes(b"rows")
    for source in (folder, str(folder / "*")):
        with pytest.raises(SourceError, match=f"must end in .* Got '.*{name}'"):
            open_source(source)


@pytest.mark.parametrize("name", ["part-00000", "b.parquet.bak", "old.dat", "x.txt"])
@pytest.mark.parametrize("start", [b"PAR1", b"ARROW1\0\0", b"ORC", b"Obj\x01", b"@relation r\n"])
def test_a_table_without_the_ending_of_one_is_an_error(folder, name, start):
    (folder / "sub" / name).write_bytes(start + b"...")
    with pytest.raises(SourceError, match=rf"The name of a file must end in .* Got .*{name}"):
        open_source(folder)
    assert numbers([folder / "a.csv"]) == [0]


def test_notes_and_hidden_names_are_left_out_of_folders(folder):
    for name in (".e.csv", "_e.csv", "notes.txt", "README.md", "_SUCCESS"):
        (folder / name).write_text("no table")
    (folder / "_temporary").mkdir()
    (folder / "_temporary" / "e.csv").write_text("no table")
    assert numbers(folder) == [0, 1, 2]


def test_formats_and_cases_are_mixed(folder):
    pq.write_table(pa.table({"x": [7.0], "y": ["v"]}), folder / "D.PARQUET")
    (folder / "E.CSV").write_text("x,y\n8,u\n")
    assert sorted(numbers(folder)) == [0, 1, 2, 7, 8]


def test_files_that_grow_or_vanish_between_passes_are_named(folder):
    for change in (lambda path: path.write_text("x,y\n1,u\n2,u\n"), lambda path: path.unlink()):
        source = open_source(folder)
        list(source.chunks(["x"]))
        change(folder / "sub" / "b.csv")
        with pytest.raises(SourceError, match=r"b\.csv: (files must stay|every part)"):
            list(source.chunks(["x"]))


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_pipe_is_refused_instead_of_waited_for(folder):
    os.mkfifo(folder / "d.csv")
    for source in (*sources(folder)[:2], folder / "d.csv"):
        with pytest.raises(
            SourceError,
            match=r"d\.csv: a source must be a regular file.*Got a pipe, socket or device",
        ):
            open_source(source)
