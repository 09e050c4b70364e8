"""Large arrays in files: what they hold, where they are, and that nothing is left of them."""

from __future__ import annotations

import errno
import gc
import os
from contextvars import copy_context

import numpy as np
import pytest

from bayfold.core.engine import map_in_threads, scratch
from bayfold.core.engine.row_store import RowStore, StoredNumbers
from bayfold.core.engine.scratch import LARGE_ARRAY, arrays_on_disk
from bayfold.errors import SourceError

N = LARGE_ARRAY // 8


def _n_files() -> int:
    gc.collect()
    return len(scratch._IN_FILES)


def test_a_large_array_is_a_file_that_goes_with_it(tmp_path):
    before = _n_files()
    with arrays_on_disk(tmp_path, in_memory=0):
        large, small = np.arange(N, dtype=np.float64), np.arange(9)
        assert _n_files() == before + 1
        assert not np.zeros(N).any()
        view = large[5:]
    assert view[0] == 5.0
    assert small.sum() == 36
    assert large.sum() == N * (N - 1) / 2
    assert os.listdir(tmp_path) == []
    del large
    assert _n_files() == before + 1  # the view needs it
    del view
    assert _n_files() == before


def test_memory_is_used_first_and_again(tmp_path):
    before = _n_files()
    with arrays_on_disk(tmp_path, in_memory=3 * LARGE_ARRAY // 2):
        first = np.ones(N)
        second = np.ones(N)
        assert _n_files() == before + 1
        del first
        third = np.ones(N)
        assert _n_files() == before + 1
        assert (second + third).sum() == 2 * N


def test_files_are_used_again_and_zeros_are_zeros(tmp_path, monkeypatch):
    made, make = [], scratch.map_new_file
    monkeypatch.setattr(scratch, "map_new_file", lambda *a: made.append(1) or make(*a))
    with arrays_on_disk(tmp_path, in_memory=0):
        for k in range(5):
            assert np.full(N, k + 1.0)[-1] == k + 1.0
            assert not np.zeros(N - 7).any()
        assert sum(made) == 1
        shorter = np.ones(N)
        assert len(np.zeros(2 * N)) == 2 * N
        assert sum(made) == 2
    assert shorter.sum() == N
    assert os.listdir(tmp_path) == []


def test_a_disk_full_of_files_that_wait_has_room(tmp_path, monkeypatch):
    waiting, make = [], scratch.map_new_file

    def make_one(folder, size):
        if any(not mapping.closed for mapping in waiting):
            raise OSError(errno.ENOSPC, "No space left on device")
        waiting.append(make(folder, size))
        return waiting[-1]

    monkeypatch.setattr(scratch, "map_new_file", make_one)
    with arrays_on_disk(tmp_path, in_memory=0):
        np.ones(N)
        assert np.ones(3 * N).sum() == 3 * N


def test_arrays_grow_and_shrink(tmp_path):
    with arrays_on_disk(tmp_path, in_memory=0):
        array = np.arange(N)
        array.resize(2 * N, refcheck=False)
        assert array[N - 1] == N - 1
        assert not array[N:].any()
        array.resize(10, refcheck=False)
        assert array.tolist() == list(range(10))
        array.resize(2 * N, refcheck=False)
        assert array[:11].tolist() == [*range(10), 0]
    in_memory = np.fromiter(range(N + 1), np.int64)
    assert in_memory[-1] == N


def test_arrays_grow_and_shrink_after_the_fit(tmp_path):
    with arrays_on_disk(tmp_path, in_memory=0):
        growing, shrinking = np.arange(N, dtype=np.float64), np.arange(N, dtype=np.float64)
    growing.resize(2 * N, refcheck=False)
    shrinking.resize(10, refcheck=False)
    assert np.array_equal(growing[:N], np.arange(N))
    assert np.array_equal(shrinking, np.arange(10))


def test_threads_that_work_for_a_fit_use_its_files(tmp_path):
    before = _n_files()
    with arrays_on_disk(tmp_path, in_memory=0):
        made = map_in_threads(lambda k: np.full(N, k), range(3), 2)
        assert _n_files() == before + 3
    assert [part[-1] for part in made] == [0, 1, 2]


def test_others_are_not_touched(tmp_path):
    before = _n_files()
    elsewhere = copy_context()
    with arrays_on_disk(tmp_path, in_memory=0):
        assert elsewhere.run(np.ones, N).sum() == N
        assert _n_files() == before
    np.ones(N)
    assert _n_files() == before


def test_a_full_disk_is_an_error_and_not_the_end(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(scratch, "_reserve", fail)
    message = r"`scratch` must name a folder with room.*No space left"
    with pytest.raises(SourceError, match=message), arrays_on_disk(tmp_path, in_memory=0):
        np.ones(N)
    assert os.listdir(tmp_path) == []
    np.ones(N)


def test_an_interrupt_while_a_file_is_made_is_an_interrupt(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(scratch, "_reserve", interrupt)
    with pytest.raises(KeyboardInterrupt), arrays_on_disk(tmp_path, in_memory=0):
        np.ones(N)


def test_too_much_memory_is_still_too_much(tmp_path):
    with pytest.raises(SourceError, match="room"), arrays_on_disk(tmp_path):
        np.empty(1 << 58, np.uint8)


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(SourceError, match="`scratch` must name a folder"),
        arrays_on_disk(tmp_path / "file"),
    ):
        pass


def test_numbers_are_read_as_they_were_written(tmp_path):
    store = RowStore(tmp_path)
    parts = [np.arange(5, dtype=np.float32), np.array([0.1, np.nan, 3.0]), np.arange(4.0)]
    for part in parts:
        store.append("u", part)
        store.append("v", np.arange(len(part), dtype=np.int8))
    whole = np.concatenate(parts).astype(float)
    found = store.parts()
    read = StoredNumbers(found["u"], np.array([0, 5, 8, 12]))
    for start in range(13):
        for stop in range(start, 13):
            np.testing.assert_array_equal(read(start, stop), whole[start:stop])
    assert np.concatenate(found["v"]).tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 0, 1, 2, 3]
