"""Boosted tables for a number: laws, hard targets, what can be asked."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from bayfold import BoostedNaiveBayesRegressor, errors, load

RNG = np.random.default_rng(0)
N = 240
X = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": RNG.integers(0, 5, N).astype(float),
        "c": RNG.choice(["x", "y", "z"], N),
        "d": RNG.exponential(size=N),
    }
).mask(RNG.random((N, 4)) < 0.05)
SIGNAL = np.nan_to_num(X["a"].to_numpy()) * 2 + np.where(X["c"] == "x", np.nan_to_num(X["b"]), 0.0)
Y = SIGNAL + RNG.normal(size=N) * (0.3 + np.nan_to_num(X["d"].to_numpy()))

HARD = {
    "constant": np.full(N, 7.25),
    "zero": np.zeros(N),
    "two values": (SIGNAL > 1).astype(float),
    "whole numbers": np.rint(Y),
    "mostly zero": np.where(SIGNAL > 1.5, np.exp(Y), 0.0),
    "heavy tail": np.exp(2 * Y),
    "outlier": np.append(Y[:-1], 1e9),
    "huge": 1e300 * Y,
    "tiny": 1e-300 * Y,
    "nearly equal": 1e9 + 1e-6 * np.rint(1e3 * Y),
    "rounding": 0.1 * 3 + np.where(SIGNAL > 1, 0.0, 2.0**-54),
}


CONSTANT = ("constant", "zero", "rounding")


def fit(y, X=X, n_rounds=60, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return BoostedNaiveBayesRegressor(n_rounds=n_rounds, **parameters).fit(X, y)


@pytest.fixture(scope="module")
def model():
    return fit(Y)


def same(a, b):
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    levels = [0.05, 0.5, 0.95]
    np.testing.assert_array_equal(a.predict_quantiles(X, levels), b.predict_quantiles(X, levels))


# laws


def test_weight_two_is_the_row_twice():
    weights = 1.0 + (np.arange(N) % 3 == 0)
    twice = np.repeat(np.arange(N), weights.astype(int))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weighted = BoostedNaiveBayesRegressor(n_rounds=40).fit(X, Y, sample_weight=weights)
        doubled = BoostedNaiveBayesRegressor(n_rounds=40).fit(X.iloc[twice], Y[twice])
    same(weighted, doubled)


def test_weight_zero_is_the_row_absent():
    kept = np.arange(N) % 4 > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weighted = BoostedNaiveBayesRegressor(n_rounds=40).fit(X, Y, sample_weight=kept)
    same(weighted, fit(Y[kept], X[kept], n_rounds=40))


def test_order_of_rows_and_columns_threads_and_names_change_nothing(model):
    shuffled = np.random.default_rng(1).permutation(N)
    same(model, fit(Y[shuffled], X.iloc[shuffled]))
    same(model, fit(Y, n_jobs=1))
    other = fit(Y, X[["d", "b", "c", "a"]])
    found = other.predict(X[["d", "b", "c", "a"]])
    whole = X.notna().all(axis=1)
    np.testing.assert_allclose(found[whole], model.predict(X)[whole], rtol=1e-9)
    # what a missing cell leaves unknown hangs on how tables of pairs are purified, which ends by a tolerance
    np.testing.assert_allclose(found, model.predict(X), atol=1e-3 * Y.std())
    renamed = X.assign(c=X["c"].map({"x": "the last", "y": "b", "z": "a"}))
    np.testing.assert_allclose(fit(Y, renamed).predict(renamed), model.predict(X), rtol=1e-9)


@pytest.mark.parametrize(("shift", "scale"), [(0.0, 2.0**20), (1024.0, 1.0), (-3.7, 0.37)])
def test_shift_and_scale_change_the_unit_alone(model, shift, scale):
    moved = fit(shift + scale * Y)
    expected = shift + scale * model.predict_quantiles(X, [0.1, 0.5, 0.9])
    found = moved.predict_quantiles(X, [0.1, 0.5, 0.9])
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * scale)
    np.testing.assert_allclose(moved.predict(X), shift + scale * model.predict(X), rtol=1e-6)


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
def test_a_model_without_rounds_has_one_stage():
    model = BoostedNaiveBayesRegressor().fit(np.full((60, 3), np.nan), np.arange(60.0))
    assert model.n_rounds_ == 0
    (only,) = model.staged_predict(np.full((2, 3), np.nan))
    np.testing.assert_array_equal(only, model.predict(np.full((2, 3), np.nan)))


def test_it_collapses_to_the_same_answers(model):
    collapsed = model.collapse()
    same(collapsed, model)
    staged = list(model.staged_predict(X))
    assert len(staged) == model.n_rounds_
    np.testing.assert_allclose(staged[-1], model.predict(X), rtol=1e-10)
    with pytest.raises(AttributeError, match="must be made by `collapse"):
        collapsed.fit(X, Y)


def test_tables_are_the_sum_of_the_trees(model):
    """On rows without missing or unseen cells, the trees of all models add up to what the tables say."""
    ensemble = model._ensemble
    block = ensemble.predictor.coder.open(model._read(X)).block(0, N)
    *_, walked = ensemble.rounds.walk(block)
    tables = ensemble.predictor.score(model._read(X))[:, :1]
    np.testing.assert_allclose(walked, tables, rtol=1e-10, atol=1e-10)


def test_explanations_add_up(model):
    found = model.explain(X[:20])
    frame = found.to_frame("pandas")
    by_row = frame.groupby("row")[["shift", "location", "log_spread"]].sum()
    np.testing.assert_allclose(by_row["shift"], model.predict(X[:20]), rtol=1e-9)
    scores = model._ensemble.predictor.score(model._read(X[:20]))[:, :2]
    np.testing.assert_allclose(by_row[["location", "log_spread"]], scores, atol=1e-9)
    assert frame["column"][0] == "(prior)"


def test_the_evidence_shows_every_bin_and_pair(model):
    found = model.evidence_.to_frame("pandas")
    assert {"a", "b", "c", "d"} < set(found["column"])
    assert any(" x " in name for name in found["column"])
    assert found[found["column"] == "c"]["total"].sum() == N
    by_number = found[(found["column"] == "a") & found["lower"].notna()]
    assert by_number["shift"].iloc[0] < 0 < by_number["shift"].iloc[-1]


def test_a_column_of_noise_or_a_copy_of_one_costs_little(model):
    rng = np.random.default_rng(5)
    test = pd.DataFrame({"a": rng.normal(size=500), "c": rng.choice(["x", "y"], 500)})
    train = pd.DataFrame({"a": rng.normal(size=500), "c": rng.choice(["x", "y"], 500)})
    y = train["a"] + (train["c"] == "x") + 0.1 * rng.normal(size=500)
    truth = test["a"] + (test["c"] == "x")

    def error(**more):
        fitted = fit(y.to_numpy(), train.assign(**{k: v[:500] for k, v in more.items()}), 300)
        rows = test.assign(**{k: v[500:] for k, v in more.items()})
        return float(np.sqrt(np.mean((fitted.predict(rows) - truth) ** 2)))

    plain = error()
    assert error(noise=rng.normal(size=1000)) < 1.25 * plain
    names = np.array([f"id {k}" for k in range(1000)], object)
    assert error(identifier=names) < 1.25 * plain
    assert error(same=np.append(train["a"], test["a"])) < 1.25 * plain


def test_copies_of_rows_do_not_make_it_sure_of_itself():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    once, often = fit(y, X), fit(np.repeat(y, 5), np.repeat(X, 5, axis=0))
    width = [np.diff(m.predict_interval(X)).mean() for m in (once, often)]
    assert width[1] > 0.85 * width[0]


def test_a_category_that_decides_is_heard_however_many_there_are():
    rng = np.random.default_rng(0)
    level = rng.normal(size=400)
    category = rng.integers(0, 400, 6000)
    y = level[category] + 0.1 * rng.normal(size=6000)
    table = pd.DataFrame({"c": np.array([f"c{k}" for k in range(400)], object)[category]})
    fitted = fit(y[:5000], table[:5000], 30)
    off = fitted.predict(table[5000:]) - level[category[5000:]]
    assert np.sqrt(np.mean(off**2)) < 0.2


# hard targets


@pytest.mark.parametrize("name", list(HARD))
def test_distributions_are_finite_and_whole(name):
    y = HARD[name]
    fitted = fit(y, n_rounds=20)
    rows = X[:15]
    found = fitted.predict_distribution(rows)
    low, high = float(y.min()), float(y.max())
    room = max(high / 4 - low / 4, 1e-6 * max(abs(high), 1e-3) if name in CONSTANT else 0.0)
    mean, quantiles = fitted.predict(rows), found.ppf(np.linspace(0, 1, 41))
    # tails have no end: a bound beyond the training rows would make later targets impossible
    assert np.isfinite(quantiles).all()
    assert np.isfinite(mean).all()
    assert (mean >= low - 1.01 * room).all()
    assert (mean <= high + 1.01 * room).all()
    assert (np.diff(quantiles, axis=1) >= 0).all()
    np.testing.assert_allclose(found.mean(), mean)
    assert np.isfinite(found.crps(y[:15])).all()
    assert np.isfinite(found.pdf(y[:15])).all()
    cdf = found.cdf([-np.inf, np.inf])
    np.testing.assert_array_equal(cdf, np.tile([0.0, 1.0], (15, 1)))
    assert np.isfinite(found.sample(3, random_state=0)).all()


@pytest.mark.parametrize("name", list(HARD))
def test_densities_integrate_to_one(name):
    y = HARD[name]
    found = fit(y, n_rounds=20).predict_distribution(X[:5])
    scale = found.scale
    # between neighbouring knots of the scale and of the shape, a density is level, or nearly so in its tails
    tail = 0.01 * 0.95 ** np.arange(400)
    nodes = np.append(found.shape.nodes[1:-1], found.shape.ppf(np.append(tail, 1 - tail)))
    knots = scale.cells[1]
    if not scale.is_discrete:
        places = found.location[:, None] + found.spread[:, None] * nodes
        knots = np.append(np.tile(scale.knots[0], (5, 1)), scale.to_target(places), axis=1)
        knots.sort(axis=1)
    knots = np.broadcast_to(knots, (5, knots.shape[-1]))
    middles = knots[:, 1:] / 2 + knots[:, :-1] / 2
    mass = (found.pdf(middles) * np.diff(knots, axis=1)).sum(axis=1)
    atoms = np.unique(scale.values[scale.is_atom(scale.values)])
    mass += found.pdf(atoms).sum(axis=1)
    np.testing.assert_allclose(mass, 1.0, rtol=1e-3)


@pytest.mark.parametrize("y", [Y, np.rint(Y), np.maximum(Y, 0)])
def test_no_target_between_the_training_ones_is_impossible(y):
    """A shape that ended at the largest errors gave them a log-score of minus infinity, one row in a hundred."""
    found = fit(y).predict_distribution(X[:20])
    for truth in np.unique(y)[:: len(np.unique(y)) // 4]:
        assert np.isfinite(found.log_score(np.full(20, truth))).all()


def test_far_errors_are_found_again_from_their_probabilities():
    shape = fit(Y).predict_distribution(X[:2]).shape
    below, above = shape.nodes[1] - shape.nodes[0], shape.nodes[-1] - shape.nodes[-2]
    far = np.concatenate(
        [shape.nodes[1] - below * DEEP[::-1], shape.nodes, shape.nodes[-2] + above * DEEP]
    )
    found = shape.ppf(shape.cdf(far))
    np.testing.assert_allclose(found, far, rtol=1e-3)
    np.testing.assert_allclose(shape.cdf(far) + shape.sf(far), 1.0, rtol=1e-14)


DEEP = np.array([1.0, 3.0, 8.0, 14.0])
"""Of the distance between the last two quantiles, which is twice the mean of what lies beyond the first of them."""


def test_a_target_of_few_values_takes_these_values():
    fitted = fit(np.rint(Y))
    assert set(fitted.predict_quantiles(X).ravel()) <= set(np.rint(Y))
    assert fitted.predict_distribution(X).cdf(np.rint(Y).max()).min() == 1.0


def test_two_values_are_a_probability():
    y = (SIGNAL + RNG.normal(size=N) > 1).astype(float)
    fitted = fit(y, n_rounds=200)
    mean = fitted.predict(X)
    assert ((mean >= 0) & (mean <= 1)).all()
    assert mean[y == 1].mean() > mean[y == 0].mean() + 0.2


def test_intervals_cover_what_they_promise():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=3000) * np.exp(X[:, 3])
    fitted = fit(y[:1500], X[:1500], 300)
    found = fitted.measure_coverage(X[1500:], y[1500:], [0.5, 0.9])["coverage"]
    assert abs(found[0] - 0.5) < 0.06
    assert abs(found[1] - 0.9) < 0.03
    width = np.diff(fitted.predict_interval(X[1500:]))[:, 0]
    wide, narrow = X[1500:, 3] > 1, X[1500:, 3] < -1
    assert width[wide].mean() > 2 * width[narrow].mean()


def test_cells_beyond_the_training_range_are_the_outermost_ones(model):
    far = X[:3].assign(a=[1e300, -1e300, 1e9])
    near = X[:3].assign(a=[X["a"].max(), X["a"].min(), X["a"].max()])
    np.testing.assert_array_equal(model.predict(far), model.predict(near))


@pytest.mark.parametrize("n_rows", [1, 2, 3, 10])
def test_few_rows_are_enough(n_rows):
    fitted = fit(Y[:n_rows], X[:n_rows])
    assert np.isfinite(fitted.predict(X)).all()
    assert np.isfinite(fitted.predict_interval(X)).all()


# parameters and files


def test_one_column_tables_alone():
    fitted = fit(Y, interactions=1)
    assert not any(" x " in name for name in fitted.evidence_["column"])


def test_fewer_pairs_cost_what_is_said():
    fitted = fit(Y, max_pairs=1)
    assert sum(" x " in name for name in set(fitted.evidence_["column"])) == 1
    assert 0 < fitted.left_out_share_ < 1


def test_the_median_is_a_choice():
    fitted = fit(Y, statistic="median")
    np.testing.assert_array_equal(fitted.predict(X), fitted.predict_quantiles(X, 0.5))


@pytest.mark.parametrize("collapsed", [False, True])
def test_files_hold_it(tmp_path, model, collapsed):
    kept = model.collapse() if collapsed else model
    kept.save(tmp_path / "model")
    same(load(tmp_path / "model"), kept)
    kept.save(tmp_path / "small", statistics=False)
    same(load(tmp_path / "small"), kept)


def test_exports_are_refused_in_words(model):
    with pytest.raises(errors.ExportError, match="scale of the target"):
        model.to_sql()


def test_sources_give_the_model_of_the_table(tmp_path):
    X.assign(y=Y).to_parquet(tmp_path / "rows.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BoostedNaiveBayesRegressor(n_rounds=20)
        model.fit_source(tmp_path / "rows.parquet", target="y", progress=False)
    same(model, fit(Y, n_rounds=20))


def test_slopes_are_entries_of_tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = X @ np.arange(1.0, 7.0) + rng.normal(size=300)
    with_slopes, without = fit(y[:200], X[:200], 300), fit(y[:200], X[:200], 300, linear=False)
    assert with_slopes.blend_weights_[1:].sum() > 0
    assert without.blend_weights_.tolist() == [1.0, 0.0, 0.0]
    errors = [np.square(m.predict(X[200:]) - y[200:]).mean() for m in (with_slopes, without)]
    assert errors[0] < 0.7 * errors[1]
    found = with_slopes.explain(X[200:205]).to_frame("pandas")
    sums = found.groupby("row")["shift"].sum()
    np.testing.assert_allclose(sums, with_slopes.predict(X[200:205]), rtol=1e-9)
    staged = list(with_slopes.staged_predict(X))
    np.testing.assert_allclose(staged[-1], with_slopes.predict(X), rtol=1e-9)


def test_the_callback_hears_of_the_rounds():
    heard = []
    fit(Y, callback=lambda *told: heard.append(told))
    assert heard[-1][0] <= heard[-1][1] == 60


def test_the_summary_names_what_matters(model):
    found = model.summary()
    importances = dict(zip(found.columns["column"], found.columns["importance"], strict=True))
    assert importances["a"] == max(importances.values())
    assert abs(sum(importances.values()) - 1) < 1e-9
    assert model.collapse().summary().columns["importance"].tolist() == list(importances.values())


@pytest.mark.parametrize("columns", [["code"], ["code", "name"]])
def test_a_target_that_a_category_tells_exactly_is_learnt(columns):
    """Prices of goods: equal rows have equal targets, and are no copies of each other for that."""
    rng = np.random.default_rng(0)
    good = rng.integers(0, 100, 2000)
    X = pd.DataFrame({"code": good, "name": good}).astype(str)[columns]
    prices = rng.normal(size=100)[good]
    model = BoostedNaiveBayesRegressor().fit(X, prices)
    assert np.abs(model.predict(X) - prices).max() < 0.1


SKEWED = {
    "lognormal": lambda rng, X: np.exp(rng.normal(size=len(X))),
    "claims": lambda rng, X: (rng.random(len(X)) < 0.05) * np.exp(7 + rng.normal(size=len(X))),
    "counts": lambda rng, X: rng.poisson(np.exp(X[:, 0] + 0.3)).astype(float),
    "capped": lambda rng, X: np.minimum(np.exp(X @ [0.5, 0.5, 0.3] + rng.normal(size=len(X))), 3),
}


@pytest.mark.parametrize("name", list(SKEWED))
def test_means_of_skewed_targets_are_balanced(name):
    """The largest error stood for a hundredth of all: means of claims were twice as high as claims."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 3))
    y = SKEWED[name](rng, X)
    fitted = fit(y, X)
    error = y.std() / np.sqrt(len(y))
    assert abs(fitted.predict(X).mean() - y.mean()) < 0.5 * error
    found = fitted.predict_distribution(X[:200])
    drawn = found.sample(4000, random_state=0)
    np.testing.assert_allclose(drawn.mean(), found.mean().mean(), rtol=0.05)
    np.testing.assert_allclose(drawn.var(axis=1).mean(), found.var().mean(), rtol=0.3)


def test_an_atom_at_the_bound_of_a_target_is_an_atom_of_its_distributions():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(2000, 3))
    y = SKEWED["claims"](rng, X)
    found = fit(y, X).predict_distribution(X)
    share = (y == 0).mean()
    np.testing.assert_array_equal(found.cdf(-1e-9), 0.0)
    assert abs(found.cdf(0.0).mean() - share) < 0.02
    np.testing.assert_allclose(found.pdf(0.0), found.cdf(0.0))
    assert (found.interval(0.8)[:, 0] == 0).all()
    assert np.isfinite(found.log_score(y)).all()


@pytest.mark.parametrize("alike", [0.0, 1.0, 1e3], ids=["independent", "correlated", "copies"])
@pytest.mark.parametrize("share", [0.2, 0.5, 1.0])
def test_missing_cells_widen_intervals(alike, share):
    """Cells missing at predict alone: the variance of what they would have said is part of the distribution."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(3000, 4)) + alike * rng.normal(size=(3000, 1))
    target = table @ [1.0, 0.8, 0.6, 0.4] / (1 + alike) + 0.5 * rng.normal(size=3000)
    model = BoostedNaiveBayesRegressor(n_rounds=60).fit(table[:1500], target[:1500])
    holes = np.where(rng.random((1500, 4)) < share, np.nan, table[1500:])
    for level in (0.5, 0.8, 0.95):
        low, high = model.predict_interval(holes, level).T
        held = ((low <= target[1500:]) & (target[1500:] <= high)).mean()
        assert held == pytest.approx(level, abs=0.06)
