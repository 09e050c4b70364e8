"""The example behind Figure 1 of the paper: a class in two regions, and what a product of marginals makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bayfold import ClassDecompositionClassifier, NaiveBayesClassifier
from papers.shared.figures import COLOURS, new_figure, save
from papers.shared.page import Page

CORNERS = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
LABELS = np.array(["+", "+", "-", "-"])
"""Class + has half its rows in each of two opposite corners, class - in the other two."""

SPREAD, ROWS = 0.08, 50
"""Standard deviation around a corner, and rows of a corner."""


def find_corner_masses(label: str) -> tuple[np.ndarray, np.ndarray]:
    """The share of a class in every corner, and the share that the product of its two marginals puts there."""
    own = CORNERS[label == LABELS]
    true = np.array([np.mean((own == corner).all(axis=1)) for corner in CORNERS])
    product = np.array([np.prod(np.mean(own == corner, axis=0)) for corner in CORNERS])
    return true, product


def draw_rows() -> tuple[np.ndarray, np.ndarray]:
    """Rows around the corners, and their classes."""
    noise = np.random.default_rng(0).normal(scale=SPREAD, size=(ROWS, len(CORNERS), 2))
    return (CORNERS + noise).reshape(-1, 2), np.tile(LABELS, ROWS)


def write_example(page: Page, folder: Path) -> None:
    """The masses, exactly; two fitted models; the picture."""
    X, y = draw_rows()
    plain = NaiveBayesClassifier(numeric="gaussian", calibration=None, n_jobs=1).fit(X, y)
    split = ClassDecompositionClassifier(
        plain, n_clusters=2, calibration=None, random_state=0, n_jobs=1
    ).fit(X, y)
    true, product = find_corner_masses("+")
    rows = [
        [f"({a:g}, {b:g})", label, f"{t:g}", f"{p:g}"]
        for (a, b), label, t, p in zip(CORNERS, LABELS, true, product, strict=True)
    ]
    page.add(
        "## Figure 1: why a class in several regions is hard",
        "A class with half its rows in each of two opposite corners of a square. Its marginals do not say which "
        "corners, so their product puts the same mass into all four: half of it where the class never is.",
    )
    page.add_table(
        ["corner", "class there", "share of class +", "by the product of marginals"], rows
    )
    page.add(
        f"Rows around the corners (standard deviation {SPREAD:g}): naive Bayes is right on "
        f"{100 * plain.score(X, y):.1f} % of them, with two clusters a class on {100 * split.score(X, y):.1f} %."
    )
    draw_example(X, y, {"naive Bayes": plain, "two clusters a class": split}, folder)
    page.add_figure(
        "vilalta2003_figure1.png",
        "A class in two corners: rows, naive Bayes, and two clusters a class",
    )


def draw_example(X: np.ndarray, y: np.ndarray, models: dict[str, Any], folder: Path) -> None:
    """The rows, and the probability of class + over the square, by each model."""
    figure, axes = new_figure(4 * (1 + len(models)), 3.6, columns=1 + len(models), sharey=True)
    for label, colour in zip(("+", "-"), COLOURS, strict=False):
        axes[0].plot(*X[y == label].T, "o", ms=3, color=colour, label=f"class {label}")
    axes[0].set_title("rows")
    axes[0].legend(fontsize=8)
    ticks = np.linspace(-0.4, 1.4, 61)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    for axis, (name, model) in zip(axes[1:], models.items(), strict=True):
        of_plus = model.predict_proba(grid)[:, list(model.classes_).index("+")]
        shape = (len(ticks), len(ticks))
        field = axis.pcolormesh(
            ticks, ticks, of_plus.reshape(shape), vmin=0, vmax=1, cmap="RdBu", shading="auto"
        )
        axis.set_title(name)
    figure.colorbar(field, ax=axes[-1], label="probability of class +")
    save(figure, folder / "vilalta2003_figure1.png")
