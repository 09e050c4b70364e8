"""Blocks of rows give out columns, whatever the width of their codes."""

from __future__ import annotations

import numpy as np

from bayfold.core.frames import Table, read_table
from bayfold.core.frames.columns import LabelColumn, number_column
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import Coder, RowBlock, infer_schema


def make_block():
    rng = np.random.default_rng(0)
    n = 600
    labels = [f"{k:03}" for k in range(n)]
    columns = (
        LabelColumn("few", rng.integers(-1, 3, n).astype(np.int32), ["a", "b", "c"]),
        LabelColumn("many", np.arange(n, dtype=np.int32), labels),
        number_column("number", rng.normal(size=n)),
    )
    table = Table(columns, n, ("few", "many", "number"))
    schema = infer_schema(table)
    return table, Coder(schema).open(table).block(0, n)


def test_columns_come_in_the_order_of_the_table():
    table, block = make_block()
    few, many, number = block.columns()
    np.testing.assert_array_equal(
        few, np.where(table.columns[0].indices < 0, MISSING, table.columns[0].indices + FIRST_BIN)
    )
    np.testing.assert_array_equal(many, np.arange(600) + FIRST_BIN)
    edges = block.schema.columns[2].edges
    expected = np.searchsorted(edges, table.columns[2].numbers(0, 600), side="right") + FIRST_BIN
    np.testing.assert_array_equal(number, expected)
    assert block.schema.places == [(0, 1), (1, 0), (0, 0)]


def test_codes_are_views_and_some_rows_are_a_block_again():
    _, block = make_block()
    rows = np.array([5, 2, 2])
    part = block.take(rows)
    for j in range(3):
        np.testing.assert_array_equal(part.codes(j), block.codes(j)[rows])
        part.codes(j)[:] = 7
    assert (part.narrow == 7).all()
    assert (part.wide == 7).all()


def test_rows_of_nothing_are_missing():
    schema = infer_schema(read_table(np.arange(6.0).reshape(3, 2)))
    block = RowBlock.of_nothing(schema, 4)
    assert block.n_rows == 4
    assert np.isnan(block.values).all()
    assert (block.narrow == MISSING).all()
