"""Error, log-loss and cost of additive boosting beside its peers, on the same folds.

Needs the datasets in the folder named by BAYFOLD_DATA. Results of single datasets are kept beside the output, so
that a run can be continued.

    python -m benchmarks.additive_accuracy --output benchmarks/results/additive_accuracy.md
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from threadpoolctl import threadpool_limits

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier
from benchmarks.domains import (
    TING_ZHENG,
    Domain,
    hist_gradient_boosting,
    other_datasets,
    random_forest,
)
from benchmarks.report import describe_run, format_table, publish

MAX_ROWS = 13_000
FOREST, ORDINAL_FOREST = "RandomForest, one-hot", "RandomForest, ordinal"
HISTOGRAMS = "HistGradientBoosting"
ONE, TWO, NO_SLOPES = "interactions=1", "interactions=2", "linear=False"

MODELS: dict[str, Callable[[], Any]] = {
    TWO: lambda: BoostedNaiveBayesClassifier(n_jobs=1),
    NO_SLOPES: lambda: BoostedNaiveBayesClassifier(linear=False, n_jobs=1),
    ONE: lambda: BoostedNaiveBayesClassifier(interactions=1, n_jobs=1),
    "naive Bayes, MDL": lambda: NaiveBayesClassifier(
        numeric="mdl", smoothing="laplace", calibration=None, n_jobs=1
    ),
    FOREST: random_forest,
    ORDINAL_FOREST: partial(random_forest, one_hot=False),
    HISTOGRAMS: hist_gradient_boosting,
}


def measure(domain: Domain, title: str, repeats: int) -> list[float]:
    """Mean error in %, mean log-loss, and CPU seconds of a fit."""
    errors, losses, seconds = [], [], []
    peers = (FOREST, ORDINAL_FOREST, HISTOGRAMS)
    frame = domain.pandas if title in peers else domain.arrow
    take = frame.iloc.__getitem__ if hasattr(frame, "iloc") else frame.take
    for repeat in range(repeats):
        for train, test in domain.splits(repeat):
            model = MODELS[title]()
            started = time.process_time()
            model.fit(take(train), domain.target[train])
            seconds.append(time.process_time() - started)
            # a class that no training row has gets no probability
            probability = np.zeros((len(test), domain.n_classes))
            probability[:, model.classes_] = model.predict_proba(take(test))
            truth = probability[np.arange(len(test)), domain.target[test]]
            errors.append(100 * np.mean(probability.argmax(axis=1) != domain.target[test]))
            losses.append(-np.log(np.clip(truth, 1e-15, 1)).mean())
    return [float(np.mean(errors)), float(np.mean(losses)), float(np.mean(seconds))]


def measure_all(
    names: list[str], repeats: int, kept: Path | None, titles: tuple[str, ...] = tuple(MODELS)
) -> dict[str, dict[str, list]]:
    """Measurements by dataset and model; those kept from an earlier run are not made again."""
    found = json.loads(kept.read_text()) if kept is not None and kept.exists() else {}
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        for name in progress.track(names, description="accuracy"):
            of_name = found.setdefault(f"{name} {repeats}", {})
            missing = [title for title in titles if title not in of_name]
            domain = Domain.load(name) if missing else None
            for title in missing:
                assert domain is not None
                of_name[title] = measure(domain, title, repeats)
                if kept is not None:
                    kept.write_text(json.dumps(found))
    return {name: found[f"{name} {repeats}"] for name in names}


def tabulate(found: dict[str, dict[str, list]]) -> str:
    """Error and log-loss of every dataset and model, then the means and the cost."""
    header = ["dataset", *MODELS]
    rows = [
        [name, *(f"{of_name[t][0]:.2f} / {of_name[t][1]:.3f}" for t in MODELS)]
        for name, of_name in found.items()
    ]
    means = {t: np.mean([of_name[t] for of_name in found.values()], axis=0) for t in MODELS}
    rows.append(["**mean**", *(f"**{m[0]:.2f} / {m[1]:.3f}**" for m in means.values())])
    reference = means[HISTOGRAMS][2]
    cost = [f"{m[2] * len(found):.1f} s ({m[2] / reference:.2f})" for m in means.values()]
    rows.append([f"CPU of one fit each, summed (of {HISTOGRAMS})", *cost])
    for rival in (NO_SLOPES, FOREST, ORDINAL_FOREST, HISTOGRAMS):
        records = [_wins(found, t, rival) for t in MODELS]
        rows.append([f"won - lost against {rival}, by error", *records])
    return format_table(header, rows)


def _wins(found: dict[str, dict[str, list]], title: str, rival: str) -> str:
    differences = [of_name[title][0] - of_name[rival][0] for of_name in found.values()]
    return f"{sum(d < 0 for d in differences)} - {sum(d > 0 for d in differences)}"


def judge(found: dict[str, dict[str, list]], points: float, share: float) -> str:
    """Whether the default beats the forests by so many points and such a share of their log-loss."""
    return "\n".join(
        f"* {_judge_one(found, rival, points, share)}" for rival in (FOREST, ORDINAL_FOREST)
    )


def _judge_one(found: dict[str, dict[str, list]], rival: str, points: float, share: float) -> str:
    ours, forest = (
        np.mean([of_name[t] for of_name in found.values()], axis=0) for t in (TWO, rival)
    )
    reached = ours[0] <= forest[0] - points and ours[1] <= share * forest[1]
    return (
        f"{rival}. Required of the default: error at most {forest[0] - points:.2f} (the forest's less {points}), "
        f"log-loss at most {share * forest[1]:.3f} ({share} of the forest's). "
        f"Measured: {ours[0]:.2f} and {ours[1]:.3f}. Reached: {'yes' if reached else 'no'}."
    )


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10, help="of 3-fold cross-validation")
    parser.add_argument("--other-repeats", type=int, default=2, help="on the other datasets")
    parser.add_argument("--max-rows", type=int, default=MAX_ROWS, help="of the other datasets")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    kept = arguments.output.with_suffix(".partial.json") if arguments.output else None
    with threadpool_limits(1):  # CPU time is compared: threads that wait would count
        domains = measure_all(list(TING_ZHENG.values()), arguments.repeats, kept)
        others = measure_all(other_datasets(arguments.max_rows), arguments.other_repeats, kept)
    one = np.mean([of_name[ONE] for of_name in domains.values()], axis=0)
    parts = [
        "# Accuracy of additive boosting",
        "Error in % / log-loss. One setting for all datasets, the same folds for all models.",
        describe_run(shlex.join(["python", "-m", "benchmarks.additive_accuracy", *sys.argv[1:]])),
        f"## The 22 domains of Ting and Zheng, {arguments.repeats} x 3-fold cross-validation",
        tabulate(domains),
        judge(domains, 0.5, 0.75),
        "Required of interactions=1: error at most 17.5, log-loss at most 0.48. "
        f"Measured: {one[0]:.2f} and {one[1]:.3f}.",
        f"## {len(others)} other datasets with at most {arguments.max_rows:,} rows, {arguments.other_repeats} x 3-fold",
        tabulate(others),
        judge(others, 0.3, 0.8),
    ]
    report = "\n\n".join(parts) + "\n"
    publish(report, arguments.output)


if __name__ == "__main__":
    main()
