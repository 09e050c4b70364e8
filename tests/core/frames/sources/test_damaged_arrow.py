"""Arrow memory from outside is looked at before it is used: damage is an error, not a crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from bayfold import NaiveBayesClassifier
from bayfold.core.frames.files import read_file
from bayfold.core.frames.sources import open_source
from bayfold.errors import DatasetError, SourceError

STEP = 1009
"""Bits from one flip to the next, a prime: about 190 flips in all."""


def run(*command):
    return subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, timeout=600
    )


def test_a_flipped_bit_is_an_error_or_a_model(tmp_path):
    done = run(Path(__file__).with_name("flipped_bits.py"), tmp_path, STEP)
    assert done.stdout.splitlines()[-1] == "done", (done.returncode, done.stderr, done.stdout[-99:])


def damaged_strings():
    """Strings with an offset that leads a gigabyte beyond their bytes."""
    offsets = np.array([0, 1 << 30, 2, 3], np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"abc")]
    return pa.Array.from_buffers(pa.string(), 3, buffers)


def damaged_labels():
    indices = pa.array([0, 1, 1 << 30], pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"]), safe=False)


class Capsule:
    """Rows of another library."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def as_pandas(table):
    return pd.DataFrame(
        {
            name: pd.array(table[name], pd.ArrowDtype(table[name].type))
            for name in table.column_names
        }
    )


@pytest.mark.parametrize("cells", [damaged_strings, damaged_labels])
def test_damaged_memory_is_refused_wherever_it_comes_in(cells):
    good = pa.table({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]})
    bad = good.append_column("s", pa.chunked_array([cells()]))
    y = ["a", "b", "a"]
    model = NaiveBayesClassifier().fit(good.select(["x"]), y)
    attempts = [
        lambda: NaiveBayesClassifier().fit(bad.drop(["y"]), y),
        lambda: NaiveBayesClassifier().fit(Capsule(bad.drop(["y"])), y),
        lambda: NaiveBayesClassifier().fit(as_pandas(bad.drop(["y"])), y),
        lambda: NaiveBayesClassifier().fit(good.select(["x"]), bad["s"]),
        lambda: NaiveBayesClassifier().fit(good.select(["x"]), as_pandas(bad)["s"]),
        lambda: NaiveBayesClassifier().fit_source(bad, "y", progress=False),
        lambda: NaiveBayesClassifier().fit_source(Capsule(bad), "y", progress=False),
        lambda: NaiveBayesClassifier().fit_source(bad.to_batches, "y", progress=False),
        lambda: model.predict(bad.select(["s"]).rename_columns(["x"])),
    ]
    for attempt in attempts:
        with pytest.raises(DatasetError, match="Arrow memory must keep the rules of its types"):
            attempt()


def test_the_command_says_which_file(tmp_path):
    path = tmp_path / "a.feather"
    table = pa.table({"s": damaged_strings(), "y": ["a", "b", "a"]})
    with pa.ipc.new_file(path, table.schema) as sink:
        sink.write_table(table)
    for option, message in (
        ("--no-stream", "a.feather: the file must be whole"),
        ("--stream", "a.feather, record batch 0: every part of the source must be readable"),
    ):
        fit = ("-m", "bayfold", "fit", path, "-t", "y", "-o", tmp_path / "m.bayfold", option)
        done = run(*fit)
        assert done.returncode == 1
        assert message in done.stderr.replace("\n", " ")


def test_a_file_read_as_a_whole_is_checked_by_the_checksums_of_its_pages(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"x": np.arange(10_000.0)})
    pq.write_table(table, path, write_page_checksum=True, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=r"a\.parquet: the file must be whole"):
        read_file(str(path))


def test_names_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "a.feather"
    feather.write_feather(pa.table({"name": [1.0]}), path, compression="uncompressed")
    path.write_bytes(path.read_bytes().replace(b"name", b"\xff\xffme"))
    with pytest.raises(DatasetError, match=r"a\.feather: the file must be whole"):
        read_file(str(path))
    with pytest.raises(ValueError, match=r"a\.feather: every part of the source must be readable"):
        NaiveBayesClassifier().fit_source(path, "name")


def test_indices_of_parquet_that_lead_out_of_their_dictionary_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"s": ["a", "b", "c"] * 40}), path, compression="none")
    content = path.read_bytes()
    chunk = pq.read_metadata(path).row_group(0).column(0)
    start = chunk.data_page_offset
    found = []
    for bit in range(8 * start, 8 * (chunk.dictionary_page_offset + chunk.total_compressed_size)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            for part in open_source(path).chunks(["s"]):
                part.data.validate(full=True)
        except SourceError as error:
            found.append(str(error))
    assert any("row group 0" in words and "out of bounds" in words for words in found)
