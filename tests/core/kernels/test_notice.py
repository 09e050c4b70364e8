"""Compilation is announced once, on standard error, and only that of our own kernels."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bayfold.core.kernels.compiler import QUIET, CompileNotice


def make_event(module="bayfold.core.kernels.score", name="score_tables"):
    function = SimpleNamespace(__module__=module)
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function, __name__=name)})


@pytest.fixture
def notice(monkeypatch):
    monkeypatch.delenv(QUIET, raising=False)
    return CompileNotice()


def test_one_line_for_many_kernels(notice, capsys):
    for _ in range(3):
        notice.on_start(make_event())
        notice.on_end(make_event())
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "once" in told.err
    assert notice.n_compiled == 3


@pytest.mark.parametrize("module", ["mine", None])
def test_kernels_of_others_are_not_announced(module, notice, capsys):
    notice.on_start(make_event(module=module))
    notice.on_end(make_event(module=module))
    assert capsys.readouterr().err == ""


def test_a_terminal_sees_which_one(notice, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    notice.on_start(make_event(name="outer"))
    notice.on_start(make_event(name="inner"))
    notice.on_end(make_event())
    assert "compiling inner (2)" in capsys.readouterr().err
    notice.on_end(make_event())
    assert capsys.readouterr().err == "\r\x1b[2K"


def test_nothing_is_said_where_nobody_wants_it(notice, capsys, monkeypatch):
    monkeypatch.setenv(QUIET, "1")
    notice.on_start(make_event())
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr", None)
    monkeypatch.delenv(QUIET)
    notice.on_start(make_event())
