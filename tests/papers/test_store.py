"""The store and the runner: nothing is measured twice, nothing is lost, nothing incomplete passes for complete."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from papers.shared.experiment import Experiment, Unit, repeated_folds
from papers.shared.paper import Paper, Results
from papers.shared.runner import run_experiment
from papers.shared.store import Store, name_packed

MEASURED: list[Unit] = []


def measure(unit):
    MEASURED.append(unit)
    if unit.dataset == "broken":
        raise ValueError("no such thing")
    return [{"error": unit.repeat + fold / 10, "predicted": "0a1"} for fold in unit.folds]


def plan(quick):
    return repeated_folds(["b", "a"], ["one", "two, comma"], 3, 2 if not quick else 1, quick, "p=1")


EXPERIMENT = Experiment("paper", "table", ("error", "predicted"), plan, measure)


@pytest.fixture
def store(tmp_path):
    MEASURED.clear()
    return Store(tmp_path)


def run(store, units, experiment=EXPERIMENT):
    return run_experiment(experiment, units, store, 1, Console(stderr=True, force_terminal=False))


def test_a_run_goes_on_where_it_stopped(store):
    units = list(plan(False))
    assert run(store, units[:5]) == []
    assert run(store, units) == []
    assert units == MEASURED
    assert run(store, units) == []
    assert len(MEASURED) == len(units)
    rows = store.read_planned(EXPERIMENT, units)
    assert [
        tuple(key) for key in rows[["dataset", "method", "parameters", "repeat", "fold"]].values
    ] == [key for unit in units for key in unit.keys]
    assert rows.error.tolist() == [key[3] + key[4] / 10 for unit in units for key in unit.keys]
    assert set(rows.predicted) == {"0a1"}


def test_only_missing_folds_of_a_unit_are_measured(store):
    run(store, [Unit("a", "one", 0, (0, 2))])
    run(store, [Unit("a", "one", 0, (0, 1, 2, 3))])
    assert MEASURED[-1].folds == (1, 3)
    assert store.find_missing(EXPERIMENT, [Unit("a", "one", 0, (0, 1, 2, 3))]) == []


def test_a_quick_run_is_a_part_of_the_whole_one(store):
    run(store, list(plan(True)))
    quick = len(MEASURED)
    left = store.find_missing(EXPERIMENT, list(plan(False)))
    assert sum(len(unit.folds) for unit in left) == 2 * 2 * 3 * 2 - quick


def test_what_fails_is_told_and_tried_again(store):
    units = [Unit("broken", "one", 0, (0,)), Unit("a", "one", 0, (0,))]
    (failure,) = run(store, units)
    assert failure == "paper table, one on broken: ValueError: no such thing"
    assert store.find_missing(EXPERIMENT, units) == units[:1]


def test_a_missing_library_is_told_once(store):
    def measure_with_peer(unit):
        raise ImportError("no such library")

    experiment = replace(EXPERIMENT, measure=measure_with_peer)
    found = run(store, [*plan(False)], experiment)
    assert found == [f"paper table, {name}: no such library" for name in ("one", "two, comma")]


def test_progress_counts_what_is_planned(store, tmp_path):
    run(store, list(plan(False))[:4])
    results = Results(store, tmp_path, quick=False)
    assert results.progress(EXPERIMENT) == (8, 24)
    assert results.progress(EXPERIMENT, "one") == (4, 12)
    paper = Paper("paper", (EXPERIMENT,), lambda results: None)
    assert not results.is_whole(paper)
    run(store, [unit for unit in plan(False) if unit.method == "one"])
    assert not results.is_whole(paper)
    assert results.is_whole(replace(paper, beside=("two, comma",)))
    run(store, list(plan(False)))
    assert results.is_whole(paper)


def test_an_empty_store_has_the_right_columns(store):
    rows = store.read_planned(EXPERIMENT, list(plan(False)))
    assert isinstance(rows, pd.DataFrame)
    assert list(rows.columns) == [
        "dataset",
        "method",
        "parameters",
        "repeat",
        "fold",
        "error",
        "predicted",
    ]
    assert len(rows) == 0


def test_a_line_that_was_cut_off_is_measured_again(store):
    units = list(plan(False))[:2]
    run(store, units)
    path = store.path(EXPERIMENT)
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    assert [unit.folds for unit in store.find_missing(EXPERIMENT, units)] == [(1,)]
    run(store, units)
    assert path.read_bytes() == whole


def test_workers_measure_the_same(store, tmp_path):
    from papers.elkan1997.protocol import ACCURACY, PLAIN

    pytest.importorskip("joblib")
    units = [Unit("iris", PLAIN, repeat, (0, 1)) for repeat in range(3)]
    console = Console(stderr=True, force_terminal=False)
    other = Store(tmp_path / "other")
    if not any(Path(os.environ.get("BAYFOLD_DATA", ""), "classification").glob("iris.arff")):
        pytest.skip("needs the folder BAYFOLD_DATA")
    assert run_experiment(ACCURACY, units, store, 1, console) == []
    assert run_experiment(ACCURACY, units, other, 2, console) == []
    pd.testing.assert_frame_equal(
        store.read_planned(ACCURACY, units), other.read_planned(ACCURACY, units)
    )


def test_parameters_that_look_like_numbers_stay_words(store):
    units = [Unit("1", "2", 0, (0,), share) for share in ("0", "50")]
    run(store, units)
    assert store.find_missing(EXPERIMENT, units) == []
    assert store.read_planned(EXPERIMENT, units).parameters.tolist() == ["0", "50"]


def test_published_folds_are_taken_over_and_what_was_measured_here_stays(store, tmp_path):
    """A clone has what pages were made from, not the store of whoever made them."""
    units = list(plan(False))
    folder = tmp_path / "folds"
    run(store, units[3::-1])
    store.publish(EXPERIMENT, folder)
    before = name_packed(EXPERIMENT, folder).read_bytes()
    other = Store(tmp_path / "other")
    assert other.adopt(EXPERIMENT, tmp_path / "elsewhere") == 0
    run(other, units[3:5])
    assert other.adopt(EXPERIMENT, folder) == 6
    assert other.adopt(EXPERIMENT, folder) == 0
    assert other.find_missing(EXPERIMENT, units) == store.find_missing(EXPERIMENT, units)[1:]
    mine, theirs = (kept.read_planned(EXPERIMENT, units[:4]) for kept in (store, other))
    pd.testing.assert_frame_equal(mine, theirs)
    again = Store(tmp_path / "again")
    run(again, units[:4])
    again.publish(EXPERIMENT, folder)
    assert name_packed(EXPERIMENT, folder).read_bytes() == before
