"""Boosted tables in a given order: proved by looking everywhere, priced on left-out rows, kept by files and exports."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

from bayfold import BoostedNaiveBayesClassifier, BoostedNaiveBayesRegressor, load
from bayfold.errors import DataWarning
from bayfold.families.boosting import learner, monotone
from bayfold.families.boosting.linear.models import LOGISTIC

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

WAYS = {"a": "increasing", "b": "decreasing", "c": "peak", "d": "valley"}


def make_rows(n=1200, seed=0):
    """Numbers whose effects go against the order, together and alone, some of them missing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(-1, 1, (n, 4)), columns=list("abcd")).round(2)
    X["b"] = (X["b"] + X["a"]) / 2
    X["kind"] = rng.choice(["x", "y", "z"], n)
    score = np.sin(4 * X["a"]) - 2 * X["a"] * X["b"] + 2 * X["c"] * X["d"] - X["c"] + X["b"] ** 2
    X.loc[rng.random(n) < 0.05, "a"] = np.nan
    X.loc[rng.random(n) < 0.1, "d"] = 9.0
    return X, np.nan_to_num(score) + (X["kind"] == "x"), rng


X, SCORE, RNG = make_rows()
LABELS = (RNG.random(len(X)) < 1 / (1 + np.exp(-SCORE))).astype(int)
NUMBERS = SCORE + RNG.normal(0, 0.5, len(X))
COUNTS = RNG.poisson(np.exp(SCORE / 2))
MODELS = {
    "classes": (BoostedNaiveBayesClassifier, {}, LABELS),
    "slopes": (BoostedNaiveBayesClassifier, {"bins": 6}, LABELS),
    "no pairs": (BoostedNaiveBayesClassifier, {"interactions": 1}, LABELS),
    "number": (BoostedNaiveBayesRegressor, {}, NUMBERS),
    "two values": (BoostedNaiveBayesRegressor, {}, LABELS),
    "rate": (BoostedNaiveBayesRegressor, {"loss": "poisson"}, COUNTS),
}


def fit(kind, **more):
    cls, given, y = MODELS[kind]
    given = {"special_codes": {"d": 9.0}, "monotone": WAYS, "n_rounds": 60} | given | more
    return cls(**given).fit(X, y)


def answers(model, rows):
    return model.predict_proba(rows)[:, 1] if hasattr(model, "classes_") else model.predict(rows)


def turns_once(values, peak):
    steps = np.sign(np.where(np.abs(np.diff(values)) < 1e-9, 0, np.diff(values))) * (
        1 if peak else -1
    )
    falls = np.flatnonzero(steps < 0)
    return not len(falls) or not (steps[falls[0] :] > 0).any()


@pytest.mark.parametrize("kind", list(MODELS))
def test_no_row_goes_against_the_order(kind):
    """The oracle is a walk along each column with the other cells of many rows, unseen and missing ones among them."""
    model = fit(kind)
    free = fit(kind, monotone=None)
    assert len(model.monotone_violations_["step"]) == 0
    assert not np.allclose(answers(model, X), answers(free, X), atol=1e-3)
    others = X.sample(40, random_state=1)
    others.iloc[:5, 4] = "new"
    others.iloc[5:10] = None
    n_wrong_before = 0
    for column, way in WAYS.items():
        grid = np.sort(np.append(np.linspace(-1.2, 1.2, 60), X[column].dropna().unique()[:60]))
        grid = grid[grid != 9.0]
        for _, row in others.iterrows():
            walk = (
                pd.DataFrame([row] * len(grid)).astype(X.dtypes.to_dict()).assign(**{column: grid})
            )
            told, before = answers(model, walk), answers(free, walk)
            sign = -1 if way == "decreasing" else 1
            for values, is_free in ((told, False), (before, True)):
                if way in ("increasing", "decreasing"):
                    right = (sign * np.diff(values) >= -1e-9).all()
                else:
                    right = turns_once(values, way == "peak")
                assert right or is_free
                n_wrong_before += not right
    assert n_wrong_before > 20


def test_all_quantiles_of_a_number_follow():
    model = fit("number")
    grid = np.linspace(-1, 1, 50)
    for _, row in X.sample(10, random_state=2).iterrows():
        walk = pd.DataFrame([row] * 50).astype(X.dtypes.to_dict()).assign(a=grid)
        quantiles = model.predict_quantiles(walk, [0.02, 0.3, 0.5, 0.98])
        assert (np.diff(quantiles, axis=0) >= -1e-9).all()


def test_what_is_in_order_stays_bit_by_bit():
    """Rising columns are told to rise: nothing is pooled, nothing moves."""
    rng = np.random.default_rng(3)
    table = rng.integers(0, 3, (3000, 2)).astype(float)
    y = rng.random(3000) < (1 + table[:, 0] + 2 * table[:, 1]) / 8
    free, model = (
        BoostedNaiveBayesClassifier(interactions=1, linear=False, monotone=given).fit(table, y)
        for given in (None, {0: "increasing", 1: "auto"})
    )
    np.testing.assert_allclose(model.predict_proba(table), free.predict_proba(table), atol=1e-9)
    assert "x1 increasing (found)" in model.summary().facts["monotone"]


@pytest.mark.parametrize("given", ["increasing", "decreasing"])
def test_the_price_is_that_of_left_out_rows(given):
    rng = np.random.default_rng(5)
    train, test = rng.normal(size=(2, 3000, 2))
    y, y_test = ((rng.random(3000) < 1 / (1 + np.exp(-2 * t[:, 0]))) for t in (train, test))
    model = BoostedNaiveBayesClassifier(monotone={0: given}).fit(train, y)
    free = BoostedNaiveBayesClassifier().fit(train, y)
    losses = [-np.log(np.where(y_test, *m.predict_proba(test).T[::-1])) for m in (model, free)]
    more = losses[0] - losses[1]
    chance = 3 * more.std() * np.sqrt(2 / 3000)  # of the price, and of these rows
    rule = model.collapse().model_.monotone
    assert rule.ordered - rule.free == pytest.approx(more.mean(), abs=chance)
    assert (rule.ordered - rule.free < 0.002) == (given == "increasing")
    shown = model.summary().facts["monotone"]
    assert f"log-loss {rule.ordered:.4g} instead of {rule.free:.4g} without" in shown


def test_models_that_left_out_a_fold_say_what_they_said(monkeypatch):
    """The tables of a part of the trees are those of the models that left a fold out."""
    seen = []

    def look(trees, left_out, rows, added, order):
        for k in range(8):
            fold = slice(*rows.folds[k : k + 2])
            part = added(monotone.take_model(trees, k, 8))
            some = monotone._take(rows, fold)
            seen.append(np.abs(monotone.add_up_tables(part, some) - left_out[fold]).max())
        return order_tables(trees, left_out, rows, added, order)

    order_tables = monotone.order_tables
    monkeypatch.setattr(learner, "order_tables", look)
    fit("classes", n_models=8, linear=False)
    assert max(seen) < 1e-6
    fit("slopes", n_models=8)
    assert max(seen) < 0.5  # slopes are those of all rows


def test_the_mean_stays_where_it_was():
    for kind in ("classes", "number", "rate"):
        y = MODELS[kind][2]
        mean = answers(fit(kind), X).mean()
        assert mean == pytest.approx(y.mean(), abs=0.25 * y.std() / np.sqrt(len(y)) * 4)


@pytest.mark.parametrize("kind", ["classes", "number", "rate"])
def test_files_keep_the_order(kind, tmp_path):
    model = fit(kind)
    model.save(tmp_path / "model.bayfold")
    read = load(tmp_path / "model.bayfold")
    assert read.summary().facts == model.summary().facts
    assert len(read.monotone_violations_["step"]) == 0
    assert "monotone" in read.collapse().summary().facts


def test_edits_against_the_order_are_named():
    model = fit("slopes", bins={"a": [-0.5, 0.0, 0.5]})
    with pytest.warns(DataWarning, match="not monotone in 'a' any more"):
        edited = model.edit("a", "< -0.5", weight=3.0, reason="test")
    wrong = edited.monotone_violations_
    assert wrong["column"].tolist() == ["a"]
    assert wrong["value"].tolist() == [-0.5]
    assert wrong["step"][0] < -1
    assert len(edited.undo().monotone_violations_["step"]) == 0


def test_exports_keep_the_order():
    model = fit("classes")
    exported = json.loads(model.to_json())
    assert exported == json.loads(model.collapse().to_json())


BAD = [
    ({"q": "increasing"}, ValueError, "columns of the table"),
    ({"kind": "increasing"}, ValueError, r"about columns of numbers.*kind \(categories\)"),
    ({"a": "increasing", 0: "decreasing"}, ValueError, "one direction for 'a'"),
    ({"a": "up"}, ValueError, '"increasing", "decreasing", "peak", "valley", "auto"'),
]


@pytest.mark.parametrize(("given", "error", "text"), BAD)
def test_directions_that_cannot_be(given, error, text):
    for kind in ("classes", "number"):
        with pytest.raises(error, match=text):
            fit(kind, monotone=given)


def test_more_than_two_classes_are_refused():
    with pytest.raises(ValueError, match=r"exactly two classes.*3 classes"):
        BoostedNaiveBayesClassifier(monotone={"a": "increasing"}).fit(X, X["kind"])


def test_no_proof_of_what_was_not_asked():
    with pytest.raises(AttributeError, match="without `monotone`"):
        _ = fit("no pairs", monotone=None).monotone_violations_


def test_pooling_is_the_nearest_in_order():
    """Beside trying all values of a grid."""
    weights = np.array([1.0, 3.0, 2.0])
    rng = np.random.default_rng(0)
    grid = np.array(list(product(np.linspace(-2, 2, 21), repeat=3)))
    grid = grid[(np.diff(grid, axis=1) >= 0).all(axis=1)]
    for values in rng.normal(size=(20, 3)):
        found = monotone._pool_run(values[:, None], weights, True)[:, 0]
        best = (weights * (grid - values) ** 2).sum(axis=1).min()
        assert (weights * (found - values) ** 2).sum() <= best + 1e-12
        assert (np.diff(found) >= 0).all()


def test_curvature_is_that_of_the_loss():
    scores = np.array([[-1.0], [0.5]])
    order = monotone.OrderWanted({}, LOGISTIC.judge, np.array([0, 1]), None)
    p = 1 / (1 + np.exp(-scores[:, 0]))
    steps = [order.judge(scores + s, order.targets)[1][:, 0] for s in (-1e-4, 1e-4)]
    np.testing.assert_allclose((steps[1] - steps[0]) / 2e-4, p * (1 - p), rtol=1e-5)
