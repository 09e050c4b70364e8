"""The example behind Figure 1 of the paper: a class in two regions, and what a product of marginals makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import entr, rel_entr

from bayfold import ClassDecompositionClassifier, NaiveBayesClassifier
from papers.shared.figures import COLOURS, new_figure, save
from papers.shared.page import Page

CORNERS = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
LABELS = np.array(["+", "+", "-", "-"])
"""Class + has half its rows in each of two opposite corners, class - in the other two."""

DRAWN = 500
"""Random distributions of each shape."""

FITTED = 200
"""Rounds of proportional fitting: marginals to 1e-5."""

LEAST_MASS = 0.01
"""Of a cell that is drawn, before fitting: with less mass marginals are slow to fit."""

CONCENTRATED = (0.3, 0.1, 0.03, 0.01)
"""Shares of a class outside its most frequent cell."""

SPREAD, ROWS = 0.08, 50
"""Standard deviation around a corner, and rows of a corner."""


def find_corner_masses(label: str) -> tuple[np.ndarray, np.ndarray]:
    """The share of a class in every corner, and the share that the product of its two marginals puts there."""
    own = CORNERS[label == LABELS]
    true = np.array([np.mean((own == corner).all(axis=1)) for corner in CORNERS])
    product = np.array([np.prod(np.mean(own == corner, axis=0)) for corner in CORNERS])
    return true, product


def find_entropy(shares: np.ndarray) -> np.ndarray:
    """Of one distribution of two columns, or of each of several, in bits."""
    return entr(shares).sum(axis=(-2, -1)) / np.log(2)


def multiply_marginals(joint: np.ndarray) -> np.ndarray:
    """What naive Bayes makes of the distribution of two columns."""
    return np.outer(joint.sum(axis=1), joint.sum(axis=0))


def draw_joints(rng: np.random.Generator, joint: np.ndarray) -> np.ndarray:
    """Random distributions with the marginals of another, by proportional fitting."""
    found = rng.gamma(0.5, size=(DRAWN, *joint.shape)) + LEAST_MASS
    found *= multiply_marginals(joint) > 0
    for _ in range(FITTED):
        for axis in (1, 2):
            now = found.sum(axis=axis, keepdims=True)
            wanted = joint.sum(axis=axis - 1, keepdims=True)
            found *= wanted / np.where(now > 0, now, 1.0)
    return found


def measure_products() -> pd.DataFrame:
    """Of a class in one or two corners, and of random distributions of two columns, what their products add.

    ``flatter`` is the share of random distributions with the same marginals that have more entropy than the product.
    """
    rng = np.random.default_rng(0)
    joints = {
        "class + of Figure 1": np.array([[0.5, 0.0], [0.0, 0.5]]),
        "one of its clusters": np.array([[1.0, 0.0], [0.0, 0.0]]),
    }
    for rows, columns in ((2, 3), (3, 3), (4, 6)):
        joints[f"random, {rows} x {columns}"] = rng.dirichlet(np.ones(rows * columns)).reshape(
            rows, columns
        )
    found = []
    for name, joint in joints.items():
        product = multiply_marginals(joint)
        divergence = float(rel_entr(joint, product).sum() / np.log(2))
        flatter = np.mean(find_entropy(draw_joints(rng, joint)) > find_entropy(product) + 1e-9)
        found.append([name, find_entropy(joint), find_entropy(product), divergence, flatter])
    names = ["distribution", "entropy", "of_product", "divergence", "flatter"]
    return pd.DataFrame(found, columns=names)


def measure_concentrated() -> pd.DataFrame:
    """How far the product is from classes that lie nearly all in one cell: at most, over random ones of 4 x 6 cells."""
    rng = np.random.default_rng(1)
    rows = []
    for outside in CONCENTRATED:
        gaps = []
        for _ in range(DRAWN):
            joint = outside * rng.dirichlet(np.full(24, 0.3)).reshape(4, 6)
            joint[rng.integers(4), rng.integers(6)] += 1 - outside
            gaps.append(np.abs(joint - multiply_marginals(joint)).max())
        rows.append([outside, max(gaps), 2 * outside])
    return pd.DataFrame(rows, columns=["outside", "largest_gap", "bound"])


def write_products(page: Page) -> None:
    """Entropies and divergences: why decomposition helps, in numbers."""
    found, near = measure_products(), measure_concentrated()
    page.tables |= {"products": found, "concentrated": near}
    cells = [
        [row.distribution, *(f"{v:.4f}" for v in (row.entropy, row.of_product, row.divergence))]
        for row in found.itertuples()
    ]
    page.add(
        "Of all distributions with the same marginals the product is the flattest: "
        f"{DRAWN:,} random ones of each shape have no more entropy. How far it is from the class (its relative "
        "entropy, in bits) is the entropy that it adds: one bit for a class in two corners, none for its clusters.",
    )
    page.add_table(
        ["distribution of two columns", "entropy", "of the product", "divergence"], cells
    )
    page.add(
        "A cluster that lies nearly all in one cell needs no independence: where all but a share d of a class of n "
        "columns is in one cell, no cell of the product is further than n d from the class. The largest gap of "
        f"{DRAWN:,} random classes each, of two columns:"
    )
    gaps = [[f"{v:.2g}" for v in row] for row in near.to_numpy()]
    page.add_table(["share outside", "largest gap", "bound"], gaps)


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
        "The example is ours. A class with half its rows in each of two opposite corners of a square. Its marginals do "
        "not say which corners, so their product puts as much into all four: half of it where the class never is.",
    )
    page.add_table(
        ["corner", "class there", "share of class +", "by the product of marginals"], rows
    )
    write_products(page)
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
