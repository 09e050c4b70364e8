"""A whole model in one figure: its columns, most important first."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from bayfold import errors
from bayfold.core.frames.times import name_zone
from bayfold.plot.canvas import COLOURS, import_pyplot
from bayfold.plot.columns import ShownColumn, class_colours, read_column, read_evidence
from bayfold.plot.evidence import (
    describe_weight,
    draw_bins,
    draw_curve_line,
    label_axis,
    label_bins,
)
from bayfold.plot.texts import CHARACTERS_PER_INCH, cut_names, name_in_legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANEL_WIDTH = 3.3
PANEL_HEIGHT = 2.5
"""Of one column, in inches."""

LEAST_WIDTH = 1.9
LEAST_HEIGHT = 1.5
"""Of a panel in a figure of a given size; where there is less room fewer columns are drawn."""

TITLE_SHARE = 0.65
"""Of the width of a panel, for the name of the column; its importance stands behind it."""

PANEL_BINS = 10
"""Categories in a panel: the most frequent."""


def plot_model(
    model: BaseEstimator, *, max_columns: int = 12, n_across: int = 3, figure: Figure | None = None
) -> Figure:
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
        Where to draw: as many columns as there is room for. By default a new figure, large enough for all.

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
    n_used = max(np.count_nonzero(importances), 1)
    order = np.argsort(-importances, kind="stable")[: min(max_columns, n_used)].tolist()
    n_across = min(n_across, len(order))
    if figure is None:
        n_down = -(-len(order) // n_across)
        size = (PANEL_WIDTH * n_across, PANEL_HEIGHT * n_down + 0.5)
        figure = import_pyplot().figure(figsize=size, layout="constrained")
    else:
        n_across, n_down = _find_room(figure, n_across, len(order))
    order = order[: n_across * n_down]
    axes = figure.subplots(n_down, n_across, squeeze=False, sharey=True).ravel()
    columns = [read_column(model, evidence, j, PANEL_BINS) for j in order]
    room = round(TITLE_SHARE * CHARACTERS_PER_INCH * _find_size(figure)[0] / n_across)
    names = cut_names(model.schema_.names, min(max(room, 8), 30))
    for k, (ax, shown, j) in enumerate(zip(axes, columns, order, strict=False)):
        _draw_panel(ax, shown, is_first=k % n_across == 0)
        ax.set_title(f"{names[j]}  {importances[j]:.0%}", fontsize=10, loc="left")
        if shown.zone:
            ax.set_xlabel(name_zone(shown.zone), fontsize="small")
    for ax in axes[len(order) :]:
        ax.set_visible(False)
    _describe(figure, model, len(importances) - len(order))
    return figure


def _find_size(figure: Any) -> tuple[float, float]:
    """Inches of a figure, or of a part of one."""
    return figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi


def _find_room(figure: Any, n_across: int, n_columns: int) -> tuple[int, int]:
    """Panels beside and below each other in a figure of a given size, as many as can be read."""
    width, height = _find_size(figure)
    n_across = max(min(n_across, int(width / LEAST_WIDTH)), 1)
    n_down = max(int(height / LEAST_HEIGHT), 1)
    return n_across, min(n_down, -(-n_columns // n_across))


def _draw_panel(ax: Any, shown: ShownColumn, is_first: bool) -> None:
    if shown.curve is not None:
        draw_curve_line(ax, shown, shown.curve)
        label_axis(ax, shown, shown.curve.edges)
    else:
        draw_bins(ax, shown)
        label_bins(ax, shown, width=12)
    if (legend := ax.get_legend()) is not None:
        legend.remove()
    ax.tick_params(labelsize="small", labelleft=is_first or not shown.is_map)
    if shown.is_map:  # one scale of colours for each panel would fill the figure
        for inset in ax.child_axes:
            inset.remove()
    ax.spines[["top", "right"]].set_visible(False)


def _describe(figure: Any, model: Any, n_hidden: int) -> None:
    """One scale and one legend for all panels."""
    from matplotlib.patches import Patch

    classes = getattr(model, "classes_", np.empty(0))
    hidden = f"{n_hidden} columns of less importance are not shown" if n_hidden > 0 else ""
    hidden = "1 column of less importance is not shown" if n_hidden == 1 else hidden
    figure.supylabel(describe_weight(classes), fontsize="medium")
    if len(classes) > len(COLOURS):
        hidden = "; ".join(filter(None, ["blue: for the class, red: against it", hidden]))
    if hidden:
        letters = max(round(1.2 * CHARACTERS_PER_INCH * _find_size(figure)[0]), 20)
        figure.supxlabel("\n".join(textwrap.wrap(hidden, letters)), fontsize="small")
    colours = class_colours(len(classes))
    if len(classes) > 2 and len(set(colours)) > 1:
        labels = [name_in_legend(label, 24) for label in classes]
        handles = [Patch(color=c, label=t) for c, t in zip(colours, labels, strict=True)]
        figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
