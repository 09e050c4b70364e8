"""Decisions of least expected cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayfold import NaiveBayesClassifier
from bayfold.base.decisions import Costs

NAMED = {"sick": {"well": 50}, "well": {"sick": 1}}
LABELS = np.array(["sick", "well"], object)


def expected_by_hand(probability, table, k, decision):
    return sum(p * table[c][decision] for c, p in enumerate(probability[k]))


@given(
    arrays(np.float64, (5, 3), elements=st.floats(0.01, 1.0)),
    arrays(np.float64, (3, 3), elements=st.floats(-5.0, 5.0)),
)
def test_no_other_decision_is_expected_to_cost_less(weights, table):
    probability = weights / weights.sum(axis=1, keepdims=True)
    decided = Costs.read(np.arange(3), table, None).decide(probability)
    for k, taken in enumerate(decided.tolist()):
        costs = [expected_by_hand(probability, table, k, d) for d in range(3)]
        assert costs[taken] <= min(costs) + 1e-12


def test_costs_by_name_are_those_of_the_array():
    probability = np.array([[0.01, 0.99], [0.03, 0.97], [0.5, 0.5]])
    named = Costs.read(LABELS, NAMED, None)
    assert named.decide(probability).tolist() == ["well", "sick", "sick"]
    np.testing.assert_array_equal(named.table, Costs.read(LABELS, [[0, 50], [1, 0]], None).table)


def test_without_costs_the_most_probable_class_is_taken():
    probability = np.array([[0.2, 0.8], [0.6, 0.4]])
    assert Costs.read(LABELS, None, None).decide(probability).tolist() == ["well", "sick"]


@pytest.mark.parametrize(
    ("labels", "kind", "is_missing"),
    [
        (np.array(["a", "b"], object), "O", lambda cell: cell is None),
        (np.array(["a", "b"]), "O", lambda cell: cell is None),
        (np.array([1, 2]), "O", lambda cell: cell is None),
        (np.array([False, True]), "O", lambda cell: cell is None),
        (np.array([0.5, 1.5]), "f", np.isnan),
        (np.array(["2020-01-01", "2021-01-01"], "datetime64[D]"), "M", np.isnat),
    ],
)
def test_what_is_refused_is_a_missing_value_of_the_labels(labels, kind, is_missing):
    decided = Costs.read(labels, None, 0.3).decide(np.array([[0.5, 0.5], [0.1, 0.9]]))
    assert decided.dtype.kind == kind
    assert is_missing(decided[0])
    assert decided[1] == labels[1]


def test_a_decision_that_costs_as_much_as_none_is_taken():
    assert Costs.read(LABELS, None, 0.5).decide(np.array([[0.5, 0.5]])).tolist() == ["sick"]


@pytest.mark.parametrize(
    ("costs", "reject", "message"),
    [
        (
            {"sick": {"well": 1}},
            None,
            r"`costs\['well'\]\['sick'\]` must be a finite number. Got nan",
        ),
        (
            {"ill": {"well": 1}},
            None,
            "`costs` must be about the classes 'sick', 'well'. Got 'ill'.",
        ),
        ({"sick": {"dead": 1}}, None, "Got 'dead'."),
        ({"sick": 3}, None, r"`costs\['sick'\]` must be a mapping from decision to cost. Got 3."),
        ({"sick": {"well": np.inf}, "well": {"sick": 1}}, None, "must be a finite number. Got inf"),
        ({"sick": {"well": [1, 2]}}, None, r"must be a finite number. Got \[1, 2\]"),
        (
            [[0, 1]],
            None,
            r"must have 2 rows \(true classes\) and 2 columns .* Got the shape \(1, 2\)",
        ),
        ([["a", "b"], ["c", "d"]], None, "`costs` must be numbers"),
        (pd.DataFrame(NAMED), None, r"Got a DataFrame. .* give costs.to_dict\('index'\)"),
        (None, -1, "`reject` must be a number that is not negative. Got -1"),
    ],
)
def test_costs_that_cannot_be_are_refused(costs, reject, message):
    with pytest.raises(ValueError, match=message):
        Costs.read(LABELS, costs, reject)


def test_a_model_decides():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = np.where(X[:, 0] + rng.normal(size=400) > 0.8, "sick", "well")
    model = NaiveBayesClassifier().fit(X, y)
    p_sick = model.predict_proba(X)[:, 0]
    np.testing.assert_array_equal(model.decide(X), model.predict(X))
    np.testing.assert_array_equal(model.decide(X, NAMED) == "sick", p_sick * 50 >= 1 - p_sick)
    undecided = model.decide(X, NAMED, reject=0.5)
    refused = np.minimum(p_sick * 50, 1 - p_sick) > 0.5
    assert [cell is None for cell in undecided] == refused.tolist()
