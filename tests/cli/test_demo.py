"""`bayfold demo` runs, compares, and shows evidence that adds up."""

import re

import pytest
from typer.testing import CliRunner

import bayfold
from bayfold.cli import app


@pytest.fixture(scope="module")
def shown():
    result = CliRunner().invoke(
        app, ["demo", "--rows", "600", "--seed", "3"], env={"COLUMNS": "160"}
    )
    assert result.exit_code == 0, result.output
    return result.output


def test_the_demo_compares_models_on_new_rows(shown):
    scores = {}
    for line in shown.splitlines():
        found = re.match(r"\s*(.*\S)\s+(0\.\d{3})\s+(\d+\.\d{4})\s*$", line)
        if found:
            scores[found[1]] = float(found[2]), float(found[3])
    assert len(scores) == 4
    ours = next(value for name, value in scores.items() if "bayfold" in name)
    truth = next(value for name, value in scores.items() if "true model" in name)
    peers = [value for name, value in scores.items() if "scikit-learn" in name]
    assert len(peers) == 2
    assert all(0.5 < accuracy < 1 for accuracy, _ in scores.values())
    assert truth[1] < min(loss for _, loss in (ours, *peers))
    assert ours[1] < min(loss for _, loss in peers)


def test_the_evidence_adds_up(shown):
    lines = shown[shown.index("Evidence for one new row") :].splitlines()
    rows = {}
    for line in lines:
        found = re.match(r"\s*(\S+).*?([+-]\d+\.\d\d)\s+([+-]\d+\.\d\d)\s", line)
        if found:
            rows[found[1]] = float(found[2]), float(found[3])
    total, true_total = rows.pop("log-odds")
    assert "(prior)" in rows
    assert len(rows) > 5
    slack = 0.005 * (len(rows) + 1) + 1e-9  # every figure is rounded to two digits
    assert sum(weight for weight, _ in rows.values()) == pytest.approx(total, abs=slack)
    assert sum(weight for _, weight in rows.values()) == pytest.approx(true_total, abs=slack)
    assert any(weight == 0 for weight, _ in rows.values())  # the missing cell
    assert re.search(r"p\(paid\)\s+0\.\d\d\s+0\.\d\d", shown)


def test_the_demo_can_be_repeated():
    runs = [
        CliRunner().invoke(app, ["demo", "--rows", "200"], env={"COLUMNS": "120"}).output
        for _ in range(2)
    ]
    first, second = (re.sub(r"fit took \S+ s", "", run) for run in runs)
    assert first == second


def test_version_and_help():
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.output.strip() == f"bayfold {bayfold.__version__}"
    assert "demo" in CliRunner().invoke(app, ["--help"]).output


def test_too_few_rows_are_refused():
    result = CliRunner().invoke(app, ["demo", "--rows", "3"])
    assert result.exit_code == 2
    assert "100" in result.output
