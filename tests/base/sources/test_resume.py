"""resume: an interrupted fit goes on, and no row is counted twice or lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayfold import NaiveBayesTreeClassifier
from bayfold.base.sources import resume
from bayfold.core.counts.survey import raw_rows
from bayfold.core.frames.sources import chunk
from bayfold.errors import SourceError
from tests.base.sources import killed_fit

N_KILLS = int(os.environ.get("BAYFOLD_KILLS", "2"))
"""Of a process: each takes seconds to begin. Twenty before a release."""


@pytest.fixture
def rows(tmp_path, monkeypatch):
    for module, name in ((resume, "SAVE_SECONDS"), (raw_rows, "ALL_ROWS")):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(chunk, "PARTITION_CELLS", chunk.PARTITION_CELLS)
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 8000)
    table = pa.table(
        {
            "u": rng.normal(y, 1.0),
            "v": pa.array([f"v{k}" for k in rng.integers(0, 9, 8000) + y]),
            "w": rng.random(8000),
            "y": y,
        }
    )
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=900)
    return str(tmp_path / "rows.parquet")


class Stopped(BaseException):
    """As Ctrl-C is."""


def test_a_fit_interrupted_at_any_point_ends_in_the_same_model(rows, tmp_path):
    whole = killed_fit.outcome(killed_fit.fit(rows))
    rng, folder, n_stops = np.random.default_rng(0), tmp_path / "saved", 0
    while True:
        left = rng.integers(1, 12)

        def stop(now):
            nonlocal left
            left -= 1
            if left == 0:
                raise Stopped

        try:
            model = killed_fit.fit(rows, folder, callback=stop)
            break
        except Stopped:
            n_stops += 1
    assert n_stops >= 5
    np.testing.assert_array_equal(killed_fit.outcome(model), whole)
    assert os.listdir(folder) == []


@pytest.mark.parametrize("method", killed_fit.COPYING)
def test_copied_rows_are_gone_on_with(method, rows, tmp_path):
    """Stopped while rows are copied, and once behind it: every row is read once, and copied rows are not read again."""
    whole = killed_fit.outcome(killed_fit.fit(rows, method=method), rows)
    rng, folder = np.random.default_rng(2), tmp_path / "saved"
    places, n_stops, model = [], 0, None
    while model is None:
        left = rng.integers(1, 9)

        def stop(now):
            nonlocal left
            places.append(now.rows)
            left -= 1
            if left == 0:
                raise Stopped

        try:
            model = killed_fit.fit(rows, folder, callback=stop, method=method)
        except Stopped:
            n_stops += 1
            assert sorted(os.listdir(folder)) == [resume.FILE_NAME, resume.ROWS_NAME]
    assert n_stops >= 3
    assert places == sorted(set(places))
    assert places[-1] == 8000
    np.testing.assert_array_equal(killed_fit.outcome(model, rows), whole)
    assert os.listdir(folder) == []


def test_rows_that_are_copied_whole_are_not_read_again(rows, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise Stopped

    folder, read = tmp_path / "saved", []
    whole = killed_fit.outcome(killed_fit.fit(rows, method="tree"), rows)
    with monkeypatch.context() as context:
        context.setattr(NaiveBayesTreeClassifier, "fit", stop)
        with pytest.raises(Stopped):
            killed_fit.fit(rows, folder, method="tree")
    model = killed_fit.fit(rows, folder, callback=read.append, method="tree")
    assert read == []
    np.testing.assert_array_equal(killed_fit.outcome(model, rows), whole)


def test_copied_rows_that_are_not_there_any_more_are_missed(rows, tmp_path):
    def stop(now):
        raise Stopped

    with pytest.raises(Stopped):
        killed_fit.fit(rows, tmp_path / "saved", callback=stop, method="tree")
    with (tmp_path / "saved" / resume.ROWS_NAME).open("r+b") as file:
        file.truncate(5)
    with pytest.raises(SourceError, match=r"fit\.checkpoint.*fit\.rows is shorter.*Delete it"):
        killed_fit.fit(rows, tmp_path / "saved", method="tree")
    (tmp_path / "saved" / resume.ROWS_NAME).unlink()
    with pytest.raises(SourceError, match=r"fit\.checkpoint.*Delete it to begin anew"):
        killed_fit.fit(rows, tmp_path / "saved", method="tree")


@pytest.mark.parametrize("method", ["counts", "boosting"])
def test_a_killed_process_goes_on_where_it_was(method, rows, tmp_path):
    whole = killed_fit.outcome(killed_fit.fit(rows, method=method), rows)
    rng, folder, out = np.random.default_rng(1), tmp_path / "saved", tmp_path / "out.npy"
    command = [sys.executable, killed_fit.__file__, method, rows, str(folder), str(out)]
    paths = os.pathsep.join([str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")])
    for _ in range(N_KILLS):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths}
        )
        assert process.stdout.readline() == b"begun\n"
        time.sleep(rng.random() * 0.6)
        process.kill()
        process.communicate()
    subprocess.run(command, check=True, capture_output=True)
    np.testing.assert_array_equal(np.load(out), whole)


def test_a_folder_of_another_fit_is_refused(rows, tmp_path):
    def stop(now):
        raise Stopped

    with pytest.raises(Stopped):
        killed_fit.fit(rows, tmp_path / "saved", callback=stop)
    os.utime(rows, ns=(0, 7))
    with pytest.raises(SourceError, match=r"`resume` must name a folder of the same fit.* source"):
        killed_fit.fit(rows, tmp_path / "saved")


def test_a_damaged_file_is_refused(rows, tmp_path):
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / resume.FILE_NAME).write_bytes(b"half of someth")
    with pytest.raises(SourceError, match=r"fit\.checkpoint.*Delete it to begin anew"):
        killed_fit.fit(rows, tmp_path / "saved")


@pytest.mark.parametrize("damage", ["zeros", "cut off", "a pickle alone"])
def test_a_checkpoint_that_was_changed_is_refused(damage, rows, tmp_path):
    def stop(now):
        raise Stopped

    with pytest.raises(Stopped):
        killed_fit.fit(rows, tmp_path / "saved", callback=stop)
    path = tmp_path / "saved" / resume.FILE_NAME
    content = path.read_bytes()
    middle = len(content) // 2
    changed = {
        "zeros": content[:middle] + bytes(50) + content[middle + 50 :],
        "cut off": content[:middle],
        "a pickle alone": content[resume.CHECKSUM_BYTES :],
    }
    path.write_bytes(changed[damage])
    words = r"fit\.checkpoint.*checksum does not fit.*Delete it to begin anew"
    with pytest.raises(SourceError, match=words):
        killed_fit.fit(rows, tmp_path / "saved")
