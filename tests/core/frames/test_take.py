"""Rows of a table: any rows, in any order, more than once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.frames.read import read_table

N = 7
FRAME = pd.DataFrame({"a": np.arange(N), "b": list("uvwxyzu"), "c": np.linspace(0, 1, N)})
TABLES = {
    "pandas": FRAME,
    "arrow": pa.table({"a": range(N), "b": list("uvwxyzu"), "c": np.linspace(0, 1, N)}),
    "array": FRAME[["a", "c"]].to_numpy(),
}


@pytest.mark.parametrize("kind", TABLES)
@given(rows=st.lists(st.integers(0, N - 1), max_size=20))
def test_rows_come_in_the_order_asked_for(kind, rows):
    table = read_table(TABLES[kind])
    taken = table.take(np.array(rows, np.int64))
    assert taken.n_rows == len(rows)
    np.testing.assert_array_equal(taken.columns[0].numbers(0, len(rows)), rows)
    expected = FRAME["c"].to_numpy()[np.array(rows, np.int64)]
    np.testing.assert_array_equal(taken.columns[-1].numbers(0, len(rows)), expected)
