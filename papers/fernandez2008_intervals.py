"""What sharing the intervals of a column across pieces changes in Table 2 of Fernández, Nielsen and Salmerón (2008).

The paper fits the density of each piece on intervals of its own; MTERegressor gives all pieces of a column the same
ones, so that one evaluation of the exponentials serves them all. Here both are fitted by the same functions, without
missing cells, beside the published error.

    python -m papers.fernandez2008_intervals --output papers/results/fernandez2008_intervals.md
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track
from scipy.special import softmax
from sklearn.model_selection import KFold

from bayfold import MTERegressor
from bayfold.families.mte.curves import Curves, fit_mixtures
from bayfold.families.mte.density import widen
from papers.fernandez2008 import DATASETS, FOLDS, PAPER, load, read_published


def score_numeric(
    train: np.ndarray, pieces: np.ndarray, n_pieces: int, test: np.ndarray, shared: bool
) -> np.ndarray:
    """Log-densities of the test values in every piece."""
    low, high = widen(train.min(), train.max())
    values, inverse = np.unique(train, return_inverse=True)
    counts = np.zeros((len(values), n_pieces))
    np.add.at(counts, (inverse, pieces), 1.0)
    curves = Curves((values - low) / (high - low))
    groups = [np.arange(n_pieces)] if shared else np.arange(n_pieces)[:, None]
    most = PAPER["max_intervals"]
    z = np.clip((test - low) / (high - low), 0.0, 1.0)
    fitted = [fit_mixtures(curves, counts[:, g], max_intervals=most).density(z) for g in groups]
    return np.log(np.concatenate(fitted, axis=1))


def score_nominal(
    train: np.ndarray, pieces: np.ndarray, n_pieces: int, test: np.ndarray
) -> np.ndarray:
    """Log-frequencies of the test labels in every piece; a label that did not occur says nothing."""
    labels, inverse = np.unique(train, return_inverse=True)
    counts = np.ones((len(labels), n_pieces))
    np.add.at(counts, (inverse, pieces), 1.0)
    places = np.searchsorted(labels, test).clip(max=len(labels) - 1)
    known = labels[places] == test
    return np.where(known[:, None], np.log(counts / counts.sum(axis=0))[places], 0.0)


def predict(frame: Any, target: np.ndarray, test: Any, shared: bool) -> np.ndarray:
    """Means of naive Bayes over the pieces of ``MTERegressor``."""
    edges = MTERegressor(**PAPER).fit(frame, target).piece_edges_
    pieces = np.clip(np.searchsorted(edges, target, side="right") - 1, 0, len(edges) - 2)
    n = np.bincount(pieces)
    scores = np.tile(np.log((n + 1) / (n.sum() + len(n))), (len(test), 1))
    for name in frame:
        if frame[name].nunique() < 2:
            continue
        if frame[name].dtype.kind in "fiu":
            cells = (column[name].to_numpy(float) for column in (frame, test))
            train_cells, test_cells = cells
            scores += score_numeric(train_cells, pieces, len(n), test_cells, shared)
        else:
            train_cells, test_cells = (
                column[name].astype(str).to_numpy(object) for column in (frame, test)
            )
            scores += score_nominal(train_cells, pieces, len(n), test_cells)
    return softmax(scores, axis=1) @ (np.bincount(pieces, target) / n)


def measure(name: str, seed: int, shared: bool) -> float:
    """The mean over folds of the root mean squared error."""
    frame, target = load(name)
    errors = []
    for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(target):
        predicted = predict(frame.iloc[train], target[train], frame.iloc[test], shared)
        errors.append(np.sqrt(np.mean((predicted - target[test]) ** 2)))
    return float(np.mean(errors))


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    published = read_published()
    lines = [
        "# Fernández et al. (2008), Table 2 without missing cells: shared intervals and intervals of each piece's own",
        "",
        f"Written by `{' '.join(['python -m papers.fernandez2008_intervals', *sys.argv[1:]])}`.",
        f"Root mean squared error, mean ± standard deviation over {arguments.seeds} seeds; four pieces, at most four",
        "intervals.",
        "",
        "| data | published | shared | of each piece's own |",
        "|---|---:|---:|---:|",
    ]
    for name, (_, _, database) in track(DATASETS.items(), disable=not sys.stderr.isatty()):
        cells = [f"{published[database][0]:.3f}" if database else ""]
        for shared in (True, False):
            runs = np.array([measure(name, seed, shared) for seed in range(arguments.seeds)])
            cells.append(f"{runs.mean():.3f} ± {runs.std(ddof=1):.3f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    report = "\n".join(lines) + "\n"
    print(report)
    if arguments.output:
        arguments.output.write_text(report)


if __name__ == "__main__":
    main()
