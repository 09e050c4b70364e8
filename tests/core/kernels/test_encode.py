"""The encoder and its grid against counting the edges at or below each value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bayfold.core import kernels
from bayfold.core.kernels.encode import FIRST_BIN, MISSING, NARROW_BINS
from bayfold.core.schema import NumericColumn, Schema
from bayfold.core.schema.coding import Coder
from tests import reference

TINY, HUGE = 5e-324, np.finfo(float).max
finite = st.floats(allow_nan=False, allow_infinity=False)


def encode(values, edges_of_columns):
    columns = tuple(NumericColumn(f"x{j}", edges) for j, edges in enumerate(edges_of_columns))
    coder = Coder(Schema(columns))
    codes = np.full(values.shape, 99, np.uint8)
    minimum, maximum = coder.new_ranges()
    coder.schema.grids.encode(values, codes, minimum, maximum)
    return codes, minimum, maximum


def assert_encodes_like_the_twin(values, edges_of_columns):
    got = encode(values, edges_of_columns)
    expected = reference.encode_rows(values, edges_of_columns)
    for found, wanted in zip(got, expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def probes(edges):
    """NaN, the ends of the number line, every edge, and its two neighbours."""
    inner = [np.nan, 0.0, -0.0, TINY, -TINY, HUGE, -HUGE, 1e300, -1e300]
    with np.errstate(over="ignore"):
        near = [np.nextafter(edges, -np.inf), edges, np.nextafter(edges, np.inf)]
    found = np.concatenate([inner, *near])
    return np.where(np.isinf(found), HUGE, found)


edge_lists = st.lists(finite, max_size=12).map(lambda found: np.unique(np.array(found, float)))


@given(st.lists(edge_lists, min_size=1, max_size=3), st.lists(finite, max_size=5))
@example([np.array([-HUGE, HUGE])], [0.0])
@example([np.array([0.0, TINY])], [TINY])
@example([np.array([-TINY, 0.0, TINY, 1.0])], [0.5])
@example([np.array([-HUGE, -1.0, 0.0, 1.0, HUGE]), np.empty(0)], [1e308])
@example([np.empty(0)], [])
@example([np.array([3.0])], [])
def test_any_edges_and_values_on_and_beside_them(edges_of_columns, others):
    columns = [np.concatenate([probes(edges), others]) for edges in edges_of_columns]
    longest = max(map(len, columns))
    values = np.stack([np.resize(column, longest) for column in columns], axis=1)
    assert_encodes_like_the_twin(values, edges_of_columns)


CROWDED = {
    "uniform": np.linspace(-1.0, 1.0, NARROW_BINS - 1),
    "geometric": np.geomspace(1e-300, 1e300, NARROW_BINS - 1),
    "all in the first cell but one": np.append(np.linspace(0.0, 1e-9, NARROW_BINS - 2), 1.0),
    "all in the last cell but one": np.append(0.0, np.linspace(1.0 - 1e-9, 1.0, NARROW_BINS - 2)),
    "neighbouring floats": 1.0 + np.arange(NARROW_BINS - 1) * np.finfo(float).eps,
    "denormals": np.arange(NARROW_BINS - 1) * TINY,
    "two ends of the line": np.array([-HUGE, -1e-300, 0.0, 1e-300, HUGE]),
    "exactly on the cells": np.arange(0.0, 2049.0, 16.0),
}


@pytest.mark.parametrize("edges", CROWDED.values(), ids=CROWDED.keys())
def test_grids_that_no_uniform_cell_suits(edges):
    between = edges[:-1] + np.diff(edges / 2) if len(edges) > 5 else edges
    values = np.concatenate([probes(edges), between])[:, None]
    assert_encodes_like_the_twin(values, [edges])


def test_crowded_and_sparse_columns_side_by_side():
    rng = np.random.default_rng(0)
    edges = [*CROWDED.values(), np.array([0.25]), np.empty(0)]
    values = np.concatenate(
        [rng.normal(size=(30, len(edges))), rng.lognormal(0, 9, (30, len(edges)))]
    )
    values[rng.random(values.shape) < 0.1] = np.nan
    assert_encodes_like_the_twin(values, edges)


def test_the_largest_code_fits_one_byte():
    edges = np.arange(1.0, NARROW_BINS)
    codes, _, _ = encode(np.array([[0.0], [1e9], [np.nan]]), [edges])
    assert codes.ravel().tolist() == [FIRST_BIN, 255, MISSING]


def test_no_rows_and_all_missing_leave_the_range_empty():
    for values in (np.empty((0, 1)), np.full((3, 1), np.nan)):
        codes, minimum, maximum = encode(values, [np.array([0.0])])
        assert (codes == MISSING).all()
        assert (minimum[0], maximum[0]) == (np.inf, -np.inf)


def test_ranges_are_widened_not_replaced():
    coder = Coder(Schema((NumericColumn("x", np.array([0.0])),)))
    codes, minimum, maximum = np.zeros((1, 1), np.uint8), np.array([-5.0]), np.array([5.0])
    coder.schema.grids.encode(np.array([[7.0]]), codes, minimum, maximum)
    assert (minimum[0], maximum[0]) == (-5.0, 7.0)


def test_columns_of_codes_behind_the_numbers_stay_as_they_are():
    rng = np.random.default_rng(0)
    values, edges = rng.normal(size=(1000, 3)), [np.linspace(-2.0, 2.0, n) for n in (1, 9, 200)]
    grids = Schema(tuple(NumericColumn(f"x{j}", e) for j, e in enumerate(edges))).grids
    codes = np.full((1000, 5), 99, np.uint8)
    grids.encode(values, codes, np.full(3, np.inf), np.full(3, -np.inf))
    np.testing.assert_array_equal(codes[:, :3], reference.encode_rows(values, edges)[0])
    assert (codes[:, 3:] == 99).all()


@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]), st.integers(0, 1100))
def test_columns_are_coded_as_by_the_twin(seed, dtype, n_rows):
    rng = np.random.default_rng(seed)
    edges = [np.linspace(-2.0, 2.0, 33), np.sort(rng.normal(size=5).round(2)), np.empty(0)]
    edges = [np.unique(e) for e in edges]
    values = rng.normal(size=(3, n_rows)).astype(dtype)
    values[rng.random(values.shape) < 0.1] = np.nan
    values[:, : len(edges[0])] = edges[0][:n_rows]  # on an edge
    *grids, crowded = Schema(
        tuple(NumericColumn(f"x{j}", e) for j, e in enumerate(edges))
    ).grids.arrays
    if len(crowded):  # which is not for this kernel
        return
    codes, ranges = np.full((n_rows, 4), 99, np.uint8), (np.full(3, np.inf), np.full(3, -np.inf))
    kernels.encode_columns(values, *grids, codes, *ranges)
    expected = reference.encode_columns(values, edges)
    np.testing.assert_array_equal(codes[:, :3], expected[0])
    np.testing.assert_array_equal(ranges, expected[1:])
    assert (codes[:, 3] == 99).all()
