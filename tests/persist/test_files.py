"""Paths, file objects, and what happens when several write at once or nothing can be written."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import bayfold
from bayfold.persist import files
from tests.persist.models import answers, fitted, saved


@pytest.fixture
def model():
    return fitted("two classes")


@pytest.mark.parametrize("as_path", [str, Path, os.fsencode])
def test_paths_of_every_kind(model, tmp_path, as_path):
    path = as_path(str(tmp_path / "m.bayfold"))
    model.save(path)
    assert answers(bayfold.load(path)) == answers(model)


def test_file_objects(model, tmp_path):
    path = tmp_path / "m.bayfold"
    with path.open("wb") as file:
        model.save(file)
    with path.open("rb") as file:
        assert answers(bayfold.load(file)) == answers(model)
    assert path.read_bytes() == saved(model)


def test_equal_models_are_equal_files(model):
    assert saved(model) == saved(model)


@pytest.mark.parametrize("file", [5, None, ["m.bayfold"]])
def test_something_that_is_no_file(model, file):
    with pytest.raises(TypeError, match="`file` must be a path or a binary file object"):
        model.save(file)
    with pytest.raises(TypeError, match="`file` must be a path or a binary file object"):
        bayfold.load(file)


def test_text_files_are_refused(tmp_path):
    with pytest.raises(TypeError, match='mode "rb"'):
        bayfold.load(io.StringIO("text"))


def test_paths_that_cannot_be_written_to(model, tmp_path):
    with pytest.raises(FileNotFoundError, match="make its folder first"):
        model.save(tmp_path / "nowhere" / "m.bayfold")
    with pytest.raises(OSError, match="must be a path that can be written to"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError):
        bayfold.load(tmp_path / "nowhere")


def test_the_parameter_is_checked(model, tmp_path):
    with pytest.raises(ValueError, match="`statistics` must be"):
        model.save(tmp_path / "m.bayfold", statistics="no")


def test_a_failure_leaves_the_old_file_and_nothing_else(model, tmp_path, monkeypatch):
    path = tmp_path / "m.bayfold"
    path.write_bytes(b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        model.save(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(model, tmp_path):
    path, link = tmp_path / "m.bayfold", tmp_path / "latest"
    path.write_bytes(b"old")
    link.symlink_to(path)
    model.save(link)
    assert link.is_symlink()
    assert answers(bayfold.load(path)) == answers(model)


def test_who_may_read_the_file_stays_as_it_was(model, tmp_path):
    path = tmp_path / "m.bayfold"
    path.write_bytes(b"old")
    path.chmod(0o640)
    model.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_pipes_are_written_to_and_read_from(model, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=model.save, args=(pipe,))
    writer.start()
    loaded = bayfold.load(pipe)
    writer.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert answers(loaded) == answers(model)


def test_many_threads_save_to_one_path_and_load_from_it(model, tmp_path):
    path = tmp_path / "m.bayfold"
    other = fitted("gaussian")
    model.save(path)
    known = (saved(model), saved(other))

    def work(k):
        (model if k % 2 else other).save(path)
        assert path.read_bytes() in known
        return type(bayfold.load(path)).__name__

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(40))) == {"NaiveBayesClassifier"}
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_is_saved_while_others_ask_it(model):
    whole, content = answers(model), saved(model)
    with ThreadPoolExecutor(4) as pool:
        said = [pool.submit(answers, model) for _ in range(4)]
        written = [pool.submit(saved, model) for _ in range(4)]
    assert all(one.result() == whole for one in said)
    assert all(one.result() == content for one in written)


def test_a_fresh_process_loads_without_pickle(model, tmp_path):
    path = tmp_path / "m.bayfold"
    model.save(path)
    code = (
        "import sys, pickle, bayfold\n"
        "def no(*a, **k): raise SystemExit('unpickled')\n"
        "pickle.load = pickle.loads = pickle.Unpickler = no\n"
        "model = bayfold.load(sys.argv[1])\n"
        "print(type(model).__name__, len(model.classes_))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "NaiveBayesClassifier 2\n"


def test_notes_are_kept_beside_the_model(model, tmp_path):
    path = tmp_path / "m.bayfold"
    model.save(path, notes={"target": "churn", "von": "Jürgen"})
    assert files.read_notes(path) == {"target": "churn", "von": "Jürgen"}
    assert answers(bayfold.load(path)) == answers(model)
    model.save(path)
    assert files.read_notes(path) == {}


@pytest.mark.parametrize("notes", [{"n": 1}, {1: "a"}, "target", [("a", "b")]])
def test_notes_are_words(model, notes):
    with pytest.raises(ValueError, match=r"`notes` must be a dict from str to str, or None\. Got"):
        model.save(io.BytesIO(), notes=notes)
