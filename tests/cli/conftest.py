"""A table of credits on disk, and a way to run commands."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from bayfold.cli import app
from bayfold.core.frames.files import write_file
from bayfold.datasets import make_credit
from bayfold.errors.kinds import _WARNED_BEFORE


@pytest.fixture(scope="session")
def credit_frame():
    credit = make_credit(240, random_state=0)
    ids = [[f"{number:05}" for number in range(credit.frame.num_rows)]]
    frame = credit.frame.append_column("id", ids)
    return frame.append_column("outcome", [credit.target.astype(str).tolist()])


@pytest.fixture
def folder(tmp_path, monkeypatch, credit_frame):
    """A folder of its own with ``credit.csv`` in it."""
    monkeypatch.chdir(tmp_path)
    write_file("credit.csv", credit_frame, "csv")
    return tmp_path


@pytest.fixture
def run():
    """Run a command; its exit code must be the one that is expected, or one of those."""

    def run_command(*arguments, code=0, **options):
        _WARNED_BEFORE.clear()  # outside of tests every command is a process of its own
        result = CliRunner().invoke(
            app, [str(a) for a in arguments], env={"COLUMNS": "160"}, **options
        )
        expected = code if isinstance(code, tuple) else (code,)
        assert result.exit_code in expected, result.output
        assert "Traceback" not in result.output
        return result

    return run_command
