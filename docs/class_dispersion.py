"""The picture of docs/class-decomposition.md: a class in several regions, before and after it is split.

python docs/class_dispersion.py docs/images/class_dispersion.png
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Ellipse

from bayfold import ClassDecompositionClassifier, NaiveBayesClassifier

CENTRES = np.array([[-3.0, -2.5], [3.0, 2.5], [-3.0, 2.5], [3.0, -2.5], [0.0, 0.0]])
SPREADS = np.array([[0.9, 0.7], [0.8, 0.9], [0.7, 0.9], [0.9, 0.7], [0.8, 0.6]])
CLASS_OF = np.array(["round", "round", "square", "square", "square"])
SHADES = {"round": ("#c2500a", "#f0984e", "#7f2f00"), "square": ("#08519c", "#4f9fd6", "#2b3f73")}
MARKS = {"round": "o", "square": "s"}
CLASS_COLOURS = LinearSegmentedColormap.from_list("classes", ["#fbe3cf", "#ffffff", "#d3e5f4"])


def draw_rows(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes in five regions."""
    rng = np.random.default_rng(seed)
    region = rng.integers(0, len(CENTRES), n_rows)
    return CENTRES[region] + SPREADS[region] * rng.normal(size=(n_rows, 2)), CLASS_OF[region]


def draw_boundary(axes: Axes, model: object) -> None:
    """Shade by the probability of the second class and draw where it is one half."""
    x, y = np.meshgrid(np.linspace(-6, 6, 300), np.linspace(-5.5, 5.5, 300))
    probability = model.predict_proba(np.stack([x.ravel(), y.ravel()], axis=1))[:, 1].reshape(
        x.shape
    )
    axes.contourf(x, y, probability, levels=np.linspace(0, 1, 21), cmap=CLASS_COLOURS)
    axes.contour(x, y, probability, levels=[0.5], colors="#444444", linewidths=1.3)
    axes.set(xlim=(-6, 6), ylim=(-5.5, 5.5), xlabel="x0", ylabel="x1", aspect="equal")


def draw_gaussian(axes: Axes, mean: np.ndarray, spread: np.ndarray, colour: str) -> None:
    """Two standard deviations of what the model takes a group for."""
    axes.add_patch(Ellipse(tuple(mean), *(4 * spread), fill=False, color=colour, lw=1.6, ls="--"))


def draw_groups(axes: Axes, model: NaiveBayesClassifier, X: np.ndarray, groups: list) -> None:
    """The rows of every group, and its Gaussian: (rows, label, class, shade)."""
    terms = model._predictor.model.terms  # type: ignore[union-attr]
    for k, (rows, label, of_class, shade) in enumerate(groups):
        colour = SHADES[of_class][shade]
        axes.scatter(*X[rows].T, s=13, marker=MARKS[of_class], color=colour, lw=0, label=label)
        mean = np.array([term.mean[k] for term in terms])
        draw_gaussian(axes, mean, np.array([1 / term.inverse_sd[k] for term in terms]), colour)
    axes.legend(loc="upper center", ncols=3, fontsize=7.5, frameon=True, framealpha=0.9)


def main() -> None:
    """Fit both models and save the picture."""
    X, y = draw_rows(500, seed=0)
    fresh, truth = draw_rows(20_000, seed=1)
    plain = NaiveBayesClassifier(numeric="gaussian", calibration=None).fit(X, y)
    split = ClassDecompositionClassifier(random_state=0).fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.2), layout="constrained")
    draw_boundary(left, plain)
    draw_groups(left, plain, X, [(y == c, c, c, 0) for c in plain.classes_])
    left.set_title(f"naive Bayes: {plain.score(fresh, truth):.1%} of new rows right")
    draw_boundary(right, split)
    inner = split._subclasses
    groups = []
    for k, (c, cluster) in enumerate(zip(inner.class_of, inner.cluster_of, strict=True)):
        name = str(split.classes_[c])
        groups.append((inner.of_row == k, f"{name} {cluster}", name, cluster))
    draw_groups(right, split.estimator_, X, groups)
    right.set_title(f"classes decomposed: {split.score(fresh, truth):.1%} right")
    figure.savefig(sys.argv[1], dpi=110)


if __name__ == "__main__":
    main()
