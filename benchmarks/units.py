"""New patients, after training on visits: log-loss and coverage without and with groups, and how models are judged.

60 patients with 10 visits each, whose four columns differ by .01 from visit to visit and say nothing about the outcome.
A model that holds visits out one by one finds the others of the patient among those it learnt from.

    python -m benchmarks.units --output benchmarks/results/units.md --picture docs/images/units.png
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import bayfold
from bayfold import evaluate
from benchmarks.report import format_table, publish

N_PATIENTS = 60
N_VISITS = 10
N_NEW = 500
"""New patients, with a visit each."""
N_SEEDS = 1
"""Draws; one takes two minutes of two cores."""
N_COVERAGE_SEEDS = 20
"""Draws for coverages: that of one table with 60 patients is known to five points only."""
COVERAGE = 0.8

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "NaiveBayesClassifier": bayfold.NaiveBayesClassifier,
    "AveragedOneDependenceClassifier": bayfold.AveragedOneDependenceClassifier,
    "BoostedNaiveBayesClassifier": bayfold.BoostedNaiveBayesClassifier,
    "NaiveBayesTreeClassifier": bayfold.NaiveBayesTreeClassifier,
    "AdaBoostNaiveBayesClassifier": bayfold.AdaBoostNaiveBayesClassifier,
    "ClassDecompositionClassifier(n_clusters=2)": lambda: bayfold.ClassDecompositionClassifier(
        n_clusters=2, random_state=0
    ),
    "ViaRegressionClassifier": bayfold.ViaRegressionClassifier,
}
REGRESSORS: dict[str, Callable[[], Any]] = {
    "NaiveBayesRegressor": bayfold.NaiveBayesRegressor,
    "BoostedNaiveBayesRegressor": bayfold.BoostedNaiveBayesRegressor,
    "MTERegressor": bayfold.MTERegressor,
}
MIXTURES: dict[str, Callable[[], Any]] = {
    "NaiveBayesMixture": lambda: bayfold.NaiveBayesMixture(range(1, 21), random_state=0),
}
BEFORE_AND_AFTER: tuple[bool, ...] = (False, True)


def draw_visits(
    n_patients: int, n_visits: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Columns that are nearly the same at each visit of a patient, and the patient of each visit."""
    patient = np.repeat(np.arange(n_patients), n_visits)
    X = rng.normal(size=(n_patients, 4))[patient]
    return X + 0.01 * rng.normal(size=X.shape), patient


def find_log_loss(make: Callable[[], Any], with_groups: bool, seed: int) -> float:
    """Log-loss on new patients; half of all patients are of each class."""
    rng = np.random.default_rng(seed)
    X, patient = draw_visits(N_PATIENTS, N_VISITS, rng)
    y = rng.permutation(np.arange(N_PATIENTS) % 2)[patient]
    new, _ = draw_visits(N_NEW, 1, rng)
    truth = np.arange(N_NEW) % 2
    model = make().fit(X, y, groups=patient if with_groups else None)
    p = model.predict_proba(new)[np.arange(N_NEW), truth]
    return -float(np.log(np.maximum(p, 1e-15)).mean())


def find_coverage(make: Callable[[], Any], with_groups: bool, seed: int) -> float:
    """Share of new patients, in percent, whose outcome is within its interval."""
    rng = np.random.default_rng(seed)
    X, patient = draw_visits(N_PATIENTS, N_VISITS, rng)
    y = rng.normal(size=N_PATIENTS)[patient] + 0.01 * rng.normal(size=len(patient))
    new, _ = draw_visits(N_NEW, 1, rng)
    truth = rng.normal(size=N_NEW)
    model = make().fit(X, y, groups=patient if with_groups else None)
    low, high = model.predict_interval(new, coverage=COVERAGE).T
    return 100 * float(((low <= truth) & (truth <= high)).mean())


def find_likelihood(make: Callable[[], Any], with_groups: bool, seed: int) -> float:
    """Mean log-likelihood of new patients."""
    rng = np.random.default_rng(seed)
    X, patient = draw_visits(N_PATIENTS, N_VISITS, rng)
    new, _ = draw_visits(N_NEW, 1, rng)
    return float(make().fit(X, groups=patient if with_groups else None).score(new))


def measure(
    models: dict[str, Callable[[], Any]], find: Callable[[Callable[[], Any], bool, int], float]
) -> list[list[str]]:
    """A line for each model: the mean over the draws before and after."""
    lines = []
    n_seeds = N_COVERAGE_SEEDS if find is find_coverage else N_SEEDS
    for name, make in track(models.items(), disable=not sys.stderr.isatty()):
        means = [
            np.mean([find(make, told, seed) for seed in range(n_seeds)])
            for told in BEFORE_AND_AFTER
        ]
        digits = 0 if find is find_coverage else 2
        lines.append([name, *(f"{mean:.{digits}f}" for mean in means)])
    return lines


def judge(seed: int = 0) -> dict[str, float]:
    """The log-loss of one model by row, by patient and by time, where the outcome drifts and patients differ."""
    rng = np.random.default_rng(seed)
    X, patient = draw_visits(N_PATIENTS, N_VISITS, rng)
    visit = np.tile(np.arange(N_VISITS), N_PATIENTS)
    own = rng.normal(size=N_PATIENTS)[patient]
    late = visit / (N_VISITS - 1)
    odds = 2.0 * own + 2.0 * X[:, 0] * (1 - 2 * late)  # what a column says turns around
    y = (rng.random(len(odds)) < 1 / (1 + np.exp(-odds))).astype(int)
    model = {"model": bayfold.NaiveBayesClassifier()}
    ways: dict[str, dict[str, np.ndarray]] = {
        "by row": {},
        "by patient": {"groups": patient},
        "by time": {"time": visit},
        "by patient and time": {"groups": patient, "time": visit},
    }
    prior = -float(np.log([1 - y.mean(), y.mean()]) @ [1 - y.mean(), y.mean()])
    found = {"share of the classes": prior}
    for name, told in ways.items():
        result = evaluate.cross_validate(model, X, y, n_repeats=3, n_folds=5, **told)
        found[name] = float(evaluate.summarise(result)["log_loss"][0])
    return found


def draw_picture(judged: dict[str, float], path: str) -> None:
    """A bar for each way to judge."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 2.2), layout="constrained")
    names = list(judged)[1:]
    axes.barh(names[::-1], [judged[name] for name in names[::-1]], color="#4878a8", height=0.6)
    axes.axvline(judged["share of the classes"], color="#555555", linestyle="--", linewidth=1)
    axes.set_xlabel("log-loss of held-out rows (dashed: the share of the classes alone)")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--picture")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    losses = measure(CLASSIFIERS, find_log_loss)
    covered = measure(REGRESSORS, find_coverage)
    likelihoods = measure(MIXTURES, find_likelihood)
    judged = judge()
    if given.picture:
        draw_picture(judged, given.picture)
    parts = [
        "# Rows of the same patient",
        f"Written by `{' '.join(['python -m benchmarks.units', *sys.argv[1:]])}`.",
        f"{N_PATIENTS} patients x {N_VISITS} visits that differ by .01, {N_NEW} new patients, draws: {N_SEEDS}.",
        "Log-loss on new patients (.69 is that of the share of the classes):",
        format_table(["classifier", "without groups", "groups=patient"], losses),
        f"Coverage of {100 * COVERAGE:.0f} % intervals on new patients, in percent, mean of {N_COVERAGE_SEEDS} draws:",
        format_table(["regressor", "without groups", "groups=patient"], covered),
        "Mean log-likelihood of new patients, with up to 20 components:",
        format_table(["mixture", "without groups", "groups=patient"], likelihoods),
        "Log-loss of one `NaiveBayesClassifier` by how rows are held out, on patients of whom each has an outcome of "
        "his own and a column whose meaning turns around with time:",
        format_table(["held out", "log-loss"], [[k, f"{v:.2f}"] for k, v in judged.items()]),
    ]
    publish("\n\n".join(parts), given.output)


if __name__ == "__main__":
    sys.exit(main())
