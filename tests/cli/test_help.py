"""Every command has an example, and completion knows the names."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from bayfold.cli import PANELS, app
from bayfold.cli.options import MODEL_NAMES, offer

COMMANDS = [function.__name__ for functions in PANELS.values() for function in functions]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command):
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "160"}).output
    assert f"Example: bayfold {command}" in shown
    assert "[default" not in shown.replace("[default: ", "")
    assert "bool" not in shown  # flags take no value


def test_names_are_completed():
    assert offer(MODEL_NAMES)("b") == ["boosted"]
    found = CliRunner().invoke(
        app,
        [],
        prog_name="bayfold",
        env={
            "_BAYFOLD_COMPLETE": "complete_bash",
            "COMP_WORDS": "bayfold fit --model bo",
            "COMP_CWORD": "3",
        },
    )
    assert found.output.split() == ["boosted"]
