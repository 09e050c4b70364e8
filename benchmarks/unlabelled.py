"""Whether rows without a class help: ``missing_target="em"`` beside leaving them out.

A share of the training labels, 90 % unless told otherwise, is removed at random; accuracy and log-loss are those of
complete test folds.

    python -m benchmarks.unlabelled --output benchmarks/results/unlabelled.md
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from rich.progress import track
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from bayfold import NaiveBayesClassifier
from bayfold.datasets import load_dataset
from benchmarks.report import publish

DATASETS = ("vote", "breast-w", "diabetes", "credit-g")
MAX_ROWS = 1000


def measure(name: str, how: str, share: float, seed: int) -> tuple[float, float]:
    """Accuracy and log-loss over five folds."""
    dataset = load_dataset(name, task="classification")
    rng = np.random.default_rng(seed)
    known = np.array([label is not None for label in dataset.target])
    rows = rng.permutation(np.flatnonzero(known))[:MAX_ROWS]
    frame, target = dataset.frame.to_pandas().iloc[rows], dataset.target[rows].astype(object)
    accuracy, loss = [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(
        frame, target.astype(str)
    ):
        some = target[train].copy()
        some[rng.random(len(train)) < share] = None
        model = NaiveBayesClassifier(missing_target=how, n_jobs=1).fit(frame.iloc[train], some)
        proba = model.predict_proba(frame.iloc[test])
        accuracy.append(accuracy_score(target[test], model.predict(frame.iloc[test])))
        loss.append(log_loss(target[test].astype(str), proba, labels=model.classes_.astype(str)))
    return float(np.mean(accuracy)), float(np.mean(loss))


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="*", default=list(DATASETS))
    parser.add_argument("--share", type=float, default=0.9)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [
        "# Learning from rows without a class",
        "",
        f"Written by `{' '.join(['python -m benchmarks.unlabelled', *sys.argv[1:]])}`:",
        f"{arguments.share:.0%} of the training labels removed, five folds, {arguments.seeds} seeds, at most",
        f"{MAX_ROWS} rows, default settings otherwise.",
        "",
        "| data | accuracy, drop | accuracy, em | log-loss, drop | log-loss, em | em is better in |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name in track(arguments.datasets, disable=not sys.stderr.isatty()):
        runs = np.array(
            [
                [measure(name, how, arguments.share, seed) for how in ("drop", "em")]
                for seed in range(arguments.seeds)
            ]
        )
        (a0, l0), (a1, l1) = runs.mean(axis=0)
        wins = int((runs[:, 1, 0] > runs[:, 0, 0]).sum())
        cells = f"{100 * a0:.1f} | {100 * a1:.1f} | {l0:.3f} | {l1:.3f}"
        lines.append(f"| {name} | {cells} | {wins} of {arguments.seeds} seeds |")
    report = "\n".join(lines) + "\n"
    publish(report, arguments.output)


if __name__ == "__main__":
    main()
