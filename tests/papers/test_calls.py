"""The call of each paper's method: as its page opens with it, as ``papers`` runs it, and as a slow version has it."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin, clone

import bayfold
from papers.elkan1997 import protocol as elkan
from papers.fernandez2008 import protocol as fernandez
from papers.frank1998 import protocol as frank
from papers.ting2003 import protocol as ting
from papers.vilalta2003 import protocol as vilalta
from tests.oracles.test_frank1998 import columns_of
from tests.oracles.test_frank1998 import draw as draw_numbers
from tests.reference import elkan1997, fernandez2008, vilalta2003
from tests.reference.adaboost import boost_m1
from tests.reference.frank1998 import ExactRegressor
from tests.reference.ting2003 import LeveledTrees
from tests.reference.tree import Node, naive_bayes

PAGES = Path(__file__).parents[2] / "docs/methods"
OF_TABLE_OR_RUN = {
    "categorical_features",
    "numeric_features",
    "text_features",
    "special_codes",
    "ngrams",
    "schema",
    "random_state",
    "callback",
    "progress",
    "n_jobs",
}
"""Parameters that say what a table holds, or how a fit is run."""

GIVEN_BINS = {"bins", "max_bins"}
"""Part of the call where the paper has such bins."""

AS_RUN = {
    "frank1998": {
        "mean": lambda: frank.make_regressor("mean"),
        "median": lambda: frank.make_regressor("median"),
        "classifier": frank.make_classifier,
    },
    "elkan1997": {
        "ten_bins": elkan.make_classifier,
        "boosted": lambda: elkan.make_boosted(10),
    },
    "ting2003": {
        "tree": lambda: ting.make_tree(3),
        "boosted": lambda: ting.make_boosted(ting.make_tree(3)),
    },
    "vilalta2003": {"decomposed": lambda: vilalta.make_decomposed(0)},
    "fernandez2008": {"algorithm_1": lambda: fernandez.make_regressor(0)},
}


def read_code(page):
    """The first block of a page."""
    return re.search(r"```python\n(.*?)```", (PAGES / f"{page}.md").read_text(), re.DOTALL)[1]


def read_call(page, name):
    """A model of the page."""
    names: dict = {}
    exec(read_code(page), names)
    return names[name]


def describe(model):
    """All parameters, but for what the table holds and how a fit is run."""
    found = {}
    for name, value in model.get_params(deep=False).items():
        if name not in OF_TABLE_OR_RUN:
            found[name] = describe(value) if isinstance(value, BaseEstimator) else value
    return type(model).__name__, found


@pytest.mark.parametrize("page", AS_RUN)
def test_a_page_opens_with_the_call_that_is_run(page):
    text = (PAGES / f"{page}.md").read_text()
    assert text.index("```python") < text.index("**What it says.**")
    for name, make in AS_RUN[page].items():
        assert describe(read_call(page, name)) == describe(make()), name


@pytest.mark.parametrize("page", AS_RUN)
def test_a_call_spells_out_every_parameter(page):
    """Defaults change: `calibration="temperature"` and `smoothing="shrinkage"` had become some unnoticed."""
    for node in ast.walk(ast.parse(read_code(page))):
        if isinstance(node, ast.Call):
            model = getattr(bayfold, node.func.id)()
            given = {keyword.arg for keyword in node.keywords}
            missing = set(model.get_params(deep=False)) - OF_TABLE_OR_RUN - GIVEN_BINS - given
            assert not missing, node.func.id


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_frank_s_regressor_is_the_sum_over_rows(statistic):
    frame, y = draw_numbers(60)
    exact = ExactRegressor(50 if statistic == "mean" else 100).fit(columns_of(frame), y)
    expected = exact.predict(columns_of(frame), statistic)
    found = read_call("frank1998", statistic).fit(frame, y).predict(frame)
    deviation = np.abs(found - expected) / np.ptp(y)
    assert np.quantile(deviation, 0.9) < 0.005
    assert deviation.max() < (0.005 if statistic == "mean" else 1.01 / 99)


def test_frank_s_classifier_asks_at_zero_and_one():
    frame, y = draw_numbers(60)
    labels = np.where(y > 2, "high", "low")
    exact = ExactRegressor(2).fit(columns_of(frame), (labels == "low").astype(float))
    scores = exact.log_posterior(columns_of(frame))[:, np.isin(exact.grid, (0.0, 1.0))]
    found = read_call("frank1998", "classifier").fit(frame, labels).predict(frame)
    margin = scores[:, 1] - scores[:, 0]
    sure = np.abs(margin) > 0.05  # tables interpolate
    assert sure.mean() > 0.9
    assert (found[sure] == np.where(margin[sure] > 0, "low", "high")).all()


def draw_two_columns(n=150):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 3)) + 0.8 * y[:, None], y


def test_elkan_s_ten_bins_are_equations_1_and_2():
    X, y = draw_two_columns()
    model = read_call("elkan1997", "ten_bins").fit(X, y)
    expected = [elkan1997.find_probabilities(list(X.T), y.tolist(), row) for row in X]
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)


def test_elkan_s_boosting_is_the_loop_over_ten_bins():
    X, y = draw_two_columns()
    columns = list(X.T)
    codes = np.array(
        [[2 + elkan1997.cut_ten(column, v) for column, v in zip(columns, row, strict=True)] for row in X]
    )  # fmt: skip
    answers = []

    def fit_and_score(weights):
        node = Node(list(enumerate(weights)), frozenset())
        answers.append([naive_bayes(node, row, codes, y, 2, 1e-6, False) for row in codes])
        return answers[-1]

    def draw():
        raise AssertionError("these rows need no restart")

    errors, votes, _ = boost_m1(fit_and_score, y, np.ones(len(y)), 3, draw)
    shares = np.zeros((len(y), 2))
    for found, vote in zip(answers, votes, strict=True):
        shares[np.arange(len(y)), np.argmax(found, axis=1)] += vote
    model = read_call("elkan1997", "boosted").set_params(n_rounds=3).fit(X, y)
    np.testing.assert_allclose(model.round_errors_, errors, rtol=1e-6)
    np.testing.assert_allclose(model.round_votes_, votes, rtol=1e-6)
    found = model.predict_proba(X)
    np.testing.assert_allclose(found, shares / shares.sum(axis=1, keepdims=True), atol=1e-6)


def draw_mixed(n=160):
    """Columns that speak together, some of their cells missing."""
    rng = np.random.default_rng(3)
    a, b = rng.choice(list("uvw"), n), rng.choice(list("xy"), n)
    number = rng.normal(size=n).round(2)
    y = np.where((a == "u") ^ (number > 0.3), 0, 1 + (b == "x"))
    y[rng.random(n) < 0.1] = 0
    frame = pd.DataFrame({"a": a, "b": b, "number": number}).astype({"a": object, "b": object})
    frame.loc[rng.random(n) < 0.1, "a"] = None
    frame.loc[rng.random(n) < 0.1, "number"] = np.nan
    columns = [
        *(np.where(frame[name].isna(), None, frame[name].to_numpy(object)) for name in "ab"),
        frame["number"].to_numpy(float),
    ]
    return frame, y, columns


@pytest.mark.parametrize("depth", [1, 3])
def test_ting_s_trees_are_the_recursion(depth):
    frame, y, columns = draw_mixed()
    expected = LeveledTrees(columns, y, 3, depth).fit(np.ones(len(y)))
    model = read_call("ting2003", "tree").set_params(max_depth=depth).fit(frame, y)
    assert model.depth_ == depth
    np.testing.assert_allclose(model.predict_proba(frame), expected, rtol=1e-8, atol=1e-12)


def test_ting_s_boosting_is_the_loop_over_trees():
    frame, y, columns = draw_mixed()
    shares, errors, votes = LeveledTrees(columns, y, 3, 1).boost(4)
    model = read_call("ting2003", "boosted").set_params(n_rounds=4, base__max_depth=1)
    model.fit(frame, y)
    np.testing.assert_allclose(model.round_errors_, errors, rtol=1e-9)
    np.testing.assert_allclose(model.round_votes_, votes, rtol=1e-9)
    found = model.predict_proba(frame)
    np.testing.assert_allclose(found, shares, atol=1e-9)


class CutInTwo(ClusterMixin, BaseEstimator):
    """Clusters by the first column of numbers, so that a test knows them."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit_predict(self, X, y=None):
        """Below and above zero."""
        return (X["first"].to_numpy() > 0).astype(int)


def test_vilalta_s_classes_of_clusters_are_naive_bayes_on_pairs():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(-1, 1, (120, 2)), columns=["first", "second"])
    frame["word"] = rng.choice(list("pq"), 120)
    y = np.where(frame["first"] * frame["second"] > 0, "same", "opposite")
    model = read_call("vilalta2003", "decomposed")
    model.set_params(clusterer=CutInTwo(), n_clusters=2).fit(frame, y)
    rows = frame.to_numpy(object).tolist()
    labels = list(zip(y, frame["first"] > 0, strict=True))
    expected = [vilalta2003.predict_row(rows, labels, row) for row in rows]
    assert model.predict(frame).tolist() == expected


def test_fernandez_s_prediction_is_the_posterior_mean_over_pieces():
    rng = np.random.default_rng(0)
    y = rng.uniform(0, 10, 80)
    frame = pd.DataFrame({"a": y + rng.normal(size=80), "b": rng.normal(size=80)})
    frame["word"] = np.where(y + rng.normal(size=80) > 5, "high", "low")
    model = read_call("fernandez2008", "algorithm_1").fit(frame, y)
    densities = [model.densities(name) for name in "ab"]
    assert all(fernandez2008.is_density(density) for of in densities for density in of)
    assert all(len(density.widths) <= 4 for of in densities for density in of)
    cuts = model.piece_edges_[1:-1]
    assert len(cuts) == 3
    shares = {2: frame["word"].tolist()}
    rows = frame[:20].to_numpy(object).tolist()
    expected = [fernandez2008.predict_row(y, cuts, densities, shares, row) for row in rows]
    np.testing.assert_allclose(model.predict(frame[:20]), expected, rtol=1e-6)


def test_fernandez_s_algorithm_fills_gaps_as_long_as_the_error_falls():
    """Whatever is drawn, it is the error on known targets that decides: each kept round has a lower one."""
    rng = np.random.default_rng(0)
    y = rng.uniform(0, 10, 120)
    frame = pd.DataFrame({"a": y + rng.normal(size=120), "b": y + 2 * rng.normal(size=120)})
    frame = frame.mask(rng.random(frame.shape) < 0.3)
    known = np.where(rng.random(120) < 0.2, np.nan, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = read_call("fernandez2008", "algorithm_1").set_params(random_state=0)
        model.fit(frame, known)
        again = clone(model).fit(frame, known)
    trace = model.trace_
    kept = trace["rmse"][trace["kept"]]
    assert (np.diff(kept) < 0).all()
    assert trace["kept"].tolist() == [True] * len(kept) + [False] * (len(trace) - len(kept))
    of_known = ~np.isnan(known)
    found = model.predict(frame[of_known])
    assert np.sqrt(np.mean((found - y[of_known]) ** 2)) == pytest.approx(kept[-1], rel=1e-6)
    np.testing.assert_array_equal(found, again.predict(frame[of_known]))
