"""Counts, rates and amounts beside peers: deviance, balance and calibration, with exposure where there is one.

Needs LightGBM and interpret-core, and the datasets in the folder named by BAYFOLD_DATA. Writes a picture too.

    python -m benchmarks.counts --output benchmarks/results/counts.md
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import TweedieRegressor
from sklearn.metrics import mean_tweedie_deviance
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from bayfold import BoostedNaiveBayesRegressor
from bayfold.datasets import load_dataset, make_claims
from benchmarks.number_peers import make_matrix
from benchmarks.report import describe_run, format_table, publish

FOLDS = 5
POWERS = {"poisson": 1.0, "tweedie": 1.5, "gamma": 2.0}
NEAR = 0.005
"""Of the best deviance: what the page counts as level with it."""

GROUPS = 10
GLM_PENALTY = 1e-4
"""On standardised columns: scikit-learn's default of 1 is meant for few rows and costs all of these deviance."""

EBM_BAGS = 4
"""Models that EBM averages. Its default of 14 takes ten times the CPU time of all others together."""

OURS, PEER_GLM = "bayfold", "GLM"


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, totals and what each is a total of, and the loss that is natural for them."""

    name: str
    loss: str
    X: pd.DataFrame
    totals: np.ndarray
    exposure: np.ndarray

    @property
    def rates(self) -> np.ndarray:
        """What peers without an exposure are given, with the exposure for weights: their deviance is the same."""
        return self.totals / self.exposure

    def take(self, rows: np.ndarray) -> Problem:
        """Some of the rows."""
        parts = self.X.iloc[rows], self.totals[rows], self.exposure[rows]
        return replace(self, X=parts[0], totals=parts[1], exposure=parts[2])


def draw_policies(n_rows: int, seed: int = 0) -> Iterator[Problem]:
    """Frequency by years, severity by claims, and cost by years."""
    drawn = make_claims(n_rows, random_state=seed)
    X = pd.DataFrame(drawn.columns)
    some = drawn.claims > 0
    title = f"policies, {n_rows:,}"
    yield Problem(f"{title}: claims a year", "poisson", X, drawn.claims, drawn.years)
    yield Problem(
        f"{title}: cost of a claim", "gamma", X[some], drawn.cost[some], drawn.claims[some]
    )
    yield Problem(f"{title}: cost a year", "tweedie", X, drawn.cost, drawn.years)


BUNDLED = {
    "abalone": "poisson",
    "cleveland": "poisson",
    "strike": "tweedie",
    "autoPrice": "gamma",
    "machine-cpu": "gamma",
}
"""Counts, amounts that may be zero and amounts that may not, all with an exposure of 1."""


def load_bundled() -> Iterator[Problem]:
    """Datasets, and two whose counts were seen in part: of each unit a share that is drawn for the row."""
    for name, loss in BUNDLED.items():
        table = load_dataset(name, task="regression")
        X, y = table.frame.to_pandas(), np.asarray(table.target, float)
        X, y = X[~np.isnan(y)], y[~np.isnan(y)]
        yield Problem(name, loss, X, y, np.ones(len(y)))
        if loss == "poisson" and len(y) > 300:
            rng = np.random.default_rng(0)
            share = rng.uniform(0.02, 1.0, len(y))
            seen = rng.binomial(y.astype(int), share).astype(float)
            yield Problem(f"{name}, a share of each count", loss, X, seen, share)


BINS = {"age": [22.0, 26.0, 70.0], "power": [80.0, 120.0, 160.0], "vehicle_age": [4.0, 8.0]}
"""A rating table as people write one."""

WORLDS = 25
WORLD_ROWS = 5_000
TRUTH_ROWS = 300_000
"""Over which the true rates of a bin are averaged: to a thousandth."""


@cache
def find_true_factors(loss: str) -> dict[tuple[str, int], float]:
    """The logarithm of the true factor of every bin, by column and place, up to a constant for the column.

    Columns of these policies are drawn independently, so a bin's factor is its mean rate beside that of all.
    """
    drawn = make_claims(TRUTH_ROWS, random_state=10_000)
    weights = drawn.true_frequency if loss == "gamma" else np.ones(TRUTH_ROWS)
    rates = {"poisson": drawn.true_frequency, "gamma": drawn.true_severity}
    rate = rates.get(loss, drawn.true_frequency * drawn.true_severity)
    found = {}
    for name, values in drawn.columns.items():
        place = np.digitize(values, BINS[name]) if name in BINS else values
        for each in np.unique(place):
            rows = place == each
            found[name, each] = float(np.log(np.average(rate[rows], weights=weights[rows])))
    return found


def cover_factors(loss: str, seed: int, n_rows: int = WORLD_ROWS) -> pd.DataFrame:
    """The factors of policies that are drawn: standard errors by which each is off, and whether its bounds hold it."""
    drawn = {p.loss: p for p in draw_policies(n_rows, seed)}[loss]
    model = BoostedNaiveBayesRegressor(loss=loss, bins=BINS, interactions=1, n_jobs=1)
    model.fit(drawn.X, drawn.totals, exposure=drawn.exposure)
    table = model.evidence_.to_frame("pandas")
    table = table[table["exposure"] > 0]
    is_cut = table["column"].isin(list(BINS))
    cuts = [np.searchsorted(BINS[c], u) if k else b for c, u, b, k in zip(
        table["column"], table["upper"], table["bin"], is_cut, strict=True)]  # fmt: skip
    truth = find_true_factors(loss)
    table["truth"] = [truth[key] for key in zip(table["column"], cuts, strict=True)]
    by_column = table.groupby("column")
    exposed = by_column["exposure"].transform("sum")
    table["truth"] -= (
        (table["truth"] * table["exposure"] / exposed).groupby(table["column"]).transform("sum")
    )
    reach = np.log(table["high"] / table["low"]) / 2
    table["off"] = (np.log(table["factor"]) - table["truth"]) / reach
    return table.assign(holds=table["off"].abs() <= 1)


def write_bounds(n_worlds: int) -> str:
    """How often the bounds of factors hold the true ones, by loss and column."""
    lines = []
    for loss in POWERS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            worlds = [cover_factors(loss, seed) for seed in range(1, n_worlds + 1)]
        table = pd.concat(worlds)
        holds = table["holds"]
        by_column = ", ".join(
            f"{name} {share:.1%}" for name, share in holds.groupby(table["column"]).mean().items()
        )
        lines.append([loss, f"{len(table):,}", f"{holds.mean():.1%}", by_column])
    return format_table(["loss", "factors", "held", "by column"], lines)


Fitted = Callable[[pd.DataFrame], np.ndarray]


def fit_bayfold(rows: Problem, **parameters: Any) -> Fitted:
    """Boosted tables, with defaults."""
    model = BoostedNaiveBayesRegressor(loss=rows.loss, n_jobs=1, **parameters)
    return model.fit(rows.X, rows.totals, exposure=rows.exposure).predict


def fit_single(rows: Problem) -> Fitted:
    """A rating table: a factor for each column, none for pairs."""
    return fit_bayfold(rows, interactions=1)


def fit_glm(rows: Problem) -> Fitted:
    """scikit-learn's generalised linear models, on standardised numbers and one column for each category."""
    matrix = make_matrix(rows.X)
    model = TweedieRegressor(
        power=POWERS[rows.loss],
        alpha=GLM_PENALTY,
        link="log",
        max_iter=1000,
        solver="newton-cholesky",
    )
    model.fit(matrix.fit_transform(rows.X), rows.rates, sample_weight=rows.exposure)
    return lambda X: model.predict(matrix.transform(X))


def as_categories(X: pd.DataFrame) -> pd.DataFrame:
    """Strings as pandas' categories."""
    names = [name for name in X.columns if not pd.api.types.is_numeric_dtype(X[name])]
    return X.astype(dict.fromkeys(names, "category"))


def fit_histogram(rows: Problem) -> Fitted | None:
    """scikit-learn's histogram boosting, which has no Tweedie loss."""
    if rows.loss == "tweedie":
        return None
    model = HistGradientBoostingRegressor(
        loss=rows.loss, categorical_features="from_dtype", random_state=0
    )
    model.fit(as_categories(rows.X), rows.rates, sample_weight=rows.exposure)
    return lambda X: model.predict(as_categories(X))


def fit_lightgbm(rows: Problem) -> Fitted:
    """LightGBM as it comes."""
    from lightgbm import LGBMRegressor

    model = LGBMRegressor(objective=rows.loss, n_jobs=1, random_state=0, verbose=-1)
    if rows.loss == "tweedie":
        model.set_params(tweedie_variance_power=POWERS["tweedie"])
    model.fit(as_categories(rows.X), rows.rates, sample_weight=rows.exposure)
    return lambda X: model.predict(as_categories(X))


def fit_ebm(rows: Problem) -> Fitted:
    """The explainable boosting machine, tables of one and two columns like ours."""
    from interpret.glassbox import ExplainableBoostingRegressor

    objective = f"{rows.loss}_deviance"
    if rows.loss == "tweedie":
        objective += f":variance_power={POWERS['tweedie']:g}"
    model = ExplainableBoostingRegressor(
        objective=objective, outer_bags=EBM_BAGS, n_jobs=1, random_state=0
    )
    model.fit(rows.X, rows.rates, sample_weight=rows.exposure)
    return model.predict


MODELS: dict[str, Callable[[Problem], Fitted | None]] = {
    OURS: fit_bayfold,
    "bayfold, no pairs": fit_single,
    PEER_GLM: fit_glm,
    "HistGradientBoosting": fit_histogram,
    "LightGBM": fit_lightgbm,
    "EBM": fit_ebm,
}


def keep_known(train: Problem, test: Problem) -> pd.DataFrame:
    """The held-out rows, in which categories that were not trained on are missing: not all peers take new ones."""
    X = test.X.copy()
    for name in X.columns:
        if not pd.api.types.is_numeric_dtype(X[name]):
            X[name] = X[name].where(X[name].isin(train.X[name].unique()))
    return X


def predict_held_out(problem: Problem, fit: Callable) -> tuple[np.ndarray, float] | None:
    """The rate of each row by a model that left it out, and the CPU seconds of all fits."""
    rates = np.zeros(len(problem.totals))
    seconds = 0.0
    for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(rates):
        rows = problem.take(train)
        start = time.process_time()
        predict = fit(rows)
        seconds += time.process_time() - start
        if predict is None:
            return None
        rates[test] = predict(keep_known(rows, problem.take(test)))
    return np.maximum(rates, 1e-12), seconds


def find_imbalance(problem: Problem, rates: np.ndarray) -> float:
    """Totals less expected ones, over all held-out rows, in standard errors."""
    off = problem.totals - problem.exposure * rates
    return float(off.sum() / np.sqrt((off**2).sum()))


def find_deviance(problem: Problem, rates: np.ndarray) -> float:
    """The mean deviance of a unit of exposure."""
    power = POWERS[problem.loss]
    return float(
        mean_tweedie_deviance(problem.rates, rates, sample_weight=problem.exposure, power=power)
    )


def group_by_rate(problem: Problem, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Expected rate, observed rate and its standard error in tenths of the exposure, by the expected rate."""
    order = np.argsort(rates, kind="stable")
    past = np.cumsum(problem.exposure[order])
    group = np.minimum((GROUPS * past / past[-1]).astype(int), GROUPS - 1)
    exposed = np.bincount(group, problem.exposure[order], GROUPS)
    expected = np.bincount(group, (problem.exposure * rates)[order], GROUPS)
    observed = np.bincount(group, problem.totals[order], GROUPS)
    off = ((problem.totals - problem.exposure * rates) ** 2)[order]
    error = np.sqrt(np.bincount(group, off, GROUPS))
    return expected / exposed, observed / exposed, error / exposed


def measure(problem: Problem) -> dict[str, tuple[np.ndarray, float]]:
    """Held-out rates and CPU seconds, by model."""
    found = {}
    for name, fit in MODELS.items():
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")  # columns of no use, rounds that ended
            answer = predict_held_out(problem, fit)
        if answer is not None:
            found[name] = answer
            print(f"{problem.name}, {name}: {answer[1]:.1f} s", file=sys.stderr)
    return found


def draw(problems: list[Problem], found: dict, path: Path) -> None:
    """Observed against expected rates by tenths, of ours and the GLM."""
    from papers.shared.figures import COLOURS, new_figure, save

    n_columns = 4
    n_rows = -(-len(problems) // n_columns)
    figure, axes = new_figure(3.2 * n_columns, 2.9 * n_rows, columns=n_columns, rows=n_rows)
    for axis, problem in zip(axes, problems, strict=False):
        for colour, name in zip(COLOURS, (OURS, PEER_GLM), strict=False):
            expected, observed, error = group_by_rate(problem, found[problem.name][name][0])
            style = {"marker": "o", "ms": 3, "lw": 0.8, "capsize": 2, "color": colour}
            axis.errorbar(expected, observed, 2 * error, label=name, **style)
        low, high = axis.get_xlim()
        axis.plot([low, high], [low, high], color="black", lw=0.6)
        axis.set_title(problem.name, fontsize=8)
        axis.tick_params(labelsize=7)
    for axis in axes[len(problems) :]:
        axis.set_visible(False)
    axes[0].legend(fontsize=7)
    figure.supxlabel("expected", fontsize=9)
    figure.supylabel("observed", fontsize=9)
    save(figure, path)


def write_page(problems: list[Problem], found: dict, bounds: str, command: str) -> str:
    """Tables of deviances, balance, seconds and bounds."""
    names = list(MODELS)
    deviances, balances, seconds = [], [], []
    n_near = dict.fromkeys(names, 0)
    for problem in problems:
        answers = found[problem.name]
        own = {name: find_deviance(problem, rates) for name, (rates, _) in answers.items()}
        best = min(own.values())
        for name, value in own.items():
            n_near[name] += value <= (1 + NEAR) * best
        title = [problem.name, problem.loss, f"{len(problem.totals):,}"]
        shown = [
            f"{own[n]:.4g} ({100 * (own[n] / best - 1):+.1f})" if n in own else "" for n in names
        ]
        deviances.append([*title, *shown])
        off = {name: find_imbalance(problem, rates) for name, (rates, _) in answers.items()}
        balances.append([problem.name, *(f"{off[n]:+.1f}" if n in off else "" for n in names)])
        spent = [f"{answers[n][1]:.1f}" if n in answers else "" for n in names]
        seconds.append([problem.name, *spent])
    deviances.append([f"within {NEAR:.1%} of the best", "", "", *(str(n_near[n]) for n in names)])
    return "\n\n".join(
        [
            "# Counts, rates and amounts",
            describe_run(command, ("lightgbm", "interpret-core")),
            f"Rows held out by {FOLDS} folds. All models as they come, but for the GLM's penalty ({GLM_PENALTY:g}) and "
            f"EBM's outer bags ({EBM_BAGS}). "
            "Peers are given totals divided by the exposure, with the exposure for weights, which is the same "
            "likelihood. Policies are drawn by `make_claims`; where a share of each count is named, the counts of a "
            "dataset were thinned by a share drawn for the row, which is its exposure.",
            "## Mean deviance of a unit of exposure",
            "In brackets what it is above the best, in %.",
            format_table(["data", "loss", "rows", *names], deviances),
            "## Balance",
            "Totals less expected totals of all rows, in standard errors.",
            format_table(["data", *names], balances),
            "## CPU seconds of five fits",
            format_table(["data", *names], seconds),
            "## Calibration",
            "Tenths of the exposure by expected rate: observed rates, with two standard errors.",
            "![Observed against expected rates by tenths](counts.png)",
            "## Bounds of factors",
            f"How often `low` and `high` of a rating table hold the true factor: {WORLDS} tables of {WORLD_ROWS:,} "
            "policies each, with given bins and without pairs. 95 % are meant to be held.",
            bounds,
        ]
    )


def main() -> None:
    """Measure, draw and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[5_000, 20_000])
    parser.add_argument("--only", nargs="*", help="problems by the beginning of their names")
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    problems = [problem for n_rows in args.rows for problem in draw_policies(n_rows)]
    problems += load_bundled()
    if args.only:
        problems = [p for p in problems if p.name.startswith(tuple(args.only))]
    command = "python -m benchmarks.counts --output benchmarks/results/counts.md"
    bounds = write_bounds(WORLDS)
    found = {}
    for count, problem in enumerate(problems, start=1):  # a run that is cut short leaves a page
        found[problem.name] = measure(problem)
        page = write_page(problems[:count], found, bounds, command)
        if args.output is not None:
            args.output.parent.mkdir(parents=True, exist_ok=True)
            args.output.write_text(page + "\n", encoding="utf-8")
    if args.output is not None:
        draw(problems, found, args.output.with_suffix(".png"))
    publish(page, args.output)


if __name__ == "__main__":
    main()
