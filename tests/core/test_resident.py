"""Pages of scratch files leave memory, and nothing else changes."""

from __future__ import annotations

import mmap
import time
from pathlib import Path

import numpy as np
import pytest

from bayfold.core import long_arrays
from bayfold.core.engine.row_store import RowStore
from bayfold.core.engine.scratch import arrays_on_disk, map_new_file

pytestmark = pytest.mark.skipif(
    not hasattr(mmap, "MADV_DONTNEED") or not Path("/proc/self/statm").exists(),
    reason="this system does not say how much is resident",
)
SIZE = 1 << 24


def test_what_was_written_is_there_after_its_pages_were_let_go(tmp_path):
    with arrays_on_disk(tmp_path, in_memory=0):
        array = np.arange(SIZE // 8)
        store = RowStore(tmp_path)
        store.append("x", np.arange(1000.0))
        (stored,) = store.parts()["x"]
        long_arrays.release_pages()
        np.testing.assert_array_equal(array, np.arange(SIZE // 8))
        np.testing.assert_array_equal(stored, np.arange(1000.0))


def test_pages_are_let_go_when_they_are_many(tmp_path, monkeypatch):
    monkeypatch.setattr(long_arrays, "RESIDENT_PAGES", 0)
    with arrays_on_disk(tmp_path, in_memory=0):
        before = long_arrays.count_resident_bytes()
        array = np.ones(SIZE // 8)
        give_up = time.monotonic() + 30
        while long_arrays.count_resident_bytes() > before and time.monotonic() < give_up:
            sum(range(10_000))  # the thread goes by the time that is worked
        assert long_arrays.count_resident_bytes() <= before
        assert array.sum() == SIZE // 8


def test_pages_are_let_go_between_pieces_without_the_thread(tmp_path, monkeypatch):
    monkeypatch.setattr(long_arrays, "RESIDENT_PAGES", 0)
    monkeypatch.setattr(long_arrays, "LOOK_EVERY", 1000.0)
    monkeypatch.setattr(long_arrays, "PIECE_ROWS", SIZE // 8 // 16)
    with arrays_on_disk(tmp_path, in_memory=0):
        before = long_arrays.count_resident_bytes()
        array, most = np.empty(SIZE // 8), 0
        for piece in long_arrays.cut_pieces(len(array)):
            array[piece] = 1.0
            most = max(most, long_arrays.count_resident_bytes() - before)
        assert SIZE // 16 <= most <= SIZE // 4
        assert long_arrays.count_resident_bytes() <= before
        assert long_arrays.sum_rows(array) == SIZE // 8


def test_without_a_limit_nothing_is_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(long_arrays, "release_pages", lambda: pytest.fail("no fit is under way"))
    assert long_arrays.fill_rows(10, 1.0).sum() == 10.0


def test_a_file_that_was_closed_is_no_trouble(tmp_path):
    mapping = map_new_file(tmp_path, SIZE)
    mapping.close()
    long_arrays.release_pages()
