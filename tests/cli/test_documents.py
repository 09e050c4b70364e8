"""The commands of the documents run, in the order in which they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from bayfold.core.frames.files import read_file, write_file

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"


def test_the_commands_on_the_page_run(folder, run, credit_frame):
    names = ["churn" if name == "outcome" else name for name in credit_frame.column_names]
    churn = credit_frame.rename_columns(names).slice(0, 160)
    write_file("churn.csv", churn, "csv")
    write_file("new.csv", churn.drop_columns(["churn"]), "csv")
    (folder / "costs.csv").write_text("true,default,paid\ndefault,,5\npaid,1,\n")
    settings = re.search(r"cat settings.toml\n(.*?)^\$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    (folder / "settings.toml").write_text(settings[1])
    commands = re.findall(r"^\$ bayfold (.*)$", PAGE.read_text(), re.MULTILINE)
    assert len(commands) > 12
    for command in commands:
        run(*shlex.split(command))
    scored = read_file("scored.csv")
    assert scored.names[-3:] == ["prediction", "probability_default", "probability_paid"]
    assert read_file("income.csv").names == [
        "id",
        "prediction",
        *(f"quantile_{q}" for q in (0.1, 0.5, 0.9)),
    ]
    for page in ("report.html", "evidence.html"):
        assert (folder / page).read_text().startswith("<!doctype html>")
