"""``bayfold papers``: what it finds, what it refuses, and a run on a few datasets."""

from __future__ import annotations

import os
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from bayfold.cli import app, reproducing
from papers.command import FOLDS, NAMES, Run, find_papers, run_papers
from papers.frank1998 import protocol
from papers.shared import weka

ROOT = Path(__file__).parents[2]


def test_unknown_papers_are_refused():
    shown = CliRunner().invoke(app, ["papers", "knuth1968"])
    assert shown.exit_code == 2
    assert "`PAPER` must be one of frank1998" in shown.output


def test_without_the_repository_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reproducing.bayfold, "__file__", str(tmp_path / "a/b/bayfold/__init__.py"))
    shown = CliRunner().invoke(app, ["papers", "--quick"])
    assert shown.exit_code == 2
    assert "Clone the repository and run the command there." in shown.output


def test_a_quick_run_never_writes_in_place_of_the_full_one():
    assert Run(("all",), quick=True).folder == ROOT / "papers/results/quick"
    assert Run(("all",)).folder == ROOT / "papers/results"
    assert Run(("all",), quick=True).command == "bayfold papers all --quick"


def test_there_is_a_folder_for_every_paper():
    for name in NAMES:
        assert {p.name for p in (ROOT / "papers" / name).glob("*.py")} >= {
            "__init__.py",
            "protocol.py",
            "run.py",
        }


def test_pages_stay_as_they_are_where_nothing_is_stored(tmp_path):
    """`--stored` in a fresh clone had written empty pages in place of the committed ones."""
    page = tmp_path / "pages/elkan1997.md"
    page.parent.mkdir()
    page.write_text("measured")
    places = {"store": tmp_path / "store", "results": page.parent}
    (said,) = run_papers(Run(("elkan1997",), stored_only=True, **places), Console(file=StringIO()))
    assert said == "elkan1997: nothing is stored, so its page stays as it is"
    assert page.read_text() == "measured"


@pytest.mark.skipif(not weka.find_jar(), reason="needs WEKA")
def test_the_original_system_is_asked_for_the_rows_held_out():
    import pandas as pd

    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=40), "b": rng.choice(["it's", "x,y"], 40)})
    y = np.where(X["b"] == "x,y", "one", "two")
    rows = np.arange(40)
    found = weka.predict_folds(X, y, [(rows[:30], rows[30:]), (rows[10:], rows[:10])], weka.C45)
    assert found[0].tolist() == y[30:].tolist()
    assert found[1].tolist() == y[:10].tolist()
    numbers = weka.predict_folds(X, 3.0 * (y == "one"), [(rows[:30], rows[30:])], weka.M5)
    assert numbers[0] == pytest.approx(3.0 * (y[30:] == "one"), abs=0.3)
    with pytest.raises(RuntimeError, match=r"WEKA failed: .*weka\.Nothing"):
        weka.predict_folds(X, y, [(rows[:30], rows[30:])], ("weka.Nothing",))
    again = weka.predict_folds(X, y, [(rows[:30], rows[30:])], weka.C45)  # the program goes on
    assert again[0].tolist() == y[30:].tolist()


@pytest.mark.slow
@pytest.mark.skipif("BAYFOLD_DATA" not in os.environ, reason="needs the folder BAYFOLD_DATA")
def test_a_quick_run_writes_pages_and_goes_on(tmp_path):
    """On the smallest datasets; the whole command takes minutes."""
    pytest.importorskip("matplotlib")
    of_weka = (protocol.MODEL_TREE, protocol.TREE)
    for experiment, few in (("ERRORS", 3), ("ACCURACY", 2), ("CURVES", 2)):
        full = getattr(protocol, experiment)
        names = list(dict.fromkeys(unit.dataset for unit in full.plan(True)))[:few]
        kept = [u for u in full.plan(True) if u.dataset in names and u.method not in of_weka]
        object.__setattr__(full, "plan", lambda quick, kept=kept: iter(kept))
    run = Run(("frank1998",), quick=True, store=tmp_path / "store", results=tmp_path / "pages")
    assert run_papers(run, Console(file=StringIO())) == []
    page = (tmp_path / "pages/frank1998.md").read_text()
    assert "## Claim by claim" in page
    assert "verdicts are provisional" in page
    assert "bayfold papers frank1998 --quick" in page
    summary = (tmp_path / "pages/README.md").read_text()
    assert "frank1998" in summary
    before = (tmp_path / "store/frank1998/errors.csv").stat().st_mtime_ns
    assert run_papers(run, Console(file=StringIO())) == []
    assert (tmp_path / "store/frank1998/errors.csv").stat().st_mtime_ns == before


@pytest.mark.slow
@pytest.mark.skipif("BAYFOLD_DATA" not in os.environ, reason="needs the folder BAYFOLD_DATA")
@pytest.mark.parametrize("name", NAMES)
def test_every_method_of_every_paper_can_be_measured(name):
    """One fold each, of the first dataset that a quick run has for it; a run of hours only lists what failed."""
    for experiment in find_papers([name])[0].experiments:
        first = {
            (unit.method, unit.parameters): unit for unit in reversed([*experiment.plan(True)])
        }
        for unit in first.values():
            try:
                (row,) = experiment.measure(replace(unit, folds=unit.folds[:1]))
            except ImportError:  # a peer that is not here
                continue
            assert set(row) == set(experiment.fields), (unit, row)


@pytest.mark.slow
@pytest.mark.skipif("BAYFOLD_DATA" not in os.environ, reason="needs the folder BAYFOLD_DATA")
@pytest.mark.parametrize("name", NAMES)
def test_committed_tables_are_what_committed_folds_make(name, tmp_path):
    committed = ROOT / "papers/results"
    if not [*(committed / FOLDS).glob(f"{name}_*")]:
        pytest.skip("measured before folds were committed")
    places = {"store": tmp_path / "store", "results": tmp_path}
    run = Run((name,), stored_only=True, adopt=True, **places)
    assert run_papers(run, Console(file=StringIO())) == []
    for path in committed.glob(f"{name}_*.csv"):
        assert (tmp_path / path.name).read_text() == path.read_text()
