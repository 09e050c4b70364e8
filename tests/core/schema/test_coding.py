"""Coders are shared between fits that share a schema, and only between those."""

from __future__ import annotations

import numpy as np

from bayfold.core.frames import read_table
from bayfold.core.schema import Coder, infer_schema


def code(schema, table):
    return Coder.of(schema).open(table).block(0, table.n_rows).narrow


def test_a_coder_is_made_once_for_a_schema_and_never_taken_for_another():
    table = read_table(np.arange(40.0).reshape(20, 2))
    other = read_table(10 * np.arange(40.0).reshape(20, 2))
    first, second = infer_schema(table), infer_schema(other)
    assert Coder.of(first) is Coder.of(first)
    np.testing.assert_array_equal(
        code(second, other), Coder(second).open(other).block(0, 20).narrow
    )
    np.testing.assert_array_equal(code(first, other), Coder(first).open(other).block(0, 20).narrow)
    assert (code(first, other) != code(second, other)).any()
