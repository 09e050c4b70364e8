"""Whole columns, from the table to the codes, against numpy.searchsorted."""

from __future__ import annotations

import numpy as np
import pytest

from bayfold.core.frames import read_table
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import Coder, infer_schema

N_ROWS = 30_000  # more than the sample from which edges are taken


def with_missing(values, rng):
    return np.where(rng.random(len(values)) < 0.1, np.nan, values)


def make_columns():
    rng = np.random.default_rng(20)
    normal = rng.normal(size=N_ROWS)
    return {
        "normal": normal,
        "far from zero": 1e12 + normal,
        "lognormal": rng.lognormal(0.0, 3.0, N_ROWS),
        "very skewed": rng.lognormal(0.0, 80.0, N_ROWS),
        "cauchy": rng.standard_cauchy(N_ROWS),
        "few integers": rng.integers(-5, 6, N_ROWS).astype(float),
        "many integers": rng.integers(0, 10_000, N_ROWS).astype(float),
        "constant": np.full(N_ROWS, 3.5),
        "mostly zero": np.where(rng.random(N_ROWS) < 0.9, 0.0, normal),
        "ties": np.round(normal, 1),
        "denormal": rng.integers(0, 400, N_ROWS) * 5e-324,
        "both ends of the line": np.where(normal > 0, 1e308, -1e308) * rng.random(N_ROWS),
        "with missing": with_missing(normal, rng),
        "ties with missing": with_missing(np.round(normal, 1), rng),
        "all missing": np.full(N_ROWS, np.nan),
    }


COLUMNS = make_columns()


def expected_codes(edges, values):
    codes = np.searchsorted(edges, values, side="right") + FIRST_BIN
    return np.where(np.isnan(values), MISSING, codes)


def codes_of(schema, matrix):
    return Coder(schema).open(read_table(matrix)).block(0, len(matrix)).narrow


@pytest.mark.parametrize("name", COLUMNS)
def test_codes_of_a_column(name):
    matrix = COLUMNS[name][:, None]
    schema = infer_schema(read_table(matrix))
    expected = expected_codes(schema.columns[0].edges, matrix[:, 0])
    np.testing.assert_array_equal(codes_of(schema, matrix)[:, 0], expected)


@pytest.mark.parametrize("name", COLUMNS)
def test_codes_on_the_edges_beside_them_and_beyond_the_range(name):
    schema = infer_schema(read_table(COLUMNS[name][:, None]))
    edges = schema.columns[0].edges
    largest = np.finfo(float).max
    beside = [np.nextafter(edges, -np.inf), edges, np.nextafter(edges, np.inf)]
    values = np.concatenate([*beside, [-largest, largest, 0.0, -0.0, np.nan]])
    codes = codes_of(schema, values[:, None])[:, 0]
    np.testing.assert_array_equal(codes, expected_codes(edges, values))
    assert codes.max() < schema.columns[0].n_codes


def test_all_columns_at_once():
    matrix = np.stack(list(COLUMNS.values()), axis=1)
    schema = infer_schema(read_table(matrix))
    codes = codes_of(schema, matrix)
    for j, column in enumerate(schema.columns):
        np.testing.assert_array_equal(codes[:, j], expected_codes(column.edges, matrix[:, j]))


@pytest.mark.parametrize("name", ["few integers", "ties", "ties with missing", "constant"])
def test_a_column_of_few_values_gives_each_its_own_code(name):
    values = COLUMNS[name][:20_000]  # of a longer table only the values in a sample have their own
    codes = codes_of(infer_schema(read_table(values[:, None])), values[:, None])[:, 0]
    known = ~np.isnan(values)
    _, rank = np.unique(values[known], return_inverse=True)
    np.testing.assert_array_equal(codes[known], rank + FIRST_BIN)
