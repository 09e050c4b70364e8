"""Drift: the worst column first, no alarm without a change, and the same from a file."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from typer.testing import CliRunner

import bayfold
from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesRegressor,
    NaiveBayesClassifier,
)
from bayfold.cli import app
from bayfold.core.evidence.drift import SCORE, find_psi
from bayfold.datasets import make_credit
from bayfold.errors import NoTablesError


@cache
def fitted(**given):
    credit = make_credit(1500)
    return NaiveBayesClassifier(**given).fit(credit.frame, credit.target)


def draw_later(seed=1, n=1500):
    return make_credit(n, random_state=seed).frame.to_pandas()


def test_equal_tables_raise_false_alarms_at_the_stated_level():
    """A thousand pairs are measured by benchmarks/drift.py; of 60, 9 or fewer alarms are what five percent give."""
    found = [fitted().compare_data(draw_later(seed, 500)) for seed in range(1, 61)]
    assert sum(each["drifted"].any() for each in found) <= 9
    assert np.mean([each["p"] < 0.5 for each in found]) == pytest.approx(0.5, abs=0.1)


def test_the_column_that_changed_comes_first_and_says_how():
    later = draw_later()
    later["region"] = later["region"].where(later["region"] != "north", "moon")
    later["age"] += 3
    found = fitted().compare_data(later)
    assert found["column"][0] == "region"
    assert set(found["column"][found["drifted"]]) >= {"region", "age"}
    assert "weekday" not in found["column"][found["drifted"]]
    assert found["moved"][0].endswith("% to 0.0%") or found["moved"][0].startswith("(unseen): 0.0%")
    assert SCORE in found["column"]


def test_p_and_psi_are_those_of_the_textbook():
    X = pd.DataFrame({"a": list("ppqqr") * 40, "b": list("st") * 100})
    new = pd.DataFrame({"a": list("pqqrr") * 30, "b": list("st") * 75})
    found = NaiveBayesClassifier(calibration=None).fit(X, np.arange(200) % 2).compare_data(new)
    table = np.array([[80, 80, 40], [30, 60, 60]])
    assert found.where(column="a")["p"] == pytest.approx(chi2_contingency(table).pvalue)
    assert found.where(column="a")["psi"] == pytest.approx(find_psi(*table.astype(float)))
    assert found.where(column="b")["psi"] == pytest.approx(0, abs=1e-9)


def test_missing_cells_are_a_bin_and_rare_bins_are_taken_together():
    later = draw_later()
    later["income"] = np.nan
    found = fitted().compare_data(later)
    assert found["column"][0] == "income"
    assert found["moved"][0].startswith("(missing)")
    few = fitted().compare_data(draw_later().head(3))
    assert not few["drifted"].any()


def test_a_special_code_is_a_bin_apart():
    X = draw_later()[["age"]]
    X.loc[::10, "age"] = -99.0
    model = NaiveBayesClassifier(special_codes={"age": [-99]}).fit(X, np.arange(1500) % 3 == 0)
    later = X.copy()
    later.loc[::5, "age"] = -99.0
    found = model.compare_data(later)
    assert found["moved"][found["column"] == "age"] == ["code -99: 10.0% to 20.0%"]


def test_rows_given_as_a_reference_take_the_place_of_the_training_rows(tmp_path):
    X = draw_later()
    target = X["income"].fillna(0) + 1000.0
    model = BoostedNaiveBayesRegressor(n_rounds=5, n_models=1, early_stopping=False).fit(X, target)
    assert SCORE not in model.compare_data(draw_later(2))["column"]
    found = model.compare_data(draw_later(2), reference=draw_later(3))
    assert SCORE in found["column"]
    assert not found["drifted"].any()
    richer = X.assign(income=X["income"] * 2)
    assert set(model.compare_data(richer, reference=X)["column"][:2]) == {SCORE, "income"}
    bare = tmp_path / "bare.bayfold"
    paired = AveragedOneDependenceClassifier().fit(X[["region"]], target > 30000)
    paired.save(bare, statistics=False)
    with pytest.raises(NoTablesError, match="AveragedOneDependenceClassifier"):
        bayfold.load(bare).compare_data(X[["region"]])


def test_a_file_is_compared_in_one_pass_with_the_same_answer(tmp_path):
    later = draw_later()
    later["age"] += 3
    later.to_parquet(tmp_path / "new.parquet")
    whole = fitted().compare_data(later)
    read = fitted().compare_source(tmp_path / "new.parquet", progress=False)
    assert read.to_dict() == whole.to_dict()
    fitted().save(tmp_path / "model.bayfold")
    for option in ("--stream", "--no-stream"):
        paths = [str(tmp_path / name) for name in ("model.bayfold", "new.parquet")]
        ran = CliRunner().invoke(app, ["drift", *paths, "--json", option])
        assert ran.exit_code == 0, ran.output
        assert json.loads(ran.stdout)["columns"][0]["column"] == "age"
