"""Boosted tables at full size beside gradient boosting: errors and CPU seconds on all tables of more than 5,000 rows.

Needs the datasets in the folder named by BAYFOLD_DATA; LightGBM, XGBoost and CatBoost where they are installed.
What was measured is kept as a line of a CSV file, and not measured again.

    python -m benchmarks.full_size --output benchmarks/results/full_size.md
"""

from __future__ import annotations

import argparse
import csv
import shlex
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from bayfold import BoostedNaiveBayesClassifier, BoostedNaiveBayesRegressor
from bayfold.datasets import list_datasets, load_dataset
from benchmarks.number_peers import PEERS as NUMBER_PEERS
from benchmarks.numbers import read_results
from benchmarks.numbers_speed import make_rows
from benchmarks.report import describe_run, format_table, publish
from papers.defaults.peers import PEERS

LEAST_ROWS = 5_000
LEAST_PROBABILITY = 1e-15
WARM_UP_ROWS = 25_000
"""Compile what fits of many rows use; a table of so many rows is drawn whole for its bins and one of more is not."""

RIVALS = ["LightGBM", "XGBoost", "HistGradientBoosting", "CatBoost"]
BUILT_IN = ["HistGradientBoosting"]  # of scikit-learn
OURS = "boosted tables"
MOST_SECONDS = 30.0
FIELDS = ["task", "dataset", "model", "error", "wrong", "seconds"]

ABOUT = """{splits} split(s) into 70 % for training and 30 % for the figures, the same for all models; defaults of every
library; one thread. CPU seconds are of the fit, without compiling; after one of more than {limit:.0f} s a model is not
fitted to tables of more cells (rows times columns times classes). Tables in italics are made, of {made:,} rows: flights
(a long tail that a column tells of), hours of a week, and twenty columns with a slope, a curve and a product.
Four columns and more together (kin8nm beside CatBoost) are out of reach of tables of three."""


def make_flights(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Delays at arrival: most of the delay at departure, whose tail is long, and some of other columns."""
    rng = np.random.default_rng(0)
    late = rng.exponential(40, n_rows) * np.exp(0.6 * rng.normal(size=n_rows))
    departure = np.where(rng.random(n_rows) < 0.35, late, -rng.exponential(4, n_rows)).round()
    distance = rng.gamma(2, 400, n_rows).round()
    taxi = rng.gamma(3, 5, n_rows).round()
    hour = rng.integers(5, 24, n_rows)
    y = departure + 0.5 * taxi - 0.004 * distance * (departure > 0) + 2 * np.sin(hour)
    y += np.where(rng.random(n_rows) < 0.05, rng.exponential(30, n_rows), 0.0)
    noise = rng.normal(size=n_rows)
    return np.stack([departure, distance, hour, taxi, noise], axis=1), y + 8 * noise[::-1]


def make_hours(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Every hour of a week has a level of its own."""
    rng = np.random.default_rng(0)
    hour = rng.integers(0, 168, n_rows)
    others = rng.normal(size=(n_rows, 3))
    y = rng.normal(scale=3, size=168)[hour] + others[:, 0] * others[:, 1]
    return np.column_stack([hour, others]), y + rng.normal(size=n_rows)


TASKS = {
    "regression": "## Numbers: RMSE in % of the standard deviation",
    "classification": "## Classes: error in % / log-loss",
}
CLOSE = 1.02
MADE_ROWS = 100_000
MADE = {"flights": make_flights, "hours": make_hours, "twenty columns": make_rows}


class Figures(NamedTuple):
    """Of one model on one table: its error (relative RMSE, or log-loss), its share of wrong classes, CPU seconds."""

    error: float
    wrong: float
    seconds: float


@cache
def read_table(name: str, task: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns and target of the rows that have one."""
    if name in MADE:
        X, y = MADE[name](MADE_ROWS)
        return pd.DataFrame(X).add_prefix("x"), y
    dataset = load_dataset(name, task=task)
    known = np.flatnonzero(pd.notna(dataset.target))
    y = dataset.target[known]
    if task == "classification":
        y = np.unique(y.astype(str), return_inverse=True)[1]
    return dataset.frame.take(known).to_pandas(), y


def count_cells(name: str, task: str) -> int:
    """Rows times columns times classes."""
    X, y = read_table(name, task)
    return X.size * (1 if task == "regression" else int(y.max()) + 1)


def find_tables(task: str) -> list[str]:
    """Names of the tables, the smaller first."""
    names = [n for n in list_datasets(task) if len(read_table(n, task)[1]) > LEAST_ROWS]
    names.sort(key=lambda name: count_cells(name, task))
    return names + (list(MADE) if task == "regression" else [])


def fit_numbers(title: str, X: pd.DataFrame, y: np.ndarray) -> Callable:
    """What predicts means."""
    if title == OURS:
        return BoostedNaiveBayesRegressor(n_jobs=1).fit(X, y).predict
    return NUMBER_PEERS[title](X, y).predict


def fit_classes(title: str, X: pd.DataFrame, y: np.ndarray) -> Callable:
    """What predicts probabilities of classes."""
    if title == OURS:
        return BoostedNaiveBayesClassifier(n_jobs=1).fit(X, y).predict_proba
    return PEERS[title](X, y)


def measure(name: str, task: str, title: str, n_splits: int) -> Figures:
    """Means over splits."""
    X, y = read_table(name, task)
    is_number = task == "regression"
    found = []
    for seed in range(n_splits):
        rows = train_test_split(np.arange(len(y)), test_size=0.3, random_state=seed)
        train, test = (np.sort(part) for part in rows)
        begin = time.process_time()
        fit = fit_numbers if is_number else fit_classes
        predict = fit(title, X.iloc[train].reset_index(drop=True), y[train])
        seconds = time.process_time() - begin
        answers = np.asarray(predict(X.iloc[test].reset_index(drop=True)))
        truth = y[test]
        if is_number:
            error = 100 * float(np.sqrt(np.mean((truth - answers) ** 2)) / truth.std())
            found.append((error, 0.0, seconds))
            continue
        chance = answers[np.arange(len(truth)), truth]
        error = -float(np.log(np.clip(chance, LEAST_PROBABILITY, 1.0)).mean())
        wrong = 100 * float(np.mean(answers.argmax(axis=1) != truth))
        found.append((error, wrong, seconds))
    return Figures(*(statistics.fmean(column) for column in zip(*found, strict=True)))


def warm_up() -> None:
    """Compile what the fits use."""
    X = np.random.default_rng(0).normal(size=(WARM_UP_ROWS, 3))
    for n_rows in (WARM_UP_ROWS, LEAST_ROWS):
        rows = X[:n_rows]
        BoostedNaiveBayesRegressor(n_rounds=60).fit(rows, rows[:, 0] * rows[:, 1]).predict(rows)
        for cuts in ([0.0], [-1.0, 1.0]):
            y = np.digitize(rows[:, 0], cuts)
            BoostedNaiveBayesClassifier(n_rounds=60).fit(rows, y).predict_proba(rows)


def measure_all(path: Path, tables: list[str], titles: list[str], n_splits: int) -> None:
    """Measure what the file does not have yet."""
    if not path.exists():
        path.write_text(",".join(FIELDS) + "\n", encoding="utf-8")
    done = {tuple(line[k] for k in FIELDS[:3]): line for line in read_results(path)}
    warm_up()
    for task in TASKS:
        too_long: set[str] = set()
        for name in find_tables(task):
            for title in titles:
                line = done.get((task, name, title))
                if line is None and name in (tables or [name]) and title not in too_long:
                    figures = measure(name, task, title, n_splits)
                    cells = [task, name, title, *(f"{figure:.5f}" for figure in figures)]
                    line = dict(zip(FIELDS, cells, strict=True))
                    print(*cells, file=sys.stderr, flush=True)
                    with path.open("a", encoding="utf-8", newline="") as file:
                        csv.DictWriter(file, FIELDS, lineterminator="\n").writerow(line)
                if line is not None and float(line["seconds"]) > MOST_SECONDS:
                    too_long.add(title)


def tabulate(lines: pd.DataFrame, task: str) -> str:
    """Errors, then CPU seconds of the fits; each table a line."""
    titles = [title for title in (OURS, *RIVALS) if title in set(lines.model)]
    names = [name for name in find_tables(task) if name in set(lines.dataset)]
    of_one = lines.set_index(["dataset", "model"])
    parts = []
    for field in ("error", "seconds"):
        rows = []
        for name in names:
            cells = []
            for title in titles:
                figures = of_one.loc[(name, title)] if (name, title) in of_one.index else None
                if figures is None:
                    cells.append("")
                elif field == "error" and task == "classification":
                    cells.append(f"{figures.wrong:.2f} / {figures.error:.4f}")
                else:
                    cells.append(f"{figures[field]:.2f}")
            n_rows = f"{len(read_table(name, task)[1]):,}"
            rows.append([f"*{name}*" if name in MADE else name, n_rows, *cells])
        parts.append(format_table(["table", "rows", *titles], rows))
    return "\n\nCPU seconds:\n\n".join(parts)


def judge(lines: pd.DataFrame, task: str) -> str:
    """Ours beside each rival, in a sentence each."""
    errors = lines.pivot(index="dataset", columns="model", values="error")
    found = []
    for rival in [title for title in RIVALS if title in errors]:
        both = errors[[OURS, rival]].dropna()
        ratios = (both[OURS] / both[rival].clip(lower=1e-12)).to_numpy()
        line = f"* Beside {rival}: lower on {int((ratios < 1).sum())} of {len(ratios)} tables, "
        line += f"at most {CLOSE} of it on {int((ratios <= CLOSE).sum())}; "
        if task == "classification":
            line += f"mean log-loss {both[OURS].mean():.4f} and {both[rival].mean():.4f}."
        else:
            line += f"geometric mean of the ratios {np.exp(np.log(ratios).mean()):.3f}."
        found.append(line)
    return "\n".join(found)


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="*", default=[], help="only these")
    parser.add_argument("--models", nargs="*", choices=RIVALS, default=RIVALS)
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/full_size.csv"))
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    installed = [n for n in arguments.models if n in BUILT_IN or find_spec(n.lower())]
    titles = [OURS, *installed]
    with threadpool_limits(1):
        measure_all(arguments.results, arguments.tables, titles, arguments.splits)
    command = shlex.join(["python", "-m", "benchmarks.full_size", *sys.argv[1:]])
    about = ABOUT.format(splits=arguments.splits, made=MADE_ROWS, limit=MOST_SECONDS)
    others = ("lightgbm", "xgboost", "catboost")
    parts = ["# Boosted tables at full size", describe_run(command, others), about]
    table = pd.DataFrame(read_results(arguments.results))
    table[FIELDS[3:]] = table[FIELDS[3:]].astype(float)
    for task, heading in TASKS.items():
        lines = table[table.task == task]
        if len(lines):
            parts += [heading, tabulate(lines, task), judge(lines, task)]
    publish("\n\n".join(parts), arguments.output)


if __name__ == "__main__":
    main()
