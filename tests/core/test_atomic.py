"""Whole or not at all, whatever goes wrong."""

import os
import signal
import stat
import subprocess
import sys
import threading

import pytest

from bayfold.core.output_files import write_atomically


def write(path, text, **options):
    with write_atomically(path, **options) as aside:
        aside.write_text(text)


@pytest.mark.parametrize("failure", [OSError("full"), ValueError("no"), KeyboardInterrupt()])
def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path, failure):
    path = tmp_path / "a.txt"
    path.write_text("before")

    def fail():
        with write_atomically(path) as aside:
            aside.write_text("half")
            aside.with_suffix(".journal").write_text("half")
            raise failure

    with pytest.raises(type(failure)):
        fail()
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_nobody_sees_half_a_file(tmp_path):
    path = tmp_path / "a.txt"
    with write_atomically(path) as aside:
        aside.write_text("half")
        assert not path.exists()
        aside.write_text("whole")
    assert path.read_text() == "whole"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_links_rights_and_long_names_stay(tmp_path):
    path, link = tmp_path / ("n" * 250), tmp_path / "link"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)
    write(link, "after")
    assert link.is_symlink()
    assert path.read_text() == "after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write, args=(pipe, "through"))
    writer.start()
    assert pipe.read_text() == "through"
    writer.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_is_replaced_where_that_was_asked_for(tmp_path):
    path = tmp_path / "parts"
    path.mkdir()
    (path / "old").write_text("before")
    with pytest.raises(OSError, match="parts"):
        write(path, "a file")
    assert os.listdir(path) == ["old"]
    with write_atomically(path, lambda before: None) as aside:
        aside.mkdir()
        (aside / "new").write_text("after")
    assert os.listdir(path) == ["new"]
    assert os.listdir(tmp_path) == ["parts"]


def test_a_folder_that_could_not_be_replaced_comes_back(tmp_path, monkeypatch):
    path = tmp_path / "parts"
    path.mkdir()
    (path / "old").write_text("before")
    replace = os.replace

    def fail_once(source, target):
        if target == path and not (path.exists() or fail_once.failed):
            fail_once.failed = True
            raise OSError("the disk went away")
        replace(source, target)

    fail_once.failed = False
    monkeypatch.setattr(os, "replace", fail_once)
    with pytest.raises(OSError, match="went away"):
        write(path, "a file", check_replaced=lambda before: None)
    assert fail_once.failed
    assert os.listdir(path) == ["old"]
    assert os.listdir(tmp_path) == ["parts"]


def test_a_folder_that_must_stay_comes_back(tmp_path):
    path = tmp_path / "parts"
    path.mkdir()
    (path / "old").write_text("before")

    def refuse(before):
        raise ValueError(sorted(os.listdir(before)))

    def write_parts():
        with write_atomically(path, refuse) as aside:
            aside.mkdir()
            (path / "late").write_text("came while the other was written")

    with pytest.raises(ValueError, match="late', 'old"):
        write_parts()
    assert sorted(os.listdir(path)) == ["late", "old"]
    assert os.listdir(tmp_path) == ["parts"]


ENDLESS = """
import signal, sys, time
signal.signal(getattr(signal, sys.argv[2]), signal.SIG_DFL)  # nohup has it ignored
from bayfold.core.output_files import write_atomically
with write_atomically(sys.argv[1]) as aside:
    aside.write_text("half")
    print("writing", flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_what_was_there_and_nothing_else(tmp_path, name):
    path = tmp_path / "a.txt"
    path.write_text("before")
    command = [sys.executable, "-c", ENDLESS, str(path), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(getattr(signal, name))
        assert process.stderr.read() == b""
    assert process.returncode == -getattr(signal, name)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_handlers_of_others_stay(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    mine = lambda number, frame: None  # noqa: E731
    signal.signal(signal.SIGTERM, mine)
    try:
        with write_atomically(tmp_path / "a.txt") as aside:
            assert signal.getsignal(signal.SIGTERM) is mine
            aside.write_text("after")
    finally:
        signal.signal(signal.SIGTERM, before)
