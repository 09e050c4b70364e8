"""Draw the picture of docs/regression.md: ``python docs/make_regression.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

from bayfold import NaiveBayesRegressor
from bayfold.datasets import make_spiral

matplotlib.use("Agg")
from matplotlib import pyplot as plt

FOLDER = Path(__file__).parent / "images"
BLUE, ORANGE, GREY = "#1f5fa8", "#d9702b", "#8a8a8a"
ASKED = np.array([[-0.6, -0.4], [4.1, 1.8], [7.6, 0.6], [-2.4, -2.6]])


def draw_spiral() -> None:
    """Training rows of the spiral, and the predicted and true densities of four rows."""
    spiral = make_spiral(2000)
    model = NaiveBayesRegressor().fit(spiral.data, spiral.target)
    distribution = model.predict_distribution(ASKED)
    places, truth = spiral.true_density(ASKED)
    at = np.linspace(-0.8, 10.8, 500)
    density, bounds = distribution.pdf(at), distribution.interval(0.9)
    figure = plt.figure(figsize=(10, 4.6), layout="constrained")
    grid = figure.add_gridspec(2, 4, width_ratios=[1.15, 1.15, 1, 1])
    left = figure.add_subplot(grid[:, :2])
    dots = left.scatter(*spiral.data.T, c=spiral.target, s=7, cmap="viridis", linewidths=0)
    left.scatter(*ASKED.T, s=120, facecolors="white", edgecolors=ORANGE, linewidths=2)
    for number, (x, y) in enumerate(ASKED, start=1):
        left.annotate(str(number), (x, y), ha="center", va="center", fontsize=9, color="black")
    left.set(
        xlabel="first column", ylabel="second column", title="2,000 training rows", aspect="equal"
    )
    figure.colorbar(dots, ax=left, label="target", shrink=0.8)
    for number in range(len(ASKED)):
        panel = figure.add_subplot(grid[number // 2, 2 + number % 2])
        panel.fill_between(at, density[number], color=BLUE, alpha=0.25, linewidth=0)
        panel.plot(at, density[number], color=BLUE, linewidth=1.6, label="predicted")
        panel.plot(places, truth[number], color=GREY, linewidth=1.1, linestyle="--", label="true")
        panel.axvline(distribution.mean()[number], color=ORANGE, linewidth=1.4, label="mean")
        panel.plot(
            bounds[number], [0, 0], color=ORANGE, linewidth=5, solid_capstyle="butt", alpha=0.6
        )
        panel.set(title=f"row {number + 1}", yticks=[], xlim=(-0.8, 10.8), ylim=(0, None))
        panel.spines[["left", "right", "top"]].set_visible(False)
        if number == 0:
            panel.legend(frameon=False, fontsize=8)
        if number > 1:
            panel.set_xlabel("target")
    figure.savefig(FOLDER / "spiral.png", dpi=110)


if __name__ == "__main__":
    draw_spiral()
