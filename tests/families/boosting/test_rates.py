"""Counts and amounts with an exposure: factors, balance, distributions, and what is refused."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.linear_model import PoissonRegressor
from sklearn.model_selection import KFold, cross_val_score

import bayfold
from bayfold import BoostedNaiveBayesRegressor
from bayfold.core.scoring.rates import SteadyDistribution
from benchmarks.counts import cover_factors
from tests.export.engines import run_duckdb, run_sqlite
from tests.export.javascript import run_node
from tests.export.runtime import run_onnx

FACTORS = {"a": 0.5, "b": 1.0, "c": 1.5, "d": 3.0}


@cache
def make_table(n=4000, seed=0):
    """Claims of four kinds of policies, observed for a day to two years; a number and a column of noise beside."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "kind": rng.choice(list(FACTORS), n).astype(object),
            "age": rng.uniform(18, 80, n).round(),
            "noise": rng.normal(size=n),
        }
    )
    years = rng.uniform(1 / 365, 2.0, n)
    rate = 0.4 * X["kind"].map(FACTORS).to_numpy(float) * np.exp(-0.02 * (X["age"] - 49))
    return X, rng.poisson(years * rate).astype(float), years, rate.to_numpy()


@cache
def fit_table():
    X, y, years, _ = make_table()
    return BoostedNaiveBayesRegressor(loss="poisson").fit(X, y, exposure=years)


def test_the_rates_of_one_column_are_those_of_a_generalised_linear_model():
    X, y, years, _ = make_table()
    model = BoostedNaiveBayesRegressor(loss="poisson").fit(X[["kind"]], y, exposure=years)
    oracle = PoissonRegressor(alpha=0, tol=1e-9, max_iter=1000)
    dummies = pd.get_dummies(X["kind"]).to_numpy(float)
    oracle.fit(dummies, y / years, sample_weight=years)
    each = pd.DataFrame({"kind": list(FACTORS)}, dtype=object)
    np.testing.assert_allclose(model.predict(each), oracle.predict(np.eye(4)), rtol=0.02)


def test_rates_multiply_and_balance():
    X, y, years, rate = make_table()
    model = fit_table()
    found = model.predict(X)
    np.testing.assert_allclose(model.predict(X, exposure=years), years * found)
    assert (years * found).sum() == pytest.approx(y.sum())
    assert np.abs(np.log(found / rate)).mean() < 0.08
    explained = model.explain(X[:20])
    np.testing.assert_allclose(explained["factor"].reshape(20, -1).prod(axis=1), found[:20])
    assert 0.1 < model.score(X, y, exposure=years) < 0.3


def test_factors_are_shown_with_what_they_were_learnt_from():
    X, _, years, _ = make_table()
    model = fit_table()
    of_kind = model.evidence_["column"] == "kind"
    shown = {r["bin"]: r for r in model.evidence_[of_kind] if r["total"] > 0}
    for kind in FACTORS:
        assert shown[kind]["total"] == (X["kind"] == kind).sum()
        assert shown[kind]["exposure"] == pytest.approx(years[X["kind"] == kind].sum())
    ratio = shown["d"]["factor"] / shown["a"]["factor"]
    assert ratio == pytest.approx(6.0, rel=0.2)
    rated = model.to_rating_table()
    assert rated["column"][0] == "(prior)"
    assert rated["exposure"][0] == pytest.approx(years.sum())
    assert (rated["factor"] != 1.0).all()


def test_bounds_hold_the_true_factors():
    """Of drawn policies whose factors are known; those of fine bins are wider than they need be."""
    tables = [cover_factors("poisson", seed) for seed in range(50, 62)]
    off = np.concatenate([table["off"] for table in tables])
    assert 0.93 < (np.abs(off) <= 1).mean() < 0.99
    assert (np.abs(off) <= 0.5).mean() < 0.9  # they are not merely wide


def test_bounds_are_those_of_the_mean_of_a_bin():
    """By hand: the variance of each row of a bin at its rate and mean exposure, in the logarithm."""
    X, y, years, _ = make_table()
    model = BoostedNaiveBayesRegressor(loss="poisson").fit(X[["kind"]], y, exposure=years)
    rated = model.to_rating_table()[1:]
    step = np.log(rated["high"] / rated["factor"])
    np.testing.assert_allclose(np.log(rated["factor"] / rated["low"]), step)
    each = rated["exposure"] / rated["total"]
    rows = pd.DataFrame({"kind": rated["bin"]}, dtype=object)
    found = model.predict_distribution(rows, exposure=each)
    error = found.std() / found.mean() / np.sqrt(rated["total"])
    share = rated["exposure"] / years.sum()
    np.testing.assert_allclose(step, 1.96 * error * np.sqrt(1 - share), rtol=1e-9)
    empty = model.evidence_["exposure"] == 0
    assert empty.any()
    assert np.isnan(model.evidence_["low"][empty]).all()


def test_three_columns_leave_the_rows_of_single_ones_known():
    """Totals of the last columns had become NaN."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.choice(["x", "y"], (3000, 3)), columns=list("abc"), dtype=object)
    is_odd = (X == "x").sum(axis=1) % 2 == 1
    years = rng.uniform(0.2, 2, len(X))
    y = rng.poisson(years * np.where(is_odd, 3.0, 0.5)).astype(float)
    model = BoostedNaiveBayesRegressor(loss="poisson", interactions=3).fit(X, y, exposure=years)
    evidence = model.evidence_
    assert "a x b x c" in evidence["column"]
    of_one = np.isin(evidence["column"].astype(str), list("abc"))
    np.testing.assert_array_equal(np.isnan(evidence["total"]), ~of_one)


def test_neither_the_unit_of_the_exposure_nor_an_offset_in_its_place_changes_rates():
    X, y, years, _ = make_table()
    found = fit_table().predict(X[:50])
    fit = BoostedNaiveBayesRegressor(loss="poisson").fit
    in_days = fit(X, y, exposure=365 * years).predict(X[:50])
    np.testing.assert_allclose(365 * in_days, found, rtol=1e-6)
    by_offset = fit(X, y, offset=np.log(years)).predict(X[:50])
    np.testing.assert_allclose(by_offset, found, rtol=0.02)


def test_a_weight_of_two_is_the_row_twice():
    X, y, years, _ = make_table(300)
    weights = np.arange(300) % 3
    fit = BoostedNaiveBayesRegressor(loss="poisson", n_rounds=20).fit
    once = fit(X, y, weights, exposure=years)
    twice = np.repeat(np.arange(300), weights)
    often = fit(X.iloc[twice], y[twice], exposure=years[twice])
    np.testing.assert_allclose(once.predict(X), often.predict(X))


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_distributions_agree_with_their_means(loss):
    X, y, years, rate = make_table(1500)
    rng = np.random.default_rng(1)
    if loss != "poisson":
        y = y * rng.gamma(2.0, rate)
    if loss == "gamma":
        X, y, years = X[y > 0], y[y > 0], years[y > 0]
    model = BoostedNaiveBayesRegressor(loss=loss).fit(X, y, exposure=years)
    found = model.predict_distribution(X, exposure=years)
    np.testing.assert_allclose(found.mean(), model.predict(X, exposure=years))
    draws = found.sample(4000, 0)
    error = 5 * found.std() / np.sqrt(4000)
    assert (np.abs(draws.mean(axis=1) - found.mean()) < error).mean() > 0.99
    assert np.median(draws.std(axis=1) / found.std()) == pytest.approx(1.0, abs=0.05)
    q = np.array([0.05, 0.5, 0.95])
    assert (found.cdf(found.ppf(q)) >= q - 1e-9).all()
    assert (found.cdf(np.nextafter(found.ppf(q), -1)) <= q + 1e-6).all()
    none = found.pdf(0.0)
    assert none.sum() == pytest.approx((y == 0).sum(), abs=4 * np.sqrt(len(y)) + 1e-9)
    bounds = found.interval(0.9)
    assert ((bounds[:, 0] <= y) & (y <= bounds[:, 1])).mean() > 0.87


def test_what_was_learnt_comes_back_from_a_file():
    X, _, years, _ = make_table()
    model = fit_table()
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    again = bayfold.load(file)
    np.testing.assert_array_equal(
        again.predict(X, exposure=years), model.predict(X, exposure=years)
    )
    assert again.to_rating_table()["factor"].tolist() == model.to_rating_table()["factor"].tolist()
    collapsed = model.collapse()
    np.testing.assert_array_equal(collapsed.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("loss", "change", "words"),
    [
        ("poisson", {"y": -1.0}, "`y` must not be negative with loss='poisson'"),
        ("poisson", {"y": 0.5}, "`y` must hold whole numbers with loss='poisson'. Got 0.5"),
        ("gamma", {}, "`y` must be above 0 for every row with loss='gamma'"),
        ("poisson", {"exposure": 0.0}, "`exposure` must be a finite number above 0"),
        ("poisson", {"exposure": np.nan}, "Got nan in row 3"),
        ("tweedie", {"exposure": -1.0}, "Got -1.0 in row 3"),
        ("gamma", {"exposure": np.inf}, "Got inf in row 3"),
        ("poisson", {"offset": np.inf}, "`offset` must be a finite number"),
        ("poisson", {"offset": np.nan}, "Got nan in row 3"),
        ("gamma", {"offset": 800.0}, "between -300 and 300 for every row. Got 800.0 in row 3"),
        ("squared", {"exposure": 1.0}, "`exposure` must be None with loss='squared'"),
        ("squared", {"offset": 1.0}, "`offset` must be None with loss='squared'"),
    ],
)
def test_what_has_no_rate_is_refused(loss, change, words):
    X, y, _, _ = make_table(300)
    given = {"y": y.copy()}
    for name, value in change.items():
        given.setdefault(name, np.ones(300))[3] = value
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        BoostedNaiveBayesRegressor(loss=loss).fit(X, **given)


def test_more_that_is_refused():
    X, y, years, _ = make_table(300)
    model = BoostedNaiveBayesRegressor(loss="poisson")
    with pytest.raises(ValueError, match="`y` must be above 0 for at least one row"):
        model.fit(X, 0 * y)
    with pytest.raises(ValueError, match="`exposure` must have one entry per row"):
        model.fit(X, y, exposure=years[1:])
    with pytest.raises(ValueError, match="`offset` must have one entry per row"):
        model.fit(X, y, offset=years[1:])
    with pytest.raises(ValueError, match=r"`exposure` must be numbers, one per row. Got 'a year'"):
        model.fit(X, y, exposure=["a year"] * len(y))
    with pytest.raises(ValueError, match=r"Got the name 'years'. Give the values"):
        model.fit(X, y, exposure="years")
    for loss in ("gamma", "tweedie"):
        with pytest.raises(ValueError, match="`y` must be above 0 for at least one row"):
            BoostedNaiveBayesRegressor(loss=loss).fit(X, 0 * y)
        with pytest.raises(ValueError, match=f"`y` must not be negative with loss='{loss}'"):
            BoostedNaiveBayesRegressor(loss=loss).fit(X, y - 1)
    for name in ("exposure", "offset"):
        refused = rf"NaiveBayesRegressor.fit\(\) .*'{name}'. Rates are learnt by BoostedNaiveBayes"
        with pytest.raises(TypeError, match=refused):
            bayfold.NaiveBayesRegressor().fit(X, y, **{name: years})
    with pytest.raises(ValueError, match="tweedie_power"):
        BoostedNaiveBayesRegressor(loss="poisson", tweedie_power=1.2).fit(X, y)
    with pytest.raises(ValueError, match="`exposure` must have one entry per row"):
        fit_table().predict(X, exposure=years[1:])
    with pytest.raises(ValueError, match="`exposure` must be None with loss='squared'"):
        BoostedNaiveBayesRegressor(n_rounds=2).fit(X, y).predict(X, exposure=years)


def test_counts_learnt_as_any_numbers_get_a_hint_and_others_none():
    X, y, _, _ = make_table(300)
    model = BoostedNaiveBayesRegressor(n_rounds=2)
    with pytest.warns(bayfold.errors.DataWarning, match="whole numbers from 0 to .*loss='poisson'"):
        model.fit(X, y)
    for other in (y + 1, y / 2, np.minimum(y, 1)):
        assert not any("poisson" in text for text in model.fit(X, other).fit_warnings_)


def test_a_file_with_its_exposure_is_learnt_as_in_memory(tmp_path):
    X, y, years, _ = make_table()
    path = str(tmp_path / "claims.parquet")
    X.assign(claims=y, years=years).to_parquet(path)
    model = BoostedNaiveBayesRegressor(loss="poisson")
    model.fit_source(path, "claims", exposure="years", progress=False)
    np.testing.assert_array_equal(model.predict(X), fit_table().predict(X))
    with pytest.raises(TypeError, match="unexpected keyword argument 'exposures'"):
        model.fit_source(path, "claims", exposures="years")


def test_exposures_are_routed():
    X, y, years, _ = make_table(600)
    model = BoostedNaiveBayesRegressor(loss="poisson", n_rounds=20)
    with config_context(enable_metadata_routing=True):
        model.set_fit_request(exposure=True).set_score_request(exposure=True)
        routed = cross_val_score(model, X, y, params={"exposure": years}, cv=3)
    folds = KFold(3).split(X)
    fit = BoostedNaiveBayesRegressor(loss="poisson", n_rounds=20).fit
    expected = [
        fit(X.iloc[a], y[a], exposure=years[a]).score(X.iloc[b], y[b], exposure=years[b])
        for a, b in folds
    ]
    np.testing.assert_allclose(routed, expected)


@pytest.mark.parametrize("run_sql", [run_duckdb, run_sqlite])
def test_rates_in_sql_json_and_onnx(run_sql):
    dialect = run_sql.__name__.removeprefix("run_")
    X, y, years, _ = make_table(1500)
    model = BoostedNaiveBayesRegressor(loss="poisson").fit(X, y, exposure=years)
    rows = X[:40].assign(key=np.arange(40), years=years[:40])
    rows.loc[3, "age"], rows.loc[5, "kind"] = np.nan, None
    found = run_sql(model.to_sql(dialect, keep=["key"], exposure="years"), rows, key="key")
    given = rows[X.columns]
    expected = model.predict(given, exposure=years[:40])
    np.testing.assert_allclose(found["prediction"], expected, rtol=1e-9)
    found = run_sql(model.to_sql(dialect, keep=["key"]), rows, key="key")
    np.testing.assert_allclose(found["prediction"], model.predict(given), rtol=1e-9)
    answers = run_node(model.to_json(), given)
    np.testing.assert_allclose(
        [answer["prediction"] for answer in answers], model.predict(given), rtol=1e-9
    )
    (onnx,) = run_onnx(model.to_onnx(), given, ["prediction"])
    np.testing.assert_allclose(onnx, model.predict(given), rtol=1e-9)
    with pytest.raises(bayfold.errors.ExportError, match="no quantiles"):
        model.to_sql(quantiles=[0.5])


def test_a_factor_is_edited():
    model = fit_table().edit("kind", "d", 2.0, reason="a cap of the supervisor")
    edited = model.evidence_
    is_bin = (edited["column"] == "kind") & (edited["bin"] == "d")
    assert edited["factor"][is_bin] == pytest.approx(2.0)
    with pytest.raises(ValueError, match="`weight` must be a factor above 0"):
        fit_table().edit("kind", "d", -1.0, reason="no")


def test_reports_plots_and_the_terminal_multiply(tmp_path):
    pytest.importorskip("matplotlib")
    from rich.console import Console

    from bayfold import plot
    from bayfold.cli.show import make_bars
    from bayfold.report.evidence import gather_evidence

    X, _, _, _ = make_table()
    model = fit_table()
    rate = model.predict(X[:1])[0]
    axes = plot.plot_explanation(model, X[:1])
    assert axes.get_xlabel() == f"rate: {rate:.4g}"
    assert any(text.get_text().startswith("\N{MULTIPLICATION SIGN}") for text in axes.texts)
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(make_bars("row", model.explain(X[:1]), ("less", "more")))
    total = next(line for line in console.export_text().splitlines() if "product" in line)
    assert float(total.split()[1]) == pytest.approx(rate, rel=0.01)
    shown = gather_evidence(model, X, set(X.columns))
    bins = {
        each["bin"]: each for c in shown["columns"] if c["name"] == "kind" for each in c["bins"]
    }
    of_kind = model.evidence_.where(column="kind", bin="d")
    assert bins["d"]["weights"] == [pytest.approx(np.log(of_kind["factor"][0]))]
    assert bins["d"]["total"] == pytest.approx(of_kind["exposure"][0])


def test_counts_may_vary_less_than_a_poisson_distribution():
    """Of rings of shells 98 % were within intervals of 90 %, as a negative binomial distribution has no less spread."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 2, 4000), "b": rng.normal(size=4000)})
    z = rng.gamma(np.exp(X["a"]) * 4.0, 0.25)
    y = np.floor(z) + (rng.random(4000) < z % 1)
    model = BoostedNaiveBayesRegressor(loss="poisson").fit(X[:2000], y[:2000])
    found = model.predict_distribution(X[2000:])
    low, high = (found.cdf(at[:, None])[:, 0] for at in (np.nextafter(y[2000:], -1), y[2000:]))
    place = low + rng.random(2000) * (high - low)
    assert np.mean((place > 0.05) & (place < 0.95)) == pytest.approx(0.9, abs=0.03)
    assert (found.var() < found.mean()).mean() > 0.9
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    again = bayfold.load(file).predict_distribution(X[2000:])
    np.testing.assert_array_equal(again.ppf(0.7), found.ppf(0.7))


@pytest.mark.parametrize("spread", [0.02, 0.4, 0.95])
def test_steady_counts_are_rounded_gamma(spread):
    rng = np.random.default_rng(0)
    mean = np.array([0.05, 0.7, 3.2, 40.0])
    found = SteadyDistribution(mean, spread)
    z = rng.gamma(mean / spread, spread, (100_000, 4))
    y = np.floor(z) + (rng.random(z.shape) < z % 1)
    np.testing.assert_allclose(y.var(axis=0), found.var(), rtol=0.03)
    points = np.arange(150.0)
    shares = (y[:, :, None] <= points).mean(axis=0)
    np.testing.assert_allclose(found.cdf(points), shares, atol=0.006)
    np.testing.assert_allclose(np.cumsum(found.pdf(points), axis=1), found.cdf(points), atol=1e-9)
    np.testing.assert_allclose(1 + found.pdf(points) @ points, 1 + mean, rtol=1e-6)
    q = np.array([0.01, 0.3, 0.5, 0.9, 0.999])
    at = found.ppf(q)
    assert (found.cdf(at) >= q).all()
    assert (found.cdf(at - 1) < q).all()
