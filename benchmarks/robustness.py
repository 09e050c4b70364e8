"""Error against the share of missing cells: naive Bayes beside gradient boosting and forests behind imputers.

On the 32 regression datasets of Frank et al. (1998), cells of the attributes are removed at random from training
and test rows alike. An error is relative: root mean squared, divided by that of predicting the training mean,
averaged over five folds. What was measured is kept in a file of JSON lines, so that a run can be continued.

    python -m benchmarks.robustness --cache robustness.jsonl --output benchmarks/results/robustness.md
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from bayfold import MTERegressor, NaiveBayesImputer, NaiveBayesRegressor
from bayfold.datasets import load_dataset
from benchmarks.report import publish

PUBLISHED = (
    Path(__file__).parents[1] / "papers" / "published" / "frank1998_table2_relative_rmse.csv"
)
SHARES = (0, 10, 30, 50)
FOLDS = 5
MAX_ROWS = 2000
"""Of larger datasets the first so many rows of a random order."""


def encoded(model: Any, imputer: Any = None) -> Any:
    """A model behind one-hot codes, numbers filled by an imputer if there is one."""
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (labels, make_column_selector(dtype_exclude="number")), remainder="passthrough"
    )
    return (
        make_pipeline(columns, model) if imputer is None else make_pipeline(columns, imputer, model)
    )


def forest() -> RandomForestRegressor:
    """A forest as it comes."""
    return RandomForestRegressor(random_state=0, n_jobs=1)


METHODS: dict[str, Callable[[], Any]] = {
    "NaiveBayesRegressor": lambda: NaiveBayesRegressor(n_jobs=1),
    "MTERegressor": lambda: MTERegressor(n_jobs=1),
    "gradient boosting": lambda: encoded(HistGradientBoostingRegressor(random_state=0)),
    "forest, SimpleImputer": lambda: encoded(forest(), SimpleImputer()),
    "forest, IterativeImputer": lambda: encoded(forest(), IterativeImputer(random_state=0)),
    "forest, NaiveBayesImputer": lambda: make_pipeline(
        NaiveBayesImputer(n_jobs=1), encoded(forest(), SimpleImputer())
    ),
}


def measure(name: str, share: int, method: str) -> dict[str, float]:
    """The relative error of one method on one dataset."""
    dataset = load_dataset(name, task="regression")
    rng = np.random.default_rng(share)
    rows = rng.permutation(np.flatnonzero(~np.isnan(dataset.target)))[:MAX_ROWS]
    frame, target = dataset.frame.to_pandas().iloc[rows], dataset.target[rows]
    frame = frame.mask(rng.random(frame.shape) < share / 100)
    errors, started = [], time.process_time()
    for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(target):
        model = METHODS[method]().fit(frame.iloc[train], target[train])
        miss = model.predict(frame.iloc[test]) - target[test]
        plain = target[train].mean() - target[test]
        errors.append(np.sqrt(np.mean(miss**2) / np.mean(plain**2)))
    return {"error": float(100 * np.mean(errors)), "seconds": time.process_time() - started}


def list_names() -> list[str]:
    """The 32 datasets."""
    with PUBLISHED.open() as file:
        return [row["dataset"] for row in csv.DictReader(file)]


def measure_all(path: Path, names: list[str], methods: list[str]) -> dict[tuple, dict[str, float]]:
    """Everything, from the cache where it has it."""
    warnings.simplefilter("ignore")
    found = {}
    if path.exists():
        records = [json.loads(line) for line in path.read_text().splitlines()]
        found = {tuple(record["key"]): record for record in records}
    wanted = [(n, s, m) for n in names for s in SHARES for m in methods]
    for key in track([key for key in wanted if key not in found], disable=not sys.stderr.isatty()):
        found[key] = measure(*key)
        with path.open("a") as file:
            file.write(json.dumps({"key": key} | found[key]) + "\n")
    return {key: found[key] for key in wanted}


def write_report(found: dict[tuple, dict[str, float]], names: list[str], methods: list[str]) -> str:
    """Mean and median error by share, and how often each method is best."""
    lines = [
        "# Error against the share of missing cells",
        "",
        f"Written by `{' '.join(['python -m benchmarks.robustness', *sys.argv[1:]])}`.",
        f"{len(names)} regression datasets (at most {MAX_ROWS} rows of each), {FOLDS} folds, cells of the attributes",
        "missing at random in training and test rows.",
        "Relative root mean squared error in % of predicting the training mean; mean over datasets (median).",
        "",
        "| method | "
        + " | ".join(f"{share} %" for share in SHARES)
        + " | increase, 0 to 50 % | CPU s |",
        "|---|" + "---:|" * (len(SHARES) + 2),
    ]
    for method in methods:
        by_share = [[found[n, share, method]["error"] for n in names] for share in SHARES]
        cells = [f"{np.mean(e):.1f} ({np.median(e):.1f})" for e in by_share]
        seconds = sum(found[n, s, method]["seconds"] for n in names for s in SHARES)
        rise = np.mean(by_share[-1]) - np.mean(by_share[0])
        lines.append(f"| {method} | {' | '.join(cells)} | {rise:+.1f} | {seconds:.0f} |")
    lines += ["", "Datasets on which each is best:", ""]
    lines += [
        "| method | " + " | ".join(f"{s} %" for s in SHARES) + " |",
        "|---|" + "---:|" * len(SHARES),
    ]
    for method in methods:
        wins = [
            sum(min(methods, key=lambda m: found[n, s, m]["error"]) == method for n in names)
            for s in SHARES
        ]
        lines.append(f"| {method} | {' | '.join(map(str, wins))} |")
    return "\n".join(lines) + "\n"


def draw(
    found: dict[tuple, dict[str, float]], names: list[str], methods: list[str], path: Path
) -> None:
    """Mean error against the share of missing cells."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 4.5))
    for method in methods:
        means = [np.mean([found[n, s, method]["error"] for n in names]) for s in SHARES]
        ours = method.startswith(("NaiveBayes", "MTE"))
        axis.plot(
            SHARES, means, marker="o", lw=2 if ours else 1, ls="-" if ours else "--", label=method
        )
    axis.set(xlabel="missing cells, %", ylabel="relative error, %", xticks=SHARES)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(alpha=0.3)
    axis.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure what the cache lacks, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--datasets", nargs="*", default=None)
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    names = arguments.datasets or list_names()
    found = measure_all(arguments.cache, names, arguments.methods)
    report = write_report(found, names, arguments.methods)
    publish(report, arguments.output)
    if arguments.output:
        draw(found, names, arguments.methods, arguments.output.with_suffix(".png"))


if __name__ == "__main__":
    main()
