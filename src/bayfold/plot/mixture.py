"""The components of a mixture beside each other: what is typical of each, and how much it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayfold import errors
from bayfold.families.mixtures.estimator import NaiveBayesMixture
from bayfold.plot.canvas import measure_width, new_axes
from bayfold.plot.texts import cut_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TYPICAL_WIDTH = 20
"""Characters of a typical value in a cell, at most."""

LEAST_SIZE = 6.5
LARGEST_SIZE = 9.0
"""Of its letters, in points: smaller ones are not read, so that words are cut instead."""

POINTS_PER_INCH = 72.0
LETTER_POINTS = 0.6
"""Points in an inch, and the width of a letter of one point."""

CELLS_SHARE = 0.6
"""Of the width of the axes, what names and the scale of colours leave to the cells."""


def plot_mixture(
    mixture: NaiveBayesMixture,
    *,
    max_columns: int = 12,
    max_components: int = 8,
    ax: Axes | None = None,
) -> Axes:
    """Draw the components of a mixture as a map: columns by components, darker where a column tells more.

    Parameters
    ----------
    mixture : NaiveBayesMixture
        Fitted.
    max_columns, max_components : int, default=12, 8
        The columns that tell most, and the largest components.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Notes
    -----
    Each cell has what is typical of the component: mean and standard deviation, or the most frequent value with its
    share. Its shade is the column's weight in ``components_``: how far the component differs there from all rows, in
    nats.

    Examples
    --------
    >>> from bayfold.plot import plot_mixture
    >>> plot_mixture(mixture).figure.savefig("clusters.png")  # doctest: +SKIP
    """
    if not hasattr(type(mixture), "components_"):
        raise errors.no_mixture_to_plot(type(mixture).__name__)
    for name, value in (("max_columns", max_columns), ("max_components", max_components)):
        errors.check_whole(name, value, 1)
    names = mixture.schema_.names
    shares = mixture.weights_
    weights, typical = _tabulate(mixture)
    columns = np.argsort(-(weights * shares).sum(axis=1), kind="stable")[:max_columns]
    n_shown = min(max_components, len(shares))
    weights = weights[columns, :n_shown]
    typical = typical[columns, :n_shown]
    ax = new_axes(ax, 2.2 + 1.55 * n_shown, 1.4 + 0.42 * len(columns))
    most = max(float(weights.max(initial=0.0)), 1e-9)
    image = ax.imshow(weights, cmap="Blues", vmin=0, vmax=1.25 * most, aspect="auto")
    room = CELLS_SHARE * POINTS_PER_INCH * measure_width(ax) / n_shown / LETTER_POINTS
    size = float(np.clip(room / TYPICAL_WIDTH, LEAST_SIZE, LARGEST_SIZE))
    width = int(np.clip(room / size, 5, TYPICAL_WIDTH))
    for j, texts in enumerate(typical):
        for g, text in enumerate(cut_names(texts.tolist(), width)):
            colour = "white" if weights[j, g] > 0.75 * most else "black"
            ax.text(g, j, text, ha="center", va="center", fontsize=size, color=colour)
    titles = [f"{g}\n{share:.1%}" for g, share in enumerate(shares[:n_shown])]
    ax.set_xticks(np.arange(n_shown), titles)
    ax.set_yticks(np.arange(len(columns)), cut_names([names[j] for j in columns], 24))
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    hidden = [f"{len(names) - len(columns)} columns"] * (len(names) > len(columns))
    hidden += [f"{len(shares) - n_shown} components"] * (len(shares) > n_shown)
    if hidden:
        ax.set_xlabel(f"{' and '.join(hidden)} not shown")
    ax.figure.colorbar(image, ax=ax, label="weight, in nats", shrink=0.8)
    return ax


def _tabulate(mixture: Any) -> tuple[np.ndarray, np.ndarray]:
    """Weight and typical value of each column in each component."""
    records = mixture.components_
    n_components = mixture.n_components_
    n_columns = len(mixture.schema_.names)
    weights = np.zeros((n_columns, n_components))
    typical = np.full((n_columns, n_components), "", object)
    # by position: columns may have the same name, and records of a component come by weight
    for g in range(n_components):
        part = records.where(component=g)
        used: set[int] = set()
        for name, text, weight in zip(
            *(part[k] for k in ("column", "typical", "weight")), strict=True
        ):
            same = [j for j, known in enumerate(mixture.schema_.names) if known == name]
            j = next(j for j in same if j not in used)
            used.add(j)
            weights[j, g] = weight
            typical[j, g] = text
    return weights, typical
