"""One table, three libraries: each must show the same cells."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayfold.core.frames import output
from bayfold.core.frames.output import Categories, make_frame
from bayfold.errors import ColumnTypeError

LIBRARIES = ["arrow", "pandas", "polars"]
COLUMNS = {
    "number": np.array([1.5, np.nan, -2.0]),
    "whole": np.array([1, 2, 3]),
    "text": np.array(["a", None, "b,c"], dtype=object),
    "text_with_nan": ["x", float("nan"), "y"],
    "fixed_width": np.array(["aa", "b", ""]),
    "flag": np.array([True, None, False], dtype=object),
    "kind": Categories(np.array([2, -1, 0]), ["low", "middle", "high"]),
}
CELLS = {
    "number": [1.5, None, -2.0],
    "whole": [1, 2, 3],
    "text": ["a", None, "b,c"],
    "text_with_nan": ["x", None, "y"],
    "fixed_width": ["aa", "b", ""],
    "flag": [True, None, False],
    "kind": ["high", None, "low"],
}


def cells_of(frame):
    if isinstance(frame, pa.Table):
        return frame.to_pydict()
    if isinstance(frame, pl.DataFrame):
        return frame.to_dict(as_series=False)
    return {n: [None if pd.isna(v) else v for v in frame[n].tolist()] for n in frame.columns}


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_shows_the_same_cells(library):
    assert cells_of(make_frame(COLUMNS, library)) == CELLS


@pytest.mark.parametrize("library", LIBRARIES)
def test_categories_keep_every_label_in_order(library):
    column = make_frame({"kind": COLUMNS["kind"]}, library)["kind"]
    labels = {
        "arrow": lambda: column.chunk(0).dictionary.to_pylist(),
        "pandas": lambda: list(column.cat.categories),
        "polars": lambda: column.dtype.categories.to_list(),
    }[library]()
    assert labels == ["low", "middle", "high"]


def test_arrow_types_are_the_plain_ones():
    types = [str(t) for t in make_frame(COLUMNS, "arrow").schema.types]
    dictionary = "dictionary<values=string, indices=int32, ordered=0>"
    assert types == ["double", "int64", "string", "string", "string", "bool", dictionary]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("columns", [{}, {"a": np.empty(0)}, {"k": Categories([], ["x"])}])
def test_empty_tables(library, columns):
    frame = make_frame(columns, library)
    assert (len(frame), list(cells_of(frame))) == (0, list(columns))


def test_categories_do_not_follow_their_source():
    codes = np.array([0, 1])
    column = Categories(codes, ["a", "b"])
    codes[0] = 1
    assert column.values().tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="read-only"):
        column.codes[0] = 1


@pytest.mark.parametrize(
    ("codes", "labels", "message"),
    [
        ([2], ["a", "b"], "must have codes from -1 to the .* label. Got 2"),
        ([-2], ["a"], "must have codes from -1 to the .* label. Got -2"),
        ([2**32], ["a"], "must have codes from -1 to the .* label. Got 4294967296"),
        ([0.5], ["a"], "must have one-dimensional integer codes"),
        ([[0]], ["a"], "must have one-dimensional integer codes"),
        ([0], ["a", "b", "a"], "must have labels that are all distinct. Got 'a'"),
        ([0], [1], "must have labels that are strings. Got 1"),
    ],
)
def test_categories_refuse(codes, labels, message):
    with pytest.raises(ValueError, match=message):
        Categories(codes, labels)


def test_unknown_library():
    with pytest.raises(
        ValueError, match=r"`library` must be one of .*'arrow', 'pandas', 'polars'.*Got 'dask'"
    ):
        make_frame({}, "dask")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_library_not_installed(library, monkeypatch):
    def refuse(package):
        raise ImportError(package)

    monkeypatch.setattr(output, "import_module", refuse)
    with pytest.raises(ImportError, match=f"Run `pip install {library}`"):
        make_frame({"a": [1]}, library)


def test_unequal_lengths():
    with pytest.raises(ValueError, match=r"equally long. Got lengths {'a': 1, 'b': 2}"):
        make_frame({"a": [1], "b": [1, 2]}, "arrow")


@pytest.mark.parametrize("column", [[1, "a"], np.zeros((2, 2)), np.array([{}, 1], object), 3])
def test_unreadable_column_is_named(column):
    with pytest.raises(ColumnTypeError, match=r"`columns\['bad'\]` must be one-dimensional"):
        make_frame({"bad": column}, "arrow")


def test_import_is_lazy():
    code = (
        "import sys, bayfold.core.frames.output, bayfold.datasets;"
        "print(sorted({'pyarrow', 'pandas', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
