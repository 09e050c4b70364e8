"""How often the bounds of weights hold them: on tables drawn from known weights.

Every column of a table is drawn with a weight that is known for each value: log-odds of classes given one column, alone
(models that count each column alone) or beside the others (boosting), and shifts of a number. The true weight of a bin
is its mean over the training rows in it.

    python -m benchmarks.bars --output benchmarks/results/bars.md
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.progress import track
from scipy.stats import norm

from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
)
from benchmarks.report import format_table, publish

PRIOR = np.array([0.5, 0.3, 0.2])
CENTRES = np.array([0.0, 0.8, -0.5])
WIDTHS = np.array([1.0, 1.6, 0.8])
EXPLAINED_ROWS = 300


@dataclass
class World:
    """A table, its target, and the true weight of each cell: columns by rows by scores."""

    frame: pd.DataFrame
    target: np.ndarray
    truth: dict[str, np.ndarray]
    start: np.ndarray


def draw_given_class(n: int, seed: int, n_classes: int) -> World:
    """Columns that are independent given the class: 5 and 40 categories, two numbers, and noise."""
    rng = np.random.default_rng(seed)
    fixed = np.random.default_rng(5)
    prior = PRIOR[:n_classes] / PRIOR[:n_classes].sum()
    y = rng.choice(n_classes, n, p=prior)
    columns: dict[str, np.ndarray] = {}
    logs: dict[str, np.ndarray] = {}
    for n_values in (5, 40):
        share = fixed.dirichlet(np.ones(n_values), size=n_classes)
        share = (share + share.mean(axis=0)) / 2
        drawn = (rng.random(n)[:, None] > np.cumsum(share, axis=1)[y]).sum(axis=1)
        columns[f"{n_values} categories"] = np.array([f"v{k:02d}" for k in range(n_values)])[drawn]
        logs[f"{n_values} categories"] = np.log(share[:, drawn].T)
    x = rng.normal(CENTRES[y], 1.0)
    columns["shifted"] = x
    logs["shifted"] = norm.logpdf(x[:, None], CENTRES[:n_classes])
    z = rng.normal(0.0, WIDTHS[y])
    columns["wider"] = np.exp(z)
    logs["wider"] = norm.logpdf(z[:, None], 0.0, WIDTHS[:n_classes])
    columns["noise"] = rng.normal(size=n)
    logs["noise"] = np.zeros((n, n_classes))
    truth = {name: centre(log) for name, log in logs.items()}
    return World(pd.DataFrame(columns), y, truth, centre(np.log(prior)))


def draw_sum(n: int, seed: int, kind: str) -> World:
    """Columns that are independent of each other, and add up to log-odds or to a mean."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    effect = np.array([-1.2, -0.4, 0.0, 0.3, 0.9, 1.5])
    drawn = rng.integers(0, 6, n)
    parts = {
        "line": 1.2 * x[:, 0],
        "wave": np.sin(2.0 * x[:, 1]),
        "step": 1.5 * (x[:, 2] > 0.3),
        "noise": 0.0 * x[:, 3],
        "6 categories": effect[drawn],
    }
    columns = {name: x[:, j] for j, name in enumerate(parts) if j < 4}
    frame = pd.DataFrame(columns | {"6 categories": np.array(list("uvwxyz"))[drawn]})
    score = sum(parts.values()) - 0.5
    if kind == "number":
        y = score + rng.normal(size=n)
    elif kind == "counts":
        y = rng.poisson(np.exp(score / 2))
        parts = {name: part / 2 for name, part in parts.items()}
    else:
        y = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)
    return World(frame, y, {name: part[:, None] for name, part in parts.items()}, np.array([-0.5]))


def centre(logs: np.ndarray) -> np.ndarray:
    """Weights of evidence."""
    if logs.shape[-1] == 2:
        return logs[..., 1:] - logs[..., :1]
    return logs - logs.mean(axis=-1, keepdims=True)


def find_held(world: World, model: Any, centred: bool) -> dict[str, list[np.ndarray]]:
    """Of each column, which weights are within their bounds, and the rows they are of."""
    evidence = model.evidence_
    effect = evidence.measure
    found = {}
    for name, truth in world.truth.items():
        part = evidence.where(column=name)
        n_scores = truth.shape[1]
        wanted = truth - truth.mean(axis=0) if centred else truth
        x = world.frame[name].to_numpy()
        held = []
        rows = []
        for k in range(0, len(part), n_scores):
            low, high, label = part["lower"][k], part["upper"][k], part["bin"][k]
            inside = x == label if low != low and high != high else (x >= low) & (x < high)
            if not inside.any():
                continue
            mean = wanted[inside].mean(axis=0)
            some = slice(k, k + n_scores)
            bounds = part["low"][some], part["high"][some]
            if effect == "factor":
                bounds = np.log(bounds[0]), np.log(bounds[1])
            held.append((bounds[0] <= mean) & (mean <= bounds[1]))
            rows.append(np.full(n_scores, inside.sum()))
        found[name] = [np.concatenate(held), np.concatenate(rows)]
    return found


def find_expected(worlds: Sequence[World], models: Sequence[Any]) -> list[dict[str, Any]]:
    """The same where the truth is the mean of the models of all tables, on a grid of values of each column."""
    found: list[dict[str, Any]] = [{} for _ in models]
    for name, truth in worlds[0].truth.items():
        x = worlds[0].frame[name].to_numpy()
        is_number = x.dtype != object
        grid = np.quantile(x, np.linspace(0.01, 0.99, 60)) if is_number else np.unique(x)
        shown = []
        for model in models:
            part = model.evidence_.where(column=name)[:: truth.shape[1]]
            if is_number:
                inside = (part["lower"] <= grid[:, None]) & (grid[:, None] < part["upper"])
            else:
                inside = part["bin"] == grid[:, None]
            place = inside.argmax(axis=1)
            bounds = [part[field][place] for field in (part.measure, "low", "high")]
            shown.append(np.where(inside.any(axis=1), bounds, np.nan))
        expected = np.nanmean([estimate for estimate, _, _ in shown], axis=0)
        for held, (_, low, high) in zip(found, shown, strict=True):
            known = ~np.isnan(low)
            held[name] = [((low <= expected) & (expected <= high))[known], np.ones(known.sum())]
    return found


def find_whole(world: World, model: Any) -> float:
    """The share of rows whose true score, the sum of all weights, is within its bounds."""
    records = model.explain(world.frame[:EXPLAINED_ROWS])
    n_scores = next(iter(world.truth.values())).shape[1]
    truth = sum(part[:EXPLAINED_ROWS] for part in world.truth.values()) + world.start
    first = np.flatnonzero(records["column"] == "(prior)")
    low = records["whole_low"][first].reshape(-1, n_scores)
    high = records["whole_high"][first].reshape(-1, n_scores)
    if records.measure == "factor":
        low, high = np.log(low), np.log(high)
    return float(((low <= truth) & (truth <= high)).mean())


def draw_two(n: int, seed: int) -> World:
    """Two classes."""
    return draw_given_class(n, seed, 2)


def draw_three(n: int, seed: int) -> World:
    """Three classes."""
    return draw_given_class(n, seed, 3)


def draw_odds(n: int, seed: int) -> World:
    """Log-odds that add up."""
    return draw_sum(n, seed, "class")


def draw_mean(n: int, seed: int) -> World:
    """A mean that adds up."""
    return draw_sum(n, seed, "number")


@dataclass
class Case:
    """A model, the tables it learns from, and which weights are the true ones."""

    name: str
    make: Callable[[], Any]
    draw: Callable[[int, int], World]
    is_sum: bool = False
    is_expected: bool = False


CASES = [
    Case("NaiveBayesClassifier, 2 classes", NaiveBayesClassifier, draw_two),
    Case("NaiveBayesClassifier, 3 classes", NaiveBayesClassifier, draw_three),
    Case("the same, calibration=None", lambda: NaiveBayesClassifier(calibration=None), draw_two),
    Case(
        "the same, ten bins, Laplace",
        lambda: NaiveBayesClassifier(
            numeric="equal_frequency", smoothing="laplace", calibration=None
        ),
        draw_two,
    ),
    Case(
        "AveragedOneDependenceClassifier *",
        AveragedOneDependenceClassifier,
        draw_two,
        is_expected=True,
    ),
    Case("BoostedNaiveBayesClassifier", BoostedNaiveBayesClassifier, draw_odds, is_sum=True),
    Case("BoostedNaiveBayesRegressor", BoostedNaiveBayesRegressor, draw_mean, is_sum=True),
    Case("NaiveBayesRegressor *", NaiveBayesRegressor, draw_mean, is_sum=True, is_expected=True),
    Case("MTERegressor *", MTERegressor, draw_mean, is_sum=True, is_expected=True),
]


def measure(case: Case, n: int, n_repeats: int) -> list[list[str]]:
    """A line for each column, then one of whole scores."""
    found: dict[str, list[list[np.ndarray]]] = {}
    wholes = []
    worlds = []
    models = []
    for seed in range(n_repeats):
        world = case.draw(n, seed)
        model = case.make().fit(world.frame, world.target)
        worlds.append(world)
        models.append(model)
        explained = model.explain(world.frame[:1])
        if "whole_low" in explained.names and not np.isnan(explained["whole_low"]).all():
            wholes.append(find_whole(world, model))
    if case.is_expected:
        held = find_expected(worlds, models)
    else:
        held = [
            find_held(world, model, case.is_sum)
            for world, model in zip(worlds, models, strict=True)
        ]
    for of_model in held:
        for column, pair in of_model.items():
            found.setdefault(column, []).append(pair)
    cells = []
    for pairs in found.values():
        kept, rows = (np.concatenate(some) for some in zip(*pairs, strict=True))
        cells.append(float(np.average(kept, weights=rows)))
    whole = f"{100 * np.mean(wholes):.1f}" if wholes else ""
    return [
        [
            case.name,
            f"{n:,}",
            *(f"{100 * c:.1f}" for c in cells),
            f"{100 * np.mean(cells):.1f}",
            whole,
        ]
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1000, 4000])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    lines: dict[bool, list[list[str]]] = {False: [], True: []}
    chosen = [case for case in CASES if given.only in case.name]
    for case in track(chosen, disable=not sys.stderr.isatty()):
        for n in given.rows:
            lines[case.is_sum] += measure(case, n, given.repeats)
    text = [
        "# Bounds of weights",
        f"Written by `{' '.join(['python -m benchmarks.bars', *sys.argv[1:]])}`: {given.repeats} tables each.",
        "Share of true weights within `low` and `high` of `evidence_`, in percent (95 are asked for), bins weighted by",
        "their rows. True is the weight that tables were drawn with; with a star the mean of the models of all tables,",
        "whose weights are no plain log-odds or means. *Whole* is the share of rows whose true score is",
        "within `whole_low` and `whole_high` of `explain`.",
    ]
    columns = (
        ["5 categories", "40 categories", "shifted", "wider", "noise"],
        ["line", "wave", "step", "noise", "6 categories"],
    )
    for alone, names in zip((False, True), columns, strict=True):
        if lines[alone]:
            text.append(format_table(["model", "rows", *names, "mean", "whole"], lines[alone]))
    publish("\n\n".join(text), given.output)


if __name__ == "__main__":
    main()
