"""Regressors on many datasets: errors of means and of whole distributions, coverage and time, beside their peers.

Needs the datasets in the folder named by BAYFOLD_DATA. What was measured of a dataset is kept as one line of a CSV file
beside the output; what stands there is not measured again.

    python -m benchmarks.numbers --output benchmarks/results/numbers.md
"""

from __future__ import annotations

import argparse
import csv
import shlex
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

import bayfold
from bayfold.datasets import list_datasets, load_dataset
from benchmarks.number_peers import PEERS, Peer
from benchmarks.report import format_table, publish

N_FOLDS = 3
LEAST_ROWS = 100
SAME_DATA = ("boston", "boston-452", "machine-cpu", "cloud-statlib")
"""Each has all rows, by their numeric columns, of housing, cpu or cloud, or is part of it (``benchmarks.repeats``)."""

MOST_SECONDS = 20.0
"""A model whose fit took longer is not fitted to larger datasets."""

LEVELS = (np.arange(100) + 0.5) / 100
"""Quantiles whose mean pinball loss, doubled, is the CRPS."""
BOUNDS = np.array([0.05, 0.95])

FIELDS = ["dataset", "model", "rmse", "mae", "crps", "coverage", "fit_seconds", "predict_seconds"]


def fit_ours(make: Callable) -> Callable[[pd.DataFrame, np.ndarray], Peer]:
    """A regressor of this library."""

    def fit(X: pd.DataFrame, y: np.ndarray) -> Peer:
        model = make().fit(X, y)
        return Peer(model.predict, model.predict_quantiles)

    return fit


OURS = ("BoostedNaiveBayesRegressor", "NaiveBayesRegressor", "MTERegressor")
BASE = "HistGradientBoosting"
"""Whose time the others' is compared with."""

MODELS = {
    **{name: fit_ours(partial(getattr(bayfold, name), n_jobs=1)) for name in OURS},
    **PEERS,
}

ABOUT = """{folds} folds, the same for all; at most {rows:,} rows per dataset; defaults of every library; one thread. In
% of a model that knows no column: RMSE of the training mean, MAE of the training median, CRPS of the training
distribution; means over datasets. NGBoost's 500 rounds make its intervals too narrow on small tables; with 200 they
cover more. What was measured is kept, so times may be of different runs."""

OF_ONE_RUN = f" Those of {OURS[0]} and {BASE} are of this one."


def read_rows(name: str, max_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """The rows of a dataset that have a target, or so many of them."""
    dataset = load_dataset(name, task="regression")
    known = np.flatnonzero(~np.isnan(dataset.target))
    if len(known) > max_rows:
        known = np.sort(np.random.default_rng(0).choice(known, max_rows, replace=False))
    return dataset.frame.take(known).to_pandas(), dataset.target[known]


def find_crps(quantiles: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The CRPS of each row from the quantiles of ``LEVELS``."""
    off = y[:, None] - quantiles
    return 2 * np.maximum(LEVELS * off, (LEVELS - 1) * off).mean(axis=1)


def measure(name: str, title: str, max_rows: int, seed: int) -> dict[str, object]:
    """All figures of a model on a dataset, in % of those of a model that knows no column."""
    X, y = read_rows(name, max_rows)
    n = len(y)
    squared, absolute, crps = np.zeros((2, n)), np.zeros((2, n)), np.full((2, n), np.nan)
    inside, seconds = np.full(n, np.nan), np.zeros(2)
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=seed).split(y):
        rows, truth = X.iloc[test].reset_index(drop=True), y[test]
        begin = time.process_time()
        model = MODELS[title](X.iloc[train].reset_index(drop=True), y[train])
        seconds[0] += time.process_time() - begin
        begin = time.process_time()
        mean = np.asarray(model.predict(rows), float)
        seconds[1] += time.process_time() - begin
        squared[:, test] = (truth - mean) ** 2, (truth - y[train].mean()) ** 2
        absolute[:, test] = np.abs(truth - mean), np.abs(truth - np.median(y[train]))
        if model.quantiles is not None:
            found = np.asarray(model.quantiles(rows, np.append(LEVELS, BOUNDS)))
            absolute[0, test] = np.abs(truth - (found[:, 49] + found[:, 50]) / 2)
            known = np.tile(np.quantile(y[train], LEVELS), (len(test), 1))
            crps[:, test] = find_crps(found[:, :-2], truth), find_crps(known, truth)
            inside[test] = (found[:, -2] <= truth) & (truth <= found[:, -1])
    figures = [
        np.sqrt(squared[0].mean() / squared[1].mean()),
        absolute[0].mean() / absolute[1].mean(),
        crps[0].mean() / crps[1].mean(),
        inside.mean(),
    ]
    cells = [f"{100 * figure:.2f}" for figure in figures] + [f"{s / N_FOLDS:.4f}" for s in seconds]
    return dict(zip(FIELDS, [name, title, *cells], strict=True))


def run(path: Path, titles: list[str], max_rows: int, seed: int) -> None:
    """Measure what the file does not have yet, the smaller datasets first, until a fit takes too long."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done: dict[tuple[str, str], dict] = {}
    if path.exists():
        done = {(line["dataset"], line["model"]): line for line in read_results(path)}
    else:
        path.write_text(",".join(FIELDS) + "\n", encoding="utf-8")
    sizes = {name: len(read_rows(name, max_rows)[1]) for name in find_names()}
    names = sorted((n for n in sizes if sizes[n] >= LEAST_ROWS), key=lambda name: sizes[name])
    for title in titles:
        if any((name, title) not in done for name in names):
            MODELS[title](*read_rows(names[0], max_rows))  # compiles
        for name in names:
            line = done.get((name, title))
            if line is None:
                line = measure(name, title, max_rows, seed)
                print(*line.values(), flush=True)
                with path.open("a", encoding="utf-8", newline="") as file:
                    csv.DictWriter(file, FIELDS, lineterminator="\n").writerow(line)
            if float(line["fit_seconds"]) > MOST_SECONDS:
                break


def forget(path: Path) -> None:
    """Take the lines of our model and of the one that its time is compared with out of the file."""
    lines = [line for line in read_results(path) if line["model"] not in (OURS[0], BASE)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def find_names() -> list[str]:
    """Datasets, each under one name."""
    return [name for name in list_datasets("regression") if name not in SAME_DATA]


def read_results(path: Path) -> list[dict[str, str]]:
    """The lines of the file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def summarise(path: Path) -> str:
    """Means over all datasets, the best first; then each model that was not fitted to all, beside ours."""
    table = pd.DataFrame(read_results(path))
    table[FIELDS[2:]] = table[FIELDS[2:]].astype(float)
    counts = table.groupby("model").dataset.count()
    most = int(counts.max())
    parts = [tabulate(table[table.model.map(counts) == most])]
    for title in counts[counts < most].index:
        of_title = table[table.model == title]
        both = table[table.model.isin([title, OURS[0], BASE])]
        slowest = of_title.fit_seconds.max()
        parts += [
            f"{title}, from the smallest dataset on; its slowest fit took {slowest:.0f} s, and none is begun on a "
            f"larger one after a fit of more than {MOST_SECONDS:.0f} s (beside all models and with more time: "
            "[papers/results/defaults.md](../../papers/results/defaults.md)):",
            tabulate(both[both.dataset.isin(of_title.dataset)]),
        ]
    return "\n\n".join(parts)


def tabulate(table: pd.DataFrame) -> str:
    """Means of models that all have the same datasets."""
    numbers = FIELDS[2:]
    wide = table.pivot(index="dataset", columns="model", values="rmse")
    means = table.groupby("model")[numbers].mean()
    lines = [
        [
            str(title),
            *("" if np.isnan(mean[k]) else f"{mean[k]:.1f}" for k in numbers[:4]),
            str(int((wide[OURS[0]] < wide[title]).sum())) if title != OURS[0] else "",
            f"{mean['fit_seconds']:.3f}",
            f"{mean['fit_seconds'] / means.loc[BASE, 'fit_seconds']:.2f}",
        ]
        for title, mean in means.sort_values("rmse").iterrows()
    ]
    header = ["model", "RMSE", "MAE", "CRPS", "coverage of 90 %", "sets won by boosted tables"]
    header += ["fit, CPU s", f"fit / {BASE}"]
    return format_table(header, lines) + f"\n\nDatasets: {len(wide)}."


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--max-rows", type=int, default=1500)
    parser.add_argument("--models", nargs="*", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--seed", type=int, default=0, help="of the folds; give it --results too")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/numbers.csv"))
    parser.add_argument("--again", action="store_true", help=f"measure {OURS[0]} and {BASE} anew")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.again:
        forget(arguments.results)
    with threadpool_limits(1):
        run(arguments.results, arguments.models, arguments.max_rows, arguments.seed)
    if arguments.output is None:
        return
    command = shlex.join(["python", "-m", "benchmarks.numbers", *sys.argv[1:]])
    report = "\n\n".join(
        [
            "# Regressors on many datasets",
            f"Written by `{command}`.",
            ABOUT.format(folds=N_FOLDS, rows=arguments.max_rows)
            + (OF_ONE_RUN if arguments.again else ""),
            summarise(arguments.results),
        ]
    )
    publish(report, arguments.output)


if __name__ == "__main__":
    main()
