"""The table of all models: who is stopped, who is listed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from papers.defaults import protocol
from papers.shared.experiment import Unit

pytest.importorskip("matplotlib")

from papers.defaults.run import keep_common, say_too_long, say_without_numbers

SETS = [f"set {k}" for k in range(10)]


class Plan:
    """Of two models on ten datasets."""

    @staticmethod
    def plan(_):
        return [Unit(name, method, 0, (0,)) for name in SETS for method in ("quick", "slow")]


def make_rows(n_stopped):
    quick = [("quick", name, 1.0, 0.1, 0.1, 3) for name in SETS]
    slow = [("slow", name, 2.0, 0.2, 9.0, 3) for name in SETS[n_stopped:]]
    stopped = [("slow", name, np.nan, np.nan, np.nan, 0) for name in SETS[:n_stopped]]
    fields = ["method", "dataset", *protocol.CLASSES.fields]
    return pd.DataFrame([*quick, *slow, *stopped], columns=fields)


def test_a_model_that_is_stopped_too_often_is_not_listed():
    one, two = (keep_common(Plan, protocol.CLASSES, make_rows(k)) for k in (1, 2))
    assert set(one.index.get_level_values(0)) == {"quick", "slow"}
    assert set(two.index.get_level_values(0)) == {"quick"}
    assert "slow on set 0, set 1." in say_too_long(make_rows(2))[0]
    assert say_too_long(make_rows(0)) == []
    assert say_without_numbers(make_rows(2)).startswith("2 of them were stopped")
    assert say_without_numbers(make_rows(0)) == ""


def test_a_method_that_takes_too_long_has_a_row_without_numbers(monkeypatch):
    def never_ends(job):
        assert job.cpu_timeout == protocol.MOST_SECONDS
        raise protocol.ChildTooLongError("too long", "more than 90 s of CPU")

    monkeypatch.setattr(protocol, "run_job", never_ends)
    (row,) = protocol.measure_classes(Unit("set 0", "EBM", 0, (0,)))
    assert set(row) == set(protocol.CLASSES.fields)
    assert row["folds"] == 0
    assert np.isnan(row["error"])


def test_means_are_over_all_folds_or_the_first():
    judged = [{"error": 1.0}, {"error": 2.0}, {"error": 6.0}]
    assert protocol.average(iter(judged), "") == [{"error": 3.0, "folds": 3}]
    assert protocol.average(iter(judged), protocol.FIRST_FOLD) == [{"error": 1.0, "folds": 1}]
