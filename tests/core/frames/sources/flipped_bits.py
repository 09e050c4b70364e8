"""Fits of damaged Arrow files in a process that may crash: ``flipped_bits.py FOLDER STEP`` flips every STEP-th bit."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather

from bayfold import NaiveBayesClassifier
from bayfold.core.frames.files import read_file

N = 24
WORDS = [None if k % 7 == 0 else "some words " + "abc"[k % 3] * (k % 4 + 8) for k in range(N)]
CODES = pa.array([k % 3 for k in range(N)], pa.int8())
COLUMNS = {
    "strings": pa.array(WORDS),
    "large": pa.array(WORDS, pa.large_string()),
    "views": pa.array(WORDS, pa.string_view()),
    "labels": pa.array(WORDS).dictionary_encode(),
    "view_labels": pa.DictionaryArray.from_arrays(CODES, pa.array(WORDS[1:4], pa.string_view())),
    "bytes": pa.array([None if word is None else word.encode() for word in WORDS]),
    "lists": pa.array([[1, 2], [3]] * (N // 2)),
    "nulls": pa.nulls(N),
    "times": pa.array(range(N), pa.timestamp("ns", "Europe/Berlin")),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([9, N], pa.int32()), pa.array(["a", "b"])),
}
NUMBERS = {"x": pa.array([None if k % 5 == 0 else float(k) for k in range(N)])}
TARGET = {"y": pa.array(["no" if k % 2 else "yes" for k in range(N)])}


def write_file(table, path):
    feather.write_feather(table, path, compression="uncompressed")


def write_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as sink:
        sink.write_table(table, max_chunksize=10)


def fit_source(path):
    NaiveBayesClassifier().fit_source(path, "y", progress=False)


def fit_file(path):
    file = read_file(str(path))
    if "y" in file.names:
        fit_table(file.frame)


def fit_memory(path):
    """The table as Arrow hands it out, without a look at it."""
    data = path.read_bytes()
    opens = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
    try:
        table = opens(pa.BufferReader(data)).read_all()
        str(table.schema)
    except (pa.ArrowException, OSError, ValueError):
        return
    if "y" in table.column_names:
        fit_table(table)


def fit_table(table):
    features = table.select([name for name in table.column_names if name != "y"])
    NaiveBayesClassifier().fit(features, table["y"]).predict(features)


def main(folder, step):
    warnings.simplefilter("ignore")
    path = folder / "a.arrow"
    for kind, column in COLUMNS.items():
        for write in (write_file, write_stream):
            write(pa.table({**NUMBERS, kind: column, **TARGET}), path)
            content = path.read_bytes()
            for number, bit in enumerate(range(0, 8 * len(content), step)):
                damaged = bytearray(content)
                damaged[bit // 8] ^= 1 << bit % 8
                path.write_bytes(damaged)
                fit = (fit_source, fit_file, fit_memory)[number % 3]
                print(kind, write.__name__, fit.__name__, bit, flush=True)
                try:
                    fit(path)
                except (ValueError, TypeError) as error:
                    if "must" not in str(error):
                        raise
    print("done")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
