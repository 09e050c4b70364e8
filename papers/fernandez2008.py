"""Table 2 and Figures 1 and 2 of Fernández, Nielsen and Salmerón (2008), measured beside the published cells.

Table 2: a share of all cells, the target's included, is removed at random; then ten folds, the model learnt by
Algorithm 1 with four pieces and four intervals, test rows without a target left out, and the root mean squared error
of each fold averaged. The published cells are single runs, so many seeds give the spread they have to be read with.
Figures: the share is removed from the training part of random 70/30 splits only, and the test part is complete.

What was measured is kept in a file of JSON lines, so that a run can be continued:

    python -m papers.fernandez2008 --cache fernandez.jsonl
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track
from sklearn.model_selection import KFold, train_test_split

from bayfold import MTERegressor
from bayfold.datasets import load_dataset
from bayfold.errors import DataWarning

HERE = Path(__file__).parent
SHARES = (0, 10, 20, 30, 40, 50)
FOLDS = 10
DEFAULT_SEEDS = 10
"""Default settings choose by cross-validation within every fold, which takes its time."""

DATASETS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "boston": ("boston-452", (), "boston"),
    "cloud": ("cloud-statlib", (), "cloud"),
    "bodyfat without Density": ("bodyfat", ("Density",), "bodyfat"),
    "bodyfat": ("bodyfat", (), ""),
}
"""The file, the columns left out, and the name in the published table (none: Density all but gives bodyfat away)."""

PAPER: dict[str, Any] = {
    "n_pieces": 4,
    "max_intervals": 4,
    "bandwidth_factor": 1.0,
    "calibration": None,
    "n_jobs": 1,
}
METHODS: dict[str, Callable[[int], MTERegressor]] = {
    "algorithm 1": lambda seed: MTERegressor(missing="impute", random_state=seed, **PAPER),
    "available": lambda seed: MTERegressor(missing="available", **PAPER),
    "em": lambda seed: MTERegressor(missing="em", **PAPER),
    "default": lambda seed: MTERegressor(n_jobs=1),
}


def load(name: str) -> tuple[Any, np.ndarray]:
    """Predictors as a pandas frame, and the target."""
    file, dropped, _ = DATASETS[name]
    dataset = load_dataset(file, task="regression")
    return dataset.frame.drop_columns(list(dropped)).to_pandas(), dataset.target


def remove_cells(
    frame: Any, target: np.ndarray, share: int, rng: np.random.Generator
) -> tuple[Any, np.ndarray]:
    """The table with that many percent of all cells missing, those of the target too."""
    gone = rng.random((len(target), frame.shape[1] + 1)) < share / 100
    return frame.mask(gone[:, :-1]), np.where(gone[:, -1], np.nan, target)


def measure_folds(name: str, method: str, share: int, seed: int) -> dict[str, float]:
    """The mean over folds of the root mean squared error."""
    rng = np.random.default_rng([seed, share])
    frame, target = remove_cells(*load(name), share, rng)
    errors = []
    for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(target):
        test = test[~np.isnan(target[test])]
        model = METHODS[method](seed).fit(frame.iloc[train], target[train])
        miss = model.predict(frame.iloc[test]) - target[test]
        errors.append(np.sqrt(np.mean(miss**2)))
    return {"rmse": float(np.mean(errors))}


def measure_split(name: str, method: str, share: int, seed: int) -> dict[str, float]:
    """Error and mean log joint density on the complete test part of one random split.

    A target beyond the training range is taken at its end: it has no density, and leaving such rows out would flatter
    models of few known targets.
    """
    rng = np.random.default_rng([seed, share, 1])
    frame, target = load(name)
    train, test = train_test_split(np.arange(len(target)), test_size=0.3, random_state=seed)
    kept, known = remove_cells(frame.iloc[train], target[train], share, rng)
    model = METHODS[method](seed).fit(kept, known)
    miss = model.predict(frame.iloc[test]) - target[test]
    inside = np.clip(target[test], *model.piece_edges_[[0, -1]])
    return {
        "rmse": float(np.sqrt(np.mean(miss**2))),
        "log_likelihood": float(model.score_samples(frame.iloc[test], inside).mean()),
    }


MEASURES = {"table": measure_folds, "figure": measure_split}


def plan(seeds: int, splits: int) -> Iterator[tuple[str, str, str, int, int]]:
    """What is to be measured: seed by seed, so that a run cut short has some of everything."""
    for seed in range(max(seeds, splits)):
        for name in DATASETS:
            for share in SHARES:
                if seed < seeds:
                    for method in ("algorithm 1", "available"):
                        yield "table", name, method, share, seed
                if seed < splits and name != "bodyfat":
                    yield "figure", name, "algorithm 1", share, seed
    for seed in range(min(seeds, DEFAULT_SEEDS)):
        for name in DATASETS:
            yield "table", name, "default", 0, seed


Key = tuple[str, str, str, int, int]


def read_cache(path: Path) -> dict[Key, dict[str, float]]:
    """What has been measured."""
    if not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {tuple(record.pop("key")): record for record in records}  # type: ignore[misc]


def measure_all(path: Path, seeds: int, splits: int) -> dict[Key, dict[str, float]]:
    """Everything in the plan, from the cache where it has it."""
    warnings.simplefilter("ignore", DataWarning)  # missing targets, new categories in small folds
    found = read_cache(path)
    wanted = list(plan(seeds, splits))
    for key in track(
        [key for key in wanted if key not in found],
        description="runs",
        transient=True,
        disable=not sys.stderr.isatty(),
    ):
        found[key] = MEASURES[key[0]](*key[1:])
        with path.open("a") as file:
            file.write(json.dumps({"key": key} | found[key]) + "\n")
    return {key: found[key] for key in wanted}


def read_published() -> dict[str, list[float]]:
    """The published errors of naive Bayes, by dataset."""
    with (HERE / "published" / "fernandez2008_table2_srmse.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == "nb"]
    return {row["database"]: [float(row[f"missing_{share}"]) for share in SHARES] for row in rows}


def collect(found: dict[Key, dict[str, float]], measure: str, *key: Any) -> np.ndarray:
    """The measurements of all seeds."""
    return np.array([value[measure] for k, value in found.items() if k[:-1] == key])


def write_table(found: dict[Key, dict[str, float]], command: str) -> str:
    """Table 2 in Markdown, and how many published cells lie where ours say they should."""
    published = read_published()
    lines = [
        "# Fernández et al. (2008), Table 2: root mean squared error with missing cells",
        "",
        f"Written by `{command}`. Mean ± standard deviation over seeds; a published cell is a single run.",
        "Four pieces and four intervals; the last column: default settings (pieces and bandwidth chosen).",
        "",
        "| data | | " + " | ".join(f"{share} %" for share in SHARES) + " | default, 0 % |",
        "|---|---|" + "---:|" * (len(SHARES) + 1),
    ]
    near, cells = 0, 0
    for name, (_, _, database) in DATASETS.items():
        if database:
            values = " | ".join(f"{value:.3f}" for value in published[database])
            lines.append(f"| {name} | published | {values} | |")
        for method in ("algorithm 1", "available"):
            runs = [collect(found, "rmse", "table", name, method, share) for share in SHARES]
            values = " | ".join(f"{run.mean():.3f} ± {_spread(run):.3f}" for run in runs)
            default = collect(found, "rmse", "table", name, "default", 0)
            last = f"{default.mean():.3f} ± {_spread(default):.3f}" if len(default) else ""
            lines.append(f"| {name} | {method} | {values} | {last} |")
            if database and method == "algorithm 1":
                pairs = list(zip(runs, published[database], strict=True))[1:]
                near += sum(abs(r.mean() - value) <= 3 * _spread(r) for r, value in pairs)
                cells += len(pairs)
    lines += [
        "",
        f"With cells missing, {near} of {cells} published cells lie within three standard",
    ]
    lines += [
        "deviations of ours. Departures at 0 %: " + "; ".join(_departures(found, published)) + "."
    ]
    return "\n".join(lines) + "\n"


def _spread(run: np.ndarray) -> float:
    return float(run.std(ddof=1)) if len(run) > 1 else 0.0


def _departures(
    found: dict[Key, dict[str, float]], published: dict[str, list[float]]
) -> Iterator[str]:
    for name, (_, _, database) in DATASETS.items():
        if database:
            ours = collect(found, "rmse", "table", name, "algorithm 1", 0).mean()
            yield f"{name} {100 * (ours / published[database][0] - 1):+.1f} %"


def draw_figures(found: dict[Key, dict[str, float]], path: Path) -> None:
    """Figures 1 and 2: error and log-likelihood against the share of missing cells, with 95 % intervals."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = [name for name in DATASETS if name != "bodyfat"]
    figure, axes = plt.subplots(2, len(names), figsize=(4 * len(names), 6), sharex=True)
    for column, name in enumerate(names):
        for row, measure in enumerate(("rmse", "log_likelihood")):
            runs = [collect(found, measure, "figure", name, "algorithm 1", s) for s in SHARES]
            middle = [run.mean() for run in runs]
            reach = [1.96 * _spread(run) / np.sqrt(len(run)) for run in runs]
            axis = axes[row, column]
            axis.errorbar(SHARES, middle, reach, marker="o", capsize=3, color="tab:blue")
            axis.grid(alpha=0.3)
            axis.spines[["top", "right"]].set_visible(False)
        axes[0, column].set_title(name)
        axes[1, column].set_xlabel("missing cells in training, %")
    axes[0, 0].set_ylabel("root mean squared error")
    axes[1, 0].set_ylabel("mean log density of a row")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure what the cache lacks, and write the table and the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--splits", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="write papers/results")
    arguments = parser.parse_args()
    found = measure_all(arguments.cache, arguments.seeds, arguments.splits)
    command = " ".join(["python -m papers.fernandez2008", *sys.argv[1:]])
    table = write_table(found, command)
    print(table)
    if arguments.write:
        (HERE / "results" / "fernandez2008_table2.md").write_text(table)
        if arguments.splits:
            draw_figures(found, HERE / "results" / "fernandez2008_figures.png")


if __name__ == "__main__":
    main()
