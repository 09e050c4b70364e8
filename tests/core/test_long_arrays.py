"""Steps a piece at a time: what NumPy finds in all rows at once, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from bayfold.core import long_arrays

SIZES = [1, 2, 7, 8, 9, 300, 1023, 5000]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(long_arrays, "PIECE_ROWS", 128)


@pytest.fixture
def numbers(n_rows):
    return np.random.default_rng(n_rows).lognormal(size=n_rows)


@pytest.mark.parametrize("n_rows", [0, *SIZES])
def test_pieces_are_all_rows_in_order(n_rows):
    pieces = [np.arange(n_rows)[piece] for piece in long_arrays.cut_pieces(n_rows)]
    assert np.concatenate([[], *pieces]).tolist() == list(range(n_rows))
    assert all(0 < len(piece) <= 128 for piece in pieces)


@pytest.mark.parametrize("n_rows", SIZES)
def test_numbers_are_added_up_as_numpy_does(numbers, n_rows):
    assert long_arrays.sum_rows(numbers) == numbers.sum()
    assert long_arrays.find_range(numbers) == (numbers.min(), numbers.max())
    places = np.random.default_rng(1).integers(0, 5, n_rows)
    counted = long_arrays.count_by(places, numbers, 6)
    np.testing.assert_array_equal(counted, np.bincount(places, numbers, 6))
    counted = long_arrays.count_by(places, None, 6)
    np.testing.assert_array_equal(counted, np.bincount(places, minlength=6))


@pytest.mark.parametrize("n_rows", SIZES)
def test_rows_are_taken_and_filled(numbers, n_rows):
    rows = np.random.default_rng(1).integers(0, n_rows, 500)
    table = np.stack([numbers, -numbers], axis=1)
    np.testing.assert_array_equal(long_arrays.take_in_pieces(table, rows), table[rows])
    np.testing.assert_array_equal(long_arrays.take_in_pieces(numbers, rows), numbers[rows])
    for step in (1, 3, 200):
        np.testing.assert_array_equal(long_arrays.take_every(table, step), table[::step])
    np.testing.assert_array_equal(long_arrays.fill_rows(n_rows, 2.5), np.full(n_rows, 2.5))
