"""What all pictures share: matplotlib where it is installed, axes, colours."""

from __future__ import annotations

import warnings
from typing import Any

from bayfold.errors import matplotlib_not_installed

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
FOR_SECOND = COLOURS[0]
FOR_FIRST = COLOURS[1]
QUIET = "#8c8c8c"


def new_axes(ax: Any, width: float = 6.4, height: float = 4.6) -> Any:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    return import_pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def measure_width(ax: Any) -> float:
    """Inches from the left to the right of axes, before layouts make room for labels."""
    return ax.get_window_extent().width / ax.figure.dpi


def measure_height(ax: Any) -> float:
    """Inches from the bottom to the top of axes, before layouts make room for labels."""
    return ax.get_window_extent().height / ax.figure.dpi


def measure_settled(ax: Any) -> float:
    """The same once layouts have made room: labels that are there already are counted."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # a figure too small for its labels says so when it is drawn
        ax.figure.canvas.figure.draw_without_rendering()
    return measure_width(ax)


def import_pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise matplotlib_not_installed() from None
    return plt


def add_panel_below(ax: Any, share: float = 0.28) -> Any:
    """Axes beneath others, with the same x; the upper ones give up the room."""
    spec = ax.get_subplotspec()
    if spec is None:  # placed by hand: layouts have no say
        from mpl_toolkits.axes_grid1 import make_axes_locatable

        size = f"{100 * share / (1 - share):.0f}%"
        below = make_axes_locatable(ax).append_axes("bottom", size=size, pad=0.08, sharex=ax)
    else:
        rows = spec.subgridspec(2, 1, height_ratios=[1 - share, share], hspace=0.05)
        ax.set_subplotspec(rows[0])
        below = ax.figure.add_subplot(rows[1], sharex=ax)
    ax.tick_params(labelbottom=False)
    for axes in (ax, below):
        axes.spines[["top", "right"]].set_visible(False)
    return below


def show_counts(ax: Any) -> None:
    """A count axis with few ticks and whole numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ax.set_ylabel("rows")
    ax.yaxis.set_major_locator(MaxNLocator(nbins=3, integer=True))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
