"""The reliability diagram: what was predicted against what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from bayfold import errors
from bayfold.base.options import TableLike, VectorLike
from bayfold.core.frames import find_groups, read_vector
from bayfold.evaluate import Reliability, find_reliability
from bayfold.plot import canvas
from bayfold.plot.texts import fit_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BESIDE_NAME = 1.8
"""Inches of the words beside the name of a class."""

FIRM_ROWS = 10
"""Bins with fewer are drawn hollow, and no line runs through them."""


def plot_reliability(
    models: BaseEstimator | ArrayLike | Mapping[str, BaseEstimator | ArrayLike],
    X: TableLike | None = None,
    y: VectorLike | None = None,
    *,
    n_bins: int = 10,
    classes: VectorLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw predicted probabilities against observed shares, for one or several models.

    Parameters
    ----------
    models : classifier, array of probabilities, or dict
        Fitted classifiers or what their ``predict_proba`` gave; a dict maps names to these, such as
        ``{"before": plain, "after": calibrated}``.
    X : array-like or frame, optional
        Rows the models have not seen. Not needed for probabilities.
    y : array-like of shape (n_rows,)
        The true classes.
    n_bins : int, default=10
        Bins of equal width that predictions are sorted into.
    classes : array-like, optional
        The classes in the order of the columns; by default the model's, or those in ``y``, sorted.
    ax : matplotlib Axes, optional
        Where to draw. A strip with the counts is cut off at its bottom.

    Returns
    -------
    ax : matplotlib Axes
        The upper panel; ``ax.figure`` is the picture.

    Notes
    -----
    For two classes probabilities are those of the second class; for more, those of the predicted class.
    Bars are 95 % intervals (Wilson) for the observed share; bins with fewer than ten rows are hollow. The legend gives
    the expected calibration error over the bins that are drawn.

    Examples
    --------
    >>> from bayfold.plot import plot_reliability
    >>> ax = plot_reliability({"before": plain, "after": calibrated}, X, y)  # doctest: +SKIP
    >>> ax.figure.savefig("reliability.png")  # doctest: +SKIP
    """
    if y is None:
        raise errors.rows_to_plot_missing("y")
    named = dict(models) if isinstance(models, Mapping) else {"": models}
    curves = {name: _reliability_of(each, X, y, n_bins, classes) for name, each in named.items()}
    ax = canvas.new_axes(ax, 5.2, 5.6)
    below = canvas.add_panel_below(ax, 0.18)
    ax.plot([0, 1], [0, 1], color=canvas.QUIET, linewidth=1, linestyle="--", zorder=1)
    shift = np.linspace(-0.006, 0.006, len(curves)) if len(curves) > 1 else np.zeros(1)
    for k, (name, (curve, _)) in enumerate(curves.items()):
        _draw_curve(ax, curve, name, canvas.COLOURS[k % len(canvas.COLOURS)], float(shift[k]))
        _draw_counts(below, curve, n_bins, canvas.COLOURS[k % len(canvas.COLOURS)])
    what = next(iter(curves.values()))[1]
    label = f"observed share of {fit_name(what, canvas.measure_height(ax) - BESIDE_NAME)}"
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel=label)
    ax.legend(loc="upper left", frameon=False)
    below.set_xlabel(
        f"predicted probability of {fit_name(what, canvas.measure_width(ax) - BESIDE_NAME)}"
    )
    canvas.show_counts(below)
    return ax


def _reliability_of(
    model: Any, X: Any, y: Any, n_bins: int, classes: Any
) -> tuple[Reliability, str]:
    """The bins of one model, and what its probabilities speak of."""
    if hasattr(model, "predict_proba"):
        if X is None:
            raise errors.rows_to_plot_missing("X")
        probability = model.predict_proba(X)
        classes = getattr(model, "classes_", None)
        if classes is None:  # the components of a mixture have no truth to be compared with
            raise errors.nothing_to_plot(model)
    else:
        try:
            probability = np.asarray(model, np.float64)
        except (TypeError, ValueError):
            raise errors.nothing_to_plot(model) from None
        if probability.ndim not in (1, 2):
            raise errors.nothing_to_plot(model)
        classes = find_groups(read_vector(y))[1] if classes is None else np.asarray(classes)
    if probability.ndim == 2 and probability.shape[1] == 2:
        probability = probability[:, 1]
    what = str(classes[1]) if probability.ndim == 1 and len(classes) == 2 else "the predicted class"
    return find_reliability(y, probability, n_bins, classes=classes), what


def _draw_curve(ax: Any, curve: Reliability, name: str, colour: str, shift: float) -> None:
    low, high = curve.interval()
    label = f"{name}: error {curve.error:.3f}" if name else f"calibration error {curve.error:.3f}"
    place = curve.predicted + shift
    firm = curve.count >= FIRM_ROWS
    ax.vlines(place, low, high, color=colour, linewidth=2.5, alpha=np.where(firm, 0.3, 0.12))
    style = {"color": colour, "marker": "o", "markersize": 5}
    ax.plot(place[firm], curve.observed[firm], linewidth=1.4, label=label, **style)
    ax.plot(
        place[~firm],
        curve.observed[~firm],
        linewidth=0,
        markerfacecolor="white",
        alpha=0.5,
        **style,
    )


def _draw_counts(ax: Any, curve: Reliability, n_bins: int, colour: str) -> None:
    counts = np.zeros(n_bins)
    counts[np.round(curve.lower * n_bins).astype(int)] = curve.count
    edges = np.linspace(0, 1, n_bins + 1)
    ax.stairs(counts, edges, color=colour, linewidth=1.4)
    ax.stairs(counts, edges, color=colour, fill=True, alpha=0.15)
    ax.set_ylim(bottom=0)
