"""A whole model in one figure: its columns, most important first."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold import errors
from bayfold.plot.canvas import import_pyplot
from bayfold.plot.columns import ShownColumn, class_colours, read_column, read_evidence
from bayfold.plot.evidence import (
    describe_weight,
    draw_bins,
    draw_curve_line,
    label_axis,
    label_bins,
    name_axis,
)
from bayfold.plot.texts import cut_names

PANEL_WIDTH, PANEL_HEIGHT = 3.3, 2.5
"""Of one column, in inches."""

PANEL_BINS = 10
"""Categories in a panel: the most frequent."""


def plot_model(model: Any, *, max_columns: int = 12, n_across: int = 3, figure: Any = None) -> Any:
    """Draw the evidence of all columns in one figure, the most important first, all on one scale.

    Parameters
    ----------
    model : fitted estimator with ``evidence_``
        Naive Bayes, AODE, the boosted ones with tables, or a regressor.
    max_columns : int, default=12
        The most important columns; ``plot_evidence`` draws the others.
    n_across : int, default=3
        Panels beside each other.
    figure : matplotlib Figure, optional
        Where to draw.

    Returns
    -------
    figure : matplotlib Figure

    Examples
    --------
    >>> from bayfold.plot import plot_model
    >>> plot_model(model).savefig("model.png")  # doctest: +SKIP
    """
    errors.check_whole("max_columns", max_columns, 1)
    errors.check_whole("n_across", n_across, 1)
    evidence = read_evidence(model)
    importances = np.asarray(model.feature_importances_)
    order = np.argsort(-importances, kind="stable")[:max_columns].tolist()
    n_across = min(n_across, len(order))
    n_down = -(-len(order) // n_across)
    size = (PANEL_WIDTH * n_across, PANEL_HEIGHT * n_down + 0.5)
    figure = (
        import_pyplot().figure(figsize=size, layout="constrained") if figure is None else figure
    )
    axes = figure.subplots(n_down, n_across, squeeze=False, sharey=True).ravel()
    for ax, j in zip(axes, order, strict=False):
        shown = read_column(model, evidence, j, PANEL_BINS)
        _draw_panel(ax, shown)
        name = cut_names([name_axis(shown)], 30)[0]
        ax.set_title(f"{name}  {importances[j]:.0%}", fontsize="medium", loc="left")
    for ax in axes[len(order) :]:
        ax.set_visible(False)
    _describe(figure, model, len(importances) - len(order))
    return figure


def _draw_panel(ax: Any, shown: ShownColumn) -> None:
    if shown.curve is not None:
        draw_curve_line(ax, shown, shown.curve)
        label_axis(ax, shown, shown.curve.edges)
    else:
        draw_bins(ax, shown)
        label_bins(ax, shown, width=12)
    if (legend := ax.get_legend()) is not None:
        legend.remove()
    ax.tick_params(labelsize="small", labelleft=True)
    ax.spines[["top", "right"]].set_visible(False)


def _describe(figure: Any, model: Any, n_hidden: int) -> None:
    """One scale and one legend for all panels."""
    from matplotlib.patches import Patch

    classes = getattr(model, "classes_", np.empty(0))
    hidden = f"{n_hidden} columns of less importance are not shown" if n_hidden > 0 else ""
    figure.supylabel(describe_weight(classes), fontsize="medium")
    if hidden:
        figure.supxlabel(hidden, fontsize="small")
    colours = class_colours(len(classes))
    if len(classes) > 2 and len(set(colours)) > 1:
        labels = cut_names([str(label) for label in classes], 24)
        handles = [Patch(color=c, label=t) for c, t in zip(colours, labels, strict=True)]
        figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
