"""What coding takes time to prepare is kept with the schema, and goes with it."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np

from bayfold.core.frames import read_table
from bayfold.core.schema import Coder, infer_schema


def code(schema, table):
    return Coder(schema).open(table).block(0, table.n_rows).narrow


def test_every_schema_codes_by_its_own_edges():
    table = read_table(np.arange(40.0).reshape(20, 2))
    other = read_table(10 * np.arange(40.0).reshape(20, 2))
    first, second = infer_schema(table), infer_schema(other)
    assert first.grids is first.grids
    own = code(second, other)
    np.testing.assert_array_equal(code(first, table), own)
    assert (code(first, other) != own).any()
    np.testing.assert_array_equal(code(second, other), own)


def test_no_schema_outlives_its_models():
    table = read_table(np.arange(40.0).reshape(20, 2))
    schema = infer_schema(table)
    code(schema, table)
    seen = weakref.ref(schema)
    del schema
    gc.collect()
    assert seen() is None


def test_a_pickled_schema_holds_nothing_that_can_be_worked_out_again():
    table = read_table(np.arange(40.0).reshape(20, 2))
    fresh, used = infer_schema(table), infer_schema(table)
    expected = code(used, table)
    assert len(pickle.dumps(used)) == len(pickle.dumps(fresh))
    np.testing.assert_array_equal(code(pickle.loads(pickle.dumps(used)), table), expected)
