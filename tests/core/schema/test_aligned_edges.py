"""Edges where cells of the encoder's grid begin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold import NaiveBayesClassifier
from bayfold.core import kernels
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NumericColumn
from bayfold.core.schema.edges import MOST_MOVED, align_edges, find_fine_edges
from bayfold.core.schema.grids import Grids, find_scale
from bayfold.core.schema.infer import infer_numeric
from tests import reference


def draw_values(seed, n_values, kind, shift):
    rng = np.random.default_rng(seed)
    draw = {"normal": rng.normal, "uniform": rng.random, "skewed": rng.lognormal}[kind]
    values = draw(size=n_values) + shift
    return np.unique(np.round(values, 1) if seed % 3 == 0 else values)


tables = st.builds(
    draw_values,
    st.integers(0, 1000),
    st.integers(300, 600),
    st.sampled_from(["normal", "uniform", "skewed"]),
    st.sampled_from([0.0, 3.0, -1e6, 1e-3]),
)


@settings(max_examples=30)
@given(tables, st.sampled_from([20, 254]), st.sampled_from([MOST_MOVED, 0.9]))
def test_edges_are_moved_as_by_the_twin(values, n_bins, most_moved):
    weights = np.random.default_rng(len(values)).integers(1, 4, len(values)).astype(float)
    edges, _ = find_fine_edges(values, weights, max_bins=n_bins)
    scale, starts = find_scale(edges), np.empty_like(edges)
    is_possible = kernels.move_to_cells(edges, scale, values, weights, most_moved, starts)
    expected = reference.move_to_cells(edges, scale, values, weights, most_moved)
    assert is_possible == (expected is not None)
    if expected is not None:
        np.testing.assert_array_equal(starts, expected)


@settings(max_examples=30)
@given(tables, st.integers(0, 1000))
def test_aligned_columns_are_coded_by_their_edges(values, seed):
    edges, _ = find_fine_edges(values, np.ones(len(values)), max_bins=30)
    aligned = align_edges(edges, values, np.ones(len(values)))
    grids = Grids([aligned])
    assert grids.is_aligned[0] or aligned is edges
    near = [np.nextafter(aligned, -np.inf), aligned, np.nextafter(aligned, np.inf), [np.nan, 0.0]]
    x = np.random.default_rng(seed).permutation(np.concatenate([*near, values]))
    codes, span = np.empty((len(x), 1), np.uint8), (np.array([np.inf]), np.array([-np.inf]))
    grids.encode(x[:, None], codes, *span)
    expected = FIRST_BIN + np.searchsorted(aligned, x, side="right")
    np.testing.assert_array_equal(codes[:, 0], np.where(np.isnan(x), 0, expected))


def test_edges_of_a_large_table_are_aligned_and_hardly_moved():
    values = np.unique(np.random.default_rng(0).normal(size=20_000))
    edges, _ = find_fine_edges(values, np.ones(len(values)))
    aligned = align_edges(edges, values, np.ones(len(values)))
    assert Grids([aligned]).is_aligned[0]
    assert not Grids([edges]).is_aligned[0]
    shares = np.diff(np.searchsorted(values, aligned)) / (len(values) / (len(edges) + 1))
    assert abs(shares - 1).max() <= 2 * MOST_MOVED


def test_a_value_that_many_rows_have_keeps_its_side_of_the_edge():
    # the edge at 1/3 is nearer to the beginning of a cell below the heavy value beside it
    values = np.sort(np.append(np.linspace(0.0, 1.0, 1001), [0.2501, 0.7501]))
    weights = np.where(np.isin(values, [0.2501, 0.7501]), 500.0, 1.0)
    edges, _ = find_fine_edges(values, weights, max_bins=40)
    aligned = align_edges(edges, values, weights)
    heavy = np.array([0.2501, 0.7501])
    np.testing.assert_array_equal(
        np.searchsorted(aligned, heavy, side="right"), np.searchsorted(edges, heavy, side="right")
    )


def test_a_table_that_is_seen_whole_keeps_its_midpoints():
    values = np.random.default_rng(1).normal(size=20_000)
    whole = infer_numeric("x", values, None)
    part = infer_numeric("x", values, None, is_part=True)
    assert not np.array_equal(whole.edges, part.edges)
    distinct = np.unique(values)
    inside = np.searchsorted(distinct, whole.edges)
    np.testing.assert_allclose(whole.edges, (distinct[inside - 1] + distinct[inside]) / 2)


@pytest.mark.parametrize("edges", [[], [2.0], [0.0, 5e-324], [-1e308, 1e308]])
def test_few_and_odd_edges_stay(edges):
    edges = np.array(edges, float)
    values = np.array([-1e308, 0.0, 1e308])
    np.testing.assert_array_equal(align_edges(edges, values, np.ones(3)), edges)
    assert Grids([edges]).edges.shape[0] == 1


def test_aligned_edges_make_no_worse_model():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 60_000)
    X = rng.normal(size=(len(y), 3)) + 0.7 * y[:, None]
    model = NaiveBayesClassifier().fit(X[:30_000], y[:30_000])
    assert model.schema_.grids.is_aligned.all()
    assert isinstance(model.schema_.columns[0], NumericColumn)
    # the best there is: the classes are normal with equal variances
    odds = 0.7 * (X[30_000:] - 0.35).sum(axis=1)
    best = np.mean(np.log1p(np.exp(np.where(y[30_000:] == 1, -odds, odds))))
    p = model.predict_proba(X[30_000:])[np.arange(30_000), y[30_000:]]
    assert -np.log(p).mean() < best + 0.002
