"""The figures of docs/boosting.md. Needs matplotlib, and the datasets in the folder named by BAYFOLD_DATA.

python docs/make_boosting.py
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    BoostedNaiveBayesClassifier,
    NaiveBayesTreeClassifier,
)
from bayfold.datasets import load_dataset
from bayfold.errors import DataWarning
from bayfold.plot import plot_tree

IMAGES = Path(__file__).parent / "images"
# Okabe and Ito's colours
COLOURS = {
    "AdaBoost, naive Bayes": "#D55E00",
    "AdaBoost, trees of depth 3": "#E69F00",
    "additive, one-column tables": "#56B4E9",
    "additive, with pairs": "#0072B2",
}
DATASETS = {"nursery": "nursery: columns interact", "splice-3177": "splice: they do not"}
N_FOLDS = 3


def make_models(split: str = "multiway") -> dict[str, Any]:
    """The four that are compared."""
    trees = NaiveBayesTreeClassifier(3, split=split, min_samples_branch=30, calibration=None)
    models = [
        AdaBoostNaiveBayesClassifier(calibration=None),
        AdaBoostNaiveBayesClassifier(base=trees, calibration=None),
        BoostedNaiveBayesClassifier(interactions=1),
        BoostedNaiveBayesClassifier(interactions=2),
    ]
    return dict(zip(COLOURS, models, strict=True))


def draw_spots(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns of which none says anything alone: the class is whether the signs of the first two agree."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n_rows, 3))
    truth = X[:, 0] * X[:, 1] > 0
    is_flipped = rng.random(n_rows) < 0.05
    return X, (truth ^ is_flipped).astype(int)


def show_maps(axes: Any) -> None:
    """What each model makes of the two columns: the probability of the second class over the plane."""
    X, y = draw_spots(1500)
    new_rows, truth = draw_spots(5000, seed=1)
    side = np.linspace(-1, 1, 80)
    plane = np.stack([*np.meshgrid(side, side), np.zeros((80, 80))], axis=-1).reshape(-1, 3)
    models = {"naive Bayes": NaiveBayesTreeClassifier(0)} | make_models("threshold")
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        fitted = model.fit(X, y)
        p = fitted.predict_proba(plane)[:, 1].reshape(80, 80)
        ax.imshow(p, origin="lower", extent=(-1, 1, -1, 1), cmap="RdBu_r", vmin=0, vmax=1)
        shown = slice(0, 250)
        colours = np.where(y[shown] == 1, "#7f0000", "#00007f")
        ax.scatter(X[shown, 0], X[shown, 1], s=5, c=colours, lw=0)
        error = 100 * np.mean(fitted.predict(new_rows) != truth)
        ax.set_title(f"{name}\nerror {error:.0f} %", fontsize=9)
        ax.set_xticks([])
        ax.set_yticks([])
        print(f"signs agree: {name}: {error:.1f} %")


def find_curves(name: str) -> dict[str, np.ndarray]:
    """Test error after each round, as the mean over folds; a fold that stopped keeps its last error."""
    dataset = load_dataset(name, task="classification")
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    curves: dict[str, list[np.ndarray]] = {title: [] for title in COLOURS}
    for train, test in folds.split(dataset.target, dataset.target):
        rows, others = dataset.frame.take(train), dataset.frame.take(test)
        for title, model in make_models().items():
            model.fit(rows, dataset.target[train])
            stages = model.staged_predict_proba(others)
            truth = dataset.target[test]
            errors = [100 * np.mean(model.classes_[p.argmax(axis=1)] != truth) for p in stages]
            curves[title].append(np.array(errors))
    means = {}
    for title, found in curves.items():
        longest = max(map(len, found))
        padded = [np.append(c, np.full(longest - len(c), c[-1])) for c in found]
        means[title] = np.mean(padded, axis=0)
        print(
            f"{name}: {title}: {means[title][0]:.1f} % after one round, {means[title][-1]:.1f} % at the end"
        )
    return means


def show_curves(ax: Any, title: str, curves: dict[str, np.ndarray]) -> None:
    """Error over rounds, on a logarithmic axis."""
    for name, errors in curves.items():
        ax.plot(np.arange(1, len(errors) + 1), errors, color=COLOURS[name], lw=1.6, label=name)
        ax.plot(len(errors), errors[-1], "o", color=COLOURS[name], ms=4)
    ax.set_xscale("log")
    ax.set_ylim(0, 15)  # additive models begin with a single small step
    ax.set_xlabel("rounds")
    ax.set_title(title, fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Draw and save."""
    warnings.simplefilter("ignore", DataWarning)
    figure = plt.figure(figsize=(11, 6.4), layout="constrained")
    grid = figure.add_gridspec(2, 1, height_ratios=[1, 1.25])
    show_maps(grid[0].subgridspec(1, 5).subplots())
    lower = grid[1].subgridspec(1, 2).subplots()
    for ax, (name, title) in zip(lower, DATASETS.items(), strict=True):
        show_curves(ax, title, find_curves(name))
    lower[0].set_ylabel("test error in %")
    handles, labels = lower[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    IMAGES.mkdir(parents=True, exist_ok=True)
    figure.savefig(IMAGES / "boosting.png", dpi=110)
    save_tree()


def save_tree() -> None:
    """A tree of two levels with the evidence of its leaves."""
    dataset = load_dataset("heart-c", task="classification")
    model = NaiveBayesTreeClassifier(2, split="threshold").fit(dataset.frame, dataset.target)
    axes = plot_tree(model)
    axes[0].figure.savefig(IMAGES / "tree.png", dpi=90)


if __name__ == "__main__":
    main()
