"""The first rows of files, given twice and read once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from bayfold.core.frames.sources import kept, open_source
from bayfold.core.frames.sources.kept import KeptFiles
from bayfold.errors import SourceError

N = 1000
ROWS = pa.table({"u": np.arange(N) / 4, "v": [f"v{k % 7}" for k in range(N)]})
NAMES = ["u", "v"]


@pytest.fixture(params=["parquet", "csv"])
def path(request, tmp_path):
    path = tmp_path / f"rows.{request.param}"
    if request.param == "parquet":
        pq.write_table(ROWS, path, row_group_size=100)
    else:
        pc.write_csv(ROWS, path)
    return path


def collect(source, **options):
    chunks = list(source.chunks(NAMES, **options))
    data = pa.concat_tables([chunk.data for chunk in chunks])
    return data.column("u").to_pylist(), data.column("v").cast(pa.string()).to_pylist()


def watch(files, monkeypatch):
    """How many rows are read of the files."""
    read, n_read = files.chunks, []

    def chunks(*arguments, **options):
        for chunk in read(*arguments, **options):
            n_read.append(chunk.n_rows)
            yield chunk

    monkeypatch.setattr(files, "chunks", chunks)
    return n_read


@pytest.mark.parametrize("room", [0, 3000, 1 << 27])
def test_every_pass_has_all_rows(path, room, monkeypatch):
    monkeypatch.setattr(kept, "MOST_KEPT_BYTES", room)
    files = open_source(path)
    source, expected = KeptFiles(files), collect(files)
    assert expected[0] == ROWS.column("u").to_pylist()
    for _ in range(3):
        assert collect(source) == expected
    for _ in range(2):
        assert collect(source, skip=150) == tuple(cells[150:] for cells in expected)


def test_what_fits_is_read_once_and_given_twice(path, monkeypatch):
    files = open_source(path)
    n_read, source = watch(files, monkeypatch), KeptFiles(files)
    first, second = collect(source), collect(source)
    assert first == second
    assert sum(n_read) == N
    assert collect(source) == first  # nothing is held for longer
    assert sum(n_read) == 2 * N


def test_only_what_was_not_kept_is_read_again(tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    pq.write_table(ROWS, path, row_group_size=100)
    files = open_source(path)
    size = next(files.chunks(NAMES)).data.nbytes
    monkeypatch.setattr(kept, "MOST_KEPT_BYTES", 3 * size)
    n_read, source = watch(files, monkeypatch), KeptFiles(files)
    assert collect(source) == collect(source)
    assert sum(n_read) == N + N - 300


@pytest.mark.parametrize("options", [{"plain": ["v"]}, {"skip": 10}])
def test_who_asks_for_something_else_gets_it(path, options, monkeypatch):
    files = open_source(path)
    expected = collect(files, **options)
    n_read, source = watch(files, monkeypatch), KeptFiles(files)
    collect(source)
    chunks = list(source.chunks(NAMES, **options))
    assert sum(n_read) > N
    assert pa.types.is_dictionary(chunks[0].data.column("v").type) == ("plain" not in options)
    assert collect(source, **options) == expected


def test_a_file_that_has_changed_is_refused(path):
    source = KeptFiles(open_source(path))
    collect(source)
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(SourceError, match="rows"):
        source.check_unchanged()
