"""Pairs of columns have names that no column and no other pair has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayfold import BoostedNaiveBayesClassifier
from bayfold.core.densities import PairTerm
from bayfold.core.evidence.curves import name_pairs
from bayfold.core.schema import NominalColumn, Schema
from bayfold.plot import plot_evidence


def make_pairs(names, columns):
    schema = Schema(tuple(NominalColumn(name, ("u",)) for name in names))
    nothing = np.zeros((1, 1, 2))
    merges = np.zeros(3, int), np.zeros(3, int)
    return [PairTerm(both, merges, nothing, nothing) for both in columns], schema


@pytest.mark.parametrize(
    ("names", "columns", "expected"),
    [
        (["a", "b"], [(0, 1)], ["a x b"]),
        (["a", "b", "a x b"], [(0, 1)], ["a x b (columns 0 and 1)"]),
        (
            ["a", "b x c", "a x b", "c"],
            [(0, 1), (2, 3)],
            ["a x b x c (columns 0 and 1)", "a x b x c (columns 2 and 3)"],
        ),
        (["a", "b", "a x b", "a x b (columns 0 and 1)"], [(0, 1)], ["(a x b (columns 0 and 1))"]),
    ],
)
def test_names_are_plain_unless_something_else_has_them(names, columns, expected):
    assert name_pairs(*make_pairs(names, columns)) == expected


@pytest.fixture
def frame_and_model():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["u", "v"], (400, 3)), columns=["a", "b", "a x b"])
    y = (frame["a"] == frame["b"]) ^ (rng.random(400) < 0.1)
    return frame, BoostedNaiveBayesClassifier(n_rounds=20).fit(frame, y.to_numpy())


def test_a_column_with_the_name_of_a_pair_is_told_from_it(frame_and_model):
    frame, model = frame_and_model
    own, pair = (
        model.evidence_.where(column=name) for name in ("a x b", "a x b (columns 0 and 1)")
    )
    assert own["bin"].tolist() == ["(missing)", "u", "v"]
    assert "u & u" in pair["bin"].tolist()
    records = model.explain(frame.iloc[:5])
    assert (records["row"][records["column"] == "a x b"] == np.arange(5)).all()
    weights = records["weight"].reshape(5, -1).sum(axis=1)
    np.testing.assert_allclose(weights, model.decision_function(frame.iloc[:5]), rtol=1e-9)


def test_the_plot_of_such_a_column_shows_the_column(frame_and_model):
    pytest.importorskip("matplotlib")
    _, model = frame_and_model
    ax = plot_evidence(model, "a x b")
    expected = model.evidence_.where(column="a x b")["weight"][1:]
    np.testing.assert_allclose(sorted(bar.get_height() for bar in ax.patches), np.sort(expected))
