"""resume: an interrupted fit goes on, and no row is counted twice or lost."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bayfold
from bayfold import NaiveBayesTreeClassifier
from bayfold.base.sources import resume
from bayfold.core.counts.survey import raw_rows
from bayfold.core.frames.sources import chunk
from bayfold.errors import DataWarning, ModelFileError, SourceError
from bayfold.persist import checks
from tests.base.sources import killed_fit
from tests.persist.models import saved
from tests.persist.mutations import document_of, with_document

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


def stop_at_once(now):
    raise Stopped


def write_checkpoint(rows, folder, method="counts"):
    """The path of the checkpoint that a fit leaves which is interrupted after its first partition."""
    with pytest.raises(Stopped):
        killed_fit.fit(rows, folder, callback=stop_at_once, method=method)
    return folder / resume.FILE_NAME


def test_a_checkpoint_that_was_changed_is_refused_wherever_it_was(rows, tmp_path):
    path = write_checkpoint(rows, tmp_path / "saved")
    content = path.read_bytes()
    words = r"fit\.checkpoint.*Got: .*Delete it to begin anew"
    for start in range(0, len(content) - 50, len(content) // 40):
        if content[start : start + 50] == bytes(50):
            continue
        path.write_bytes(content[:start] + bytes(50) + content[start + 50 :])
        with pytest.raises(SourceError, match=words):
            killed_fit.fit(rows, tmp_path / "saved")
    for end in (0, 3, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:end])
        with pytest.raises(SourceError, match=words):
            killed_fit.fit(rows, tmp_path / "saved")


class Harmful:
    """Sets a mark if a pickle of it is loaded."""

    def __reduce__(self):
        return os.mkdir, ("harm-was-done",)


def test_a_checkpoint_runs_no_code(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_checkpoint(rows, tmp_path / "saved")
    content = pickle.dumps(Harmful())
    for written in (content, hashlib.sha256(content).digest() + content):
        path.write_bytes(written)
        with pytest.raises(SourceError, match=r"a file of another kind, version or size"):
            killed_fit.fit(rows, tmp_path / "saved")
    assert not Path("harm-was-done").exists()


def change_parts(content, kind, part, value):
    """A checkpoint with another value in all objects of a kind, and the right checksum."""
    document = document_of(content)
    things = [thing for thing in document["objects"] if thing["kind"] == kind]
    assert things
    for thing in things:
        thing["parts"][part] = value
    return with_document(content, document)


@pytest.mark.parametrize(
    ("kind", "part", "value", "what"),
    [
        ("Tally", "n_rows", -1, "the number of rows"),
        ("TreeSum", "n_parts", 6, "the sums so far"),
        ("TreeSum", "sums", {"list": [{"object": 0}]}, "the sums so far"),
        ("LabelSummary", "weight_of", {"dict": [["v0", -5.0]]}, "the labels of a column"),
        ("NumberSummary", "numbers", {"array": 0}, "the numbers of a column"),
        ("RawRows", "threshold", -1, "the rows of a survey"),
        ("Survey", "zones", [], "the columns of a survey"),
        ("SavedFit", "sums", None, "`sums` of SavedFit"),
    ],
)
def test_a_checkpoint_that_lies_under_a_right_checksum_is_refused(
    kind, part, value, what, rows, tmp_path
):
    path = write_checkpoint(rows, tmp_path / "saved")
    path.write_bytes(change_parts(path.read_bytes(), kind, part, value))
    words = rf"fit\.checkpoint.*Got: {what}.* does not fit\. Delete it to begin anew"
    with pytest.raises(SourceError, match=words):
        killed_fit.fit(rows, tmp_path / "saved")


@pytest.mark.parametrize(
    ("kind", "part", "value"),
    [
        ("StoredPart", "dtype", "|O"),
        ("StoredPart", "at", 1 << 62),
        ("StoredPart", "n_cells", 7),
        ("Copy", "place_of", {"dict": [["v", {"dict": [["a", 5]]}]]}),
        ("Copy", "columns", []),
    ],
)
def test_a_checkpoint_of_copied_rows_that_lies_is_refused(kind, part, value, rows, tmp_path):
    path = write_checkpoint(rows, tmp_path / "saved", "tree")
    path.write_bytes(change_parts(path.read_bytes(), kind, part, value))
    words = r"fit\.checkpoint.*Got: .* does not fit\. Delete it to begin anew"
    with pytest.raises(SourceError, match=words):
        killed_fit.fit(rows, tmp_path / "saved", method="tree")


def test_copied_rows_that_were_changed_are_found(rows, tmp_path):
    path = write_checkpoint(rows, tmp_path / "saved", "tree").with_name(resume.ROWS_NAME)
    content = path.read_bytes()
    path.write_bytes(content[:200] + bytes(50) + content[250:])
    words = r"fit\.checkpoint.*fit\.rows, whose checksum does not fit\. Delete it"
    with pytest.raises(SourceError, match=words):
        killed_fit.fit(rows, tmp_path / "saved", method="tree")


def test_model_files_and_checkpoints_are_not_taken_for_each_other(rows, tmp_path):
    path = write_checkpoint(rows, tmp_path / "saved")
    with pytest.raises(ModelFileError, match=r"fit\.checkpoint"):
        bayfold.load(path)
    killed_fit.fit(rows).save(path)
    with pytest.raises(SourceError, match=r"a file of another kind, version or size"):
        killed_fit.fit(rows, tmp_path / "saved")


@pytest.mark.parametrize("method", sorted(killed_fit.COUNTING))
def test_every_kind_of_sum_is_gone_on_with(method, rows, tmp_path):
    """Stopped once in every pass."""
    whole = saved(killed_fit.fit(rows, method=method))
    model, n_stops = None, 0
    while model is None:
        left = 2

        def stop(now):
            nonlocal left
            left -= 1
            if left == 0:
                raise Stopped

        try:
            model = killed_fit.fit(rows, tmp_path / "saved", callback=stop, method=method)
        except Stopped:
            n_stops += 1
    assert n_stops >= 3
    assert saved(model) == whole


def test_sums_too_large_for_a_file_are_not_saved(rows, tmp_path, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(checks, "MOST_JSON_VALUES", 1)
        with pytest.warns(DataWarning, match=r"`resume` needs sums that fit.*Leave out columns"):
            model = killed_fit.fit(rows, tmp_path / "saved")
    whole = killed_fit.outcome(killed_fit.fit(rows))
    np.testing.assert_array_equal(killed_fit.outcome(model), whole)
