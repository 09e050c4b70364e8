"""The page of all models and their peers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from bayfold.evaluate import friedman_test
from papers.defaults.protocol import (
    CLASSES,
    CLASSIFIERS,
    MOST_ROWS,
    MOST_SECONDS,
    NAME,
    NUMBERS,
    REGRESSORS,
)
from papers.shared.experiment import Experiment
from papers.shared.figures import COLOURS, new_figure, save
from papers.shared.page import Page, number, say_progress
from papers.shared.paper import Paper, Results

TASKS = {
    "classification": (CLASSES, "error", "log_loss", tuple(CLASSIFIERS)),
    "regression": (NUMBERS, "rmse", "crps", tuple(REGRESSORS)),
}
WORDS = {
    "error": "error, %",
    "log_loss": "log-loss",
    "rmse": "relative RMSE, %",
    "crps": "relative CRPS, %",
}

DECIMALS = 3
"""Of errors, for ties."""


def make_page(results: Results) -> Page:
    """Both tasks."""
    page = Page(
        NAME,
        "All models of the library and their peers, on all datasets",
        "folds are shuffled with seed 0; rows of large datasets are drawn with seed 0; peers have seed 0",
    )
    page.add(
        f"Default settings of every library; three folds, the same for all; at most {MOST_ROWS:,} rows of a dataset; "
        "one thread. Numbers and ranks are over the datasets that all models listed have; a model that lacks more than "
        "a tenth of the datasets is left out of the table. RMSE and CRPS are in % of those of a "
        "model that knows no column. The rank is by error and by RMSE. What was measured is kept, so times may be of "
        "different runs, some of them on a busy machine."
    )
    for task in TASKS:
        write_task(page, results, task)
    return page


def write_task(page: Page, results: Results, task: str) -> None:
    """Means, ranks, wins and times, and the diagram."""
    experiment, first, second, ours = TASKS[task]
    rows = results.rows(experiment)
    rows = rows.assign(**{first: rows[first].round(DECIMALS)})
    page.add(
        f"## {task.capitalize()}",
        say_progress(*results.progress(experiment), "pairs of model and dataset"),
        say_without_numbers(rows),
    )
    common = keep_common(results, experiment, rows)
    tables = {field: common[field].unstack() for field in (first, second, "seconds")}
    main = tables[first].dropna(axis=1)  # datasets that all of them have
    if main.shape[0] < 3 or main.shape[1] < 2:
        page.add("Too little is in for a table.")
        return
    ranks, _ = friedman_test({name: main.loc[name].to_numpy() for name in main.index})
    mean_rank = dict(zip(ranks["model"], ranks["mean_rank"], strict=True))
    best = ours[1]
    lines = []
    for name in sorted(mean_rank, key=mean_rank.__getitem__):
        others = tables[second].loc[name, main.columns]
        seconds = tables["seconds"].loc[name, main.columns]
        against = ""
        if best in main.index and name != best:
            gap = main.loc[name] - main.loc[best]
            against = f"{(gap < 0).sum()} - {(gap > 0).sum()}"
        shown = f"**{name}**" if name in ours else name
        cells = [number(main.loc[name].mean()), number(others.mean(), 3), f"{mean_rank[name]:.2f}"]
        lines.append([shown, *cells, against, f"{seconds.mean():.3f}", f"{seconds.median():.3f}"])
    header = ["model", WORDS[first], WORDS[second], "mean rank", f"won - lost against {best}"]
    page.add_table([*header, "CPU s of a fit, mean", "median"], lines)
    critical = float(ranks["critical_difference"][0])
    page.add(
        f"{main.shape[1]} datasets. Friedman's test: p {ranks['p'][0]:.2g}; mean ranks further apart than "
        f"{critical:.2f} differ (Nemenyi, 5 %)."
    )
    write_partial(page, rows, experiment, main, best)
    page.add(*say_too_long(rows))
    file = f"defaults_{task}.png"
    draw_ranks(mean_rank, critical, ours, results.folder / file)
    page.add_figure(file, f"Mean ranks over datasets, {task}; bars join what does not differ")


def say_without_numbers(rows: pd.DataFrame) -> str:
    """How many of the pairs that are in were stopped, and so have no numbers."""
    n_stopped = int((rows["folds"] == 0).sum())
    return f"{n_stopped} of them were stopped and have no numbers; see below." if n_stopped else ""


def write_partial(
    page: Page, rows: pd.DataFrame, experiment: Experiment, listed: pd.DataFrame, best: str
) -> None:
    """Models that have too few datasets for the table, each beside the best one of the library on those it has."""
    first, second = experiment.fields[:2]
    table = rows[rows["folds"] > 0].set_index(["method", "dataset"])
    lines = []
    for name in sorted(set(table.index.get_level_values(0)) - set(listed.index)):
        own = table.loc[name]
        ours = table.loc[best].reindex(own.index)
        won = f"{(own[first] < ours[first]).sum()} - {(own[first] > ours[first]).sum()}"
        cells = [number(own[first].mean()), number(ours[first].mean())]
        cells += [number(own[second].mean(), 3), number(ours[second].mean(), 3)]
        lines.append([name, str(len(own)), *cells, won, f"{own['seconds'].mean():.3f}"])
    if lines:
        header = ["model", "datasets", WORDS[first], best, WORDS[second], best, "won - lost"]
        page.add("Models with too few datasets for the table above, on those they have:")
        page.add_table([*header, "CPU s of a fit, mean"], lines)


def say_too_long(rows: pd.DataFrame) -> list[str]:
    """Which models were stopped on which datasets."""
    stopped = rows[rows["folds"] == 0].groupby("method")["dataset"].agg(", ".join)
    words = [f"{method} on {names}" for method, names in stopped.items()]
    limit = f"Not finished within {MOST_SECONDS:,} CPU seconds, a minute a fit: "
    before = "What runs before there was this limit had finished is kept, however long it took."
    return [f"{limit}{'; '.join(words)}. {before}"] if words else []


def keep_common(results: Results, experiment: Experiment, rows: pd.DataFrame) -> pd.DataFrame:
    """The fields by model and dataset, of models that have nearly all datasets."""
    n_datasets = len({unit.dataset for unit in results.plan(experiment)})
    table = rows[rows["folds"] > 0].set_index(["method", "dataset"])[list(experiment.fields)]
    enough = table.groupby(level=0).size() >= 0.9 * n_datasets
    return table[table.index.get_level_values(0).isin(enough[enough].index)]


def draw_ranks(ranks: dict[str, float], critical: float, ours: tuple[str, ...], path: Path) -> None:
    """The critical-difference diagram: ranks on a line, joined where they do not differ."""
    names = sorted(ranks, key=ranks.__getitem__)
    figure, axes = new_figure(9, 0.3 * len(names) + 1.2)
    axis = axes[0]
    for place, name in enumerate(names):
        colour = COLOURS[0] if name in ours else COLOURS[4]
        axis.plot(ranks[name], -place, "o", color=colour)
        axis.text(ranks[name] + 0.12, -place, name, va="center", fontsize=8, color=colour)
    for k, (low, high) in enumerate(find_cliques([ranks[name] for name in names], critical)):
        axis.plot([low, high], [0.8 + 0.35 * k] * 2, color="black", lw=2.5)
    axis.set(yticks=[], xlabel=f"mean rank (critical difference {critical:.2f})")
    axis.set_xlim(0.5, max(ranks.values()) + 3)
    save(figure, path)


def find_cliques(ranks: list[float], critical: float) -> list[tuple[float, float]]:
    """The longest runs of ranks, in order, that lie within the critical difference."""
    values = np.sort(ranks)
    found: list[tuple[float, float]] = []
    for low in values:
        high = float(values[values <= low + critical].max())
        if high > low and (not found or high > found[-1][1]):
            found.append((float(low), high))
    return found


PAPER = Paper(NAME, (CLASSES, NUMBERS), make_page)
