"""Pairs that are named are looked for alone, forbidden ones never, in trees, hidden grids and linear starts."""

import numpy as np
import pandas as pd
import pytest

from bayfold import BoostedNaiveBayesClassifier, BoostedNaiveBayesRegressor

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
N = 800
X = pd.DataFrame(RNG.normal(size=(N, 4)), columns=["a", "b", "c", "d"])
X["kind"] = RNG.choice(["x", "y", "z"], N)
SIGNAL = 2 * np.sign(X["a"] * X["b"]) + X["c"] * X["d"] + X["a"] * (X["kind"] == "x")
Y = (SIGNAL + RNG.normal(size=N) > 0).astype(int)
MODELS = {
    "class": (BoostedNaiveBayesClassifier(n_rounds=60), Y),
    "number": (BoostedNaiveBayesRegressor(n_rounds=60), SIGNAL),
}


def find_pairs(model):
    names = model.schema_.names
    return {tuple(sorted(names[j] for j in pair.columns)) for pair in model.collapse().model_.pairs}


@pytest.mark.parametrize("kind", list(MODELS))
def test_only_named_pairs_are_found(kind):
    model, y = MODELS[kind]
    model.set_params(forbidden_interactions=None, interactions=2).fit(X, y)
    assert len(find_pairs(model)) > 3
    model.set_params(interactions=[("b", "a"), ["a", "kind"]]).fit(X, y)
    assert find_pairs(model) <= {("a", "b"), ("a", "kind")}
    assert ("a", "b") in find_pairs(model)


@pytest.mark.parametrize("kind", list(MODELS))
def test_forbidden_pairs_are_not_found(kind):
    model, y = MODELS[kind]
    forbidden = [("d", "c"), "kind"]
    model.set_params(interactions=2, forbidden_interactions=forbidden).fit(X, y)
    found = find_pairs(model)
    assert ("a", "b") in found
    assert ("c", "d") not in found
    assert not any("kind" in pair for pair in found)


def test_a_board_of_a_forbidden_pair_is_not_looked_for():
    board = pd.DataFrame(RNG.uniform(0, 4, (1000, 2)), columns=["u", "v"])
    y = (np.floor(board["u"]) + np.floor(board["v"])).astype(int) % 2
    free = BoostedNaiveBayesClassifier(n_rounds=20).fit(board, y)
    assert find_pairs(free) == {("u", "v")}
    held = BoostedNaiveBayesClassifier(n_rounds=20, forbidden_interactions=[("u", "v")])
    assert find_pairs(held.fit(board, y)) == set()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interactions": 4}, "whole number from 1 to 3, or a list of pairs"),
        ({"interactions": "a"}, "whole number from 1 to 3, or a list of pairs"),
        ({"interactions": []}, "a list of pairs of columns"),
        ({"interactions": ["ab"]}, "a list of pairs of columns"),
        ({"interactions": [("a", "q")]}, "columns of the table"),
        ({"interactions": [("a", "a")]}, "pairs of two different columns"),
        ({"forbidden_interactions": "a"}, "None or a list of columns"),
        ({"forbidden_interactions": ["q"]}, "columns of the table"),
        ({"interactions": 1, "forbidden_interactions": ["a"]}, "with interactions=1"),
        (
            {"interactions": [("a", "b")], "forbidden_interactions": ["b"]},
            "other pairs than `forbidden_interactions`. Got \\('a', 'b'\\)",
        ),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    model = BoostedNaiveBayesClassifier(**settings)
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)
    assert not hasattr(model, "schema_")


def test_columns_that_cannot_be_paired_are_named():
    many = X.assign(code=[f"k{k % 300}" for k in range(N)])
    model = BoostedNaiveBayesClassifier(interactions=[("a", "code")])
    with pytest.raises(ValueError, match="at most 254 categories"):
        model.fit(many, Y)
