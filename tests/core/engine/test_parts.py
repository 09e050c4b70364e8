"""Files in parts: whoever adds up, and however many parts there are, the same partitions are added in the same tree."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayfold.core.engine import ThreadEngine, TreeSum
from bayfold.core.engine.partial import reduce_part
from bayfold.core.frames.sources import chunk, open_source
from bayfold.core.frames.sources.parts import split_files

SIZE = 256
"""Rows of a partition: the fewest there are."""


class Sums(str):
    """Says what was added to what."""

    def __add__(self, other):
        return Sums(f"({self}{other})")


class NameRows:
    """A chunk by its first and last row."""

    plain = ()

    def __call__(self, chunk):
        rows = [int(row) for row in chunk.data["row"].to_pylist()]
        assert rows == list(range(rows[0], rows[0] + len(rows)))
        return Sums(f"{rows[0]}-{rows[-1]} ")

    def learn_from(self, tree):
        pass


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch):
    monkeypatch.setattr(chunk, "PARTITION_CELLS", 1)


def write_files(folder, sizes, group=10**6):
    start = 0
    for k, n in enumerate(sizes):
        table = pa.table({"row": np.arange(start, start + n)})
        pq.write_table(table, folder / f"{k:02}.parquet", row_group_size=group)
        start += n
    return open_source(folder)


def add_parts(source, n_parts):
    parts = split_files(source, SIZE, n_parts)
    tree = TreeSum()
    for part in parts:
        tree.add(reduce_part(NameRows(), pickle.loads(pickle.dumps(part)), ["row"]))
    return len(parts), tree.total()


@pytest.mark.parametrize(
    ("sizes", "group"),
    [([2800], 300), ([700, 0, 1, 900, 1100, 40], 10**6), ([256] * 8, 64), ([5], 1), ([3000], 999)],
)
def test_the_tree_does_not_depend_on_the_number_of_parts(sizes, group, tmp_path):
    source = write_files(tmp_path, sizes, group)
    whole = ThreadEngine(2).reduce(NameRows(), source, ["row"], TreeSum(), lambda *size: None)
    for n_parts in (1, 2, 3, 5, 8, 100):
        n_found, total = add_parts(source, n_parts)
        assert total.total == whole
        assert total.n_rows == sum(sizes)
        assert n_found <= 2 * n_parts + 1
    n_bytes = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert 0.9 * n_bytes <= total.n_bytes <= n_bytes


def test_a_part_knows_only_its_own_files(tmp_path):
    source = write_files(tmp_path, [1000] * 20)
    parts = split_files(source, SIZE, 10)
    assert len(parts) == 10
    assert max(len(part.source.pieces) for part in parts) <= 4
    assert len(pickle.dumps(parts[0])) < len(pickle.dumps(source)) / 3


def test_files_that_do_not_say_how_long_they_are_are_parts_themselves(tmp_path):
    for k in range(3):
        (tmp_path / f"{k}.csv").write_text(
            "row\n" + "".join(f"{300 * k + j}\n" for j in range(300))
        )
    n_parts, total = add_parts(open_source(tmp_path), 100)
    assert (n_parts, total.n_rows) == (3, 900)
