"""Predictive distributions of rows, and whether they hold what they promise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from bayfold import errors
from bayfold.base.options import TableLike, VectorLike
from bayfold.core.frames import find_numbers, read_table, read_vector
from bayfold.plot import canvas
from bayfold.plot.reliability import plot_reliability
from bayfold.plot.texts import cut_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 6
"""Distributions in one picture: as many as there are colours to tell apart."""

LEVELS = np.linspace(0.05, 0.95, 19)
N_STRIPS = 400
"""Strips whose probability is read off the distribution function: many times narrower than SMOOTHED."""

WIDTH_OF_90 = 3.29
"""Standard deviations of a normal distribution in its central 90 % interval."""

SMOOTHED = 0.2
"""Standard deviations over which a drawn density is smoothed. Distributions step at the values of the training rows;
less leaves teeth on a few hundred rows, more would hide two humps (a spread is drawn 2 % too wide)."""


def plot_distribution(
    model: BaseEstimator, rows: TableLike, y: VectorLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the predictive distributions of some rows.

    Parameters
    ----------
    model : fitted regressor with ``predict_distribution``
    rows : array-like or frame of 1 to 6 rows
    y : array-like, optional
        The true values, drawn as dots.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Notes
    -----
    The bar beneath each curve is its central 90 % interval, the mark on it the median. Curves are smoothed over a fifth
    of a standard deviation, bars and marks are not.

    Examples
    --------
    >>> from bayfold.plot import plot_distribution
    >>> plot_distribution(model, X.iloc[:3]).figure.savefig("rows.png")  # doctest: +SKIP
    """
    if not hasattr(model, "predict_distribution"):
        raise errors.no_distribution_to_plot(type(model).__name__)
    found = model.predict_distribution(rows)
    quantiles = found.ppf(np.array([0.001, 0.05, 0.5, 0.95, 0.999]))
    n_rows = len(quantiles)
    if not 1 <= n_rows <= MOST_ROWS:
        raise errors.too_many_rows_to_plot(n_rows, MOST_ROWS)
    truth = None if y is None else find_numbers(read_vector(y))
    bounds = np.linspace(quantiles[:, 0], quantiles[:, -1], N_STRIPS + 1, axis=1)
    below = found.cdf(bounds)
    curves = [_smooth_density(bounds[k], below[k], quantiles[k]) for k in range(n_rows)]
    ax = canvas.new_axes(ax, 6.4, 3.6 + 0.14 * n_rows)
    top = max(float(density.max()) for _, density in curves) or 1.0
    labels = _name_rows(rows, n_rows)
    for k in range(n_rows):
        colour = canvas.COLOURS[k]
        place = -top * (0.06 + 0.07 * k)
        ax.plot(*curves[k], color=colour, linewidth=1.6, label=labels[k])
        ax.fill_between(*curves[k], color=colour, alpha=0.12, linewidth=0)
        _, low, middle, high, _ = quantiles[k]
        ax.plot([low, high], [place, place], color=colour, linewidth=3, solid_capstyle="butt")
        ax.plot([middle], [place], marker="|", markersize=9, color="black")
        if truth is not None:
            ax.plot([truth[k]], [place], marker="o", markersize=5, color=colour, mec="black")
    ax.axhline(0, color=canvas.QUIET, linewidth=0.8)
    ax.set(xlabel="target", ylabel="density", ylim=(-top * (0.1 + 0.07 * n_rows), 1.05 * top))
    ax.locator_params(axis="x", nbins=int(np.clip(1.2 * canvas.measure_width(ax), 2, 8)))
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= 1.05 * top])
    ax.spines[["top", "right"]].set_visible(False)
    if n_rows > 1:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _smooth_density(
    bounds: np.ndarray, below: np.ndarray, quantiles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and densities of one row, from the probabilities below the bounds of strips; mirrored at both ends."""
    lowest, low, _, high, highest = quantiles.tolist()
    numbers = (bounds[1:] + bounds[:-1]) / 2
    if not highest > lowest:
        return numbers, np.zeros(N_STRIPS)
    width = SMOOTHED * max(high - low, (highest - lowest) / 10) / WIDTH_OF_90
    sources = np.stack([numbers, 2 * lowest - numbers, 2 * highest - numbers])
    nearness = np.exp(-0.5 * ((numbers[:, None, None] - sources) / width) ** 2).sum(axis=1)
    return numbers, nearness @ np.diff(below) / (width * np.sqrt(2 * np.pi))


def _name_rows(rows: Any, n_rows: int) -> list[str]:
    labels = read_table(rows).row_labels()
    return [f"row {cut_name(k)}" for k in (range(n_rows) if labels is None else labels)]


def plot_calibration(
    models: BaseEstimator | Mapping[str, BaseEstimator],
    X: TableLike,
    y: VectorLike,
    *,
    n_bins: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Draw whether predictions hold what they promise, on rows the model has not seen.

    Parameters
    ----------
    models : classifier, regressor, or dict of several of one kind
        Classifiers: the reliability diagram of ``plot_reliability``. Regressors: how often the truth is below each
        quantile, and beneath how the ranks of the truth spread (flat, if the distributions are right).
    X : array-like or frame
        Rows the models have not seen.
    y : array-like of shape (n_rows,)
        The truth.
    n_bins : int, default=10
    ax : matplotlib Axes, optional
        Where to draw. A strip is cut off at its bottom.

    Returns
    -------
    ax : matplotlib Axes
        The upper panel.

    Notes
    -----
    The rank of the truth is the probability that the model gave to values up to it (the probability integral
    transform). A histogram with a hump stands for intervals that are too wide, one with horns for too narrow ones.

    Examples
    --------
    >>> from bayfold.plot import plot_calibration
    >>> plot_calibration(regressor, X_test, y_test).figure.savefig("pit.png")  # doctest: +SKIP
    """
    named = dict(models) if isinstance(models, Mapping) else {"": models}
    if not all(hasattr(model, "predict_distribution") for model in named.values()):
        return plot_reliability(models, X, y, n_bins=n_bins, ax=ax)
    truth = find_numbers(read_vector(y))
    known = np.flatnonzero(~np.isnan(truth))
    ax = canvas.new_axes(ax, 5.2, 5.6)
    below = canvas.add_panel_below(ax, 0.24)
    ax.tick_params(labelbottom=False)
    ax.plot([0, 1], [0, 1], color=canvas.QUIET, linewidth=1, linestyle="--", zorder=1)
    edges = np.linspace(0, 1, n_bins + 1)
    for k, (name, model) in enumerate(named.items()):
        found = model.predict_distribution(X)
        colour = canvas.COLOURS[k % len(canvas.COLOURS)]
        ranks = found.cdf(np.where(np.isnan(truth), 0.0, truth)[:, None])[known, 0]
        observed = np.array([(ranks <= level).mean() for level in LEVELS])
        error = float(np.abs(observed - LEVELS).mean())
        label = (
            f"{name}: off by {error:.3f} on average" if name else f"off by {error:.3f} on average"
        )
        ax.plot(LEVELS, observed, marker="o", markersize=4, color=colour, label=label)
        counts = np.histogram(ranks, edges)[0]
        below.stairs(counts, edges, color=colour, linewidth=1.4)
        below.stairs(counts, edges, color=colour, fill=True, alpha=0.15)
    below.axhline(len(known) / n_bins, color=canvas.QUIET, linewidth=1, linestyle="--")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="share of rows below the quantile")
    ax.legend(loc="upper left", frameon=False, fontsize="small").set_in_layout(False)
    below.set_xlabel("quantile, rank of the truth")
    canvas.show_counts(below)
    below.set_ylim(bottom=0)
    return ax
