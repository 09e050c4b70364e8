"""The evidence of one column: the weight of each of its bins, with the rows it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from bayfold.base.columns import find_column
from bayfold.core.evidence import Curve
from bayfold.core.evidence.bins import format_place
from bayfold.core.frames.times import name_zone
from bayfold.plot.canvas import (
    COLOURS,
    FOR_FIRST,
    FOR_SECOND,
    QUIET,
    add_panel_below,
    measure_height,
    measure_width,
    new_axes,
    show_counts,
)
from bayfold.plot.columns import ShownColumn, class_colours, read_column, read_evidence
from bayfold.plot.texts import CHARACTERS_PER_INCH, cut_names, fit_name, name_in_legend
from bayfold.plot.words import draw_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = ["-", "--", ":", "-."]
LEAST_COLOUR = 0.01
"""Weight of evidence of the full colour at least: what is smaller is next to nothing, and pale."""

LINES_PER_INCH = 7.0
"""Of names of classes below each other."""

GAP = 0.6
"""Room between the bins and the missing cells, in bins."""

DAY = 86400.0
"""Of seconds."""

MOST_TICKS = 30
"""Labels beneath an axis; of more bins only some have one."""


def plot_evidence(
    model: BaseEstimator, column: str | int, *, max_bins: int = 30, ax: Axes | None = None
) -> Axes:
    """Draw the weight of evidence of one column, with the counts it rests on beneath.

    Parameters
    ----------
    model : fitted estimator with ``evidence_``
        Naive Bayes, AODE, the boosted ones with tables, or a regressor, of which bars show how far a bin alone moves
        the prediction.
    column : str or int
        By name or position.
    max_bins : int, default=30
        Of more categories than this only those with the most rows are shown.
    ax : matplotlib Axes, optional
        Where to draw. A strip with the counts is cut off at its bottom.

    Returns
    -------
    ax : matplotlib Axes
        The upper panel; ``ax.figure`` is the picture.

    Notes
    -----
    For two classes bars that rise speak for the second class and bars that fall for the first, and categories are in
    the order of their weight. With three to six classes there is a line for each, with more a map. Missing cells
    stand apart. A curve (smoothed counts, kernels, a Gaussian) is drawn as one, without the outermost 0.5 % of the rows
    at either end; over few whole numbers as bars. Of a column of text the strongest words are drawn: for two classes as
    bars, for more a line of words for each class.

    Examples
    --------
    >>> from bayfold.plot import plot_evidence
    >>> plot_evidence(model, "income").figure.savefig("income.png")  # doctest: +SKIP
    """
    evidence = read_evidence(model)
    j = find_column("column", column, model.schema_.names)
    if model.schema_.columns[j].kind == "text":
        words = evidence.where(column=model.schema_.names[j])
        classes, sizes = (
            getattr(model, name, np.empty(0)) for name in ("classes_", "class_count_")
        )
        return draw_words(words, classes, sizes, max_bins, ax)
    shown = read_column(model, evidence, j, max_bins)
    ax = new_axes(ax)
    below = add_panel_below(ax)
    if shown.curve is not None:
        _draw_curve(ax, below, shown, shown.curve)
    else:
        draw_bins(ax, shown)
        _draw_counts(below, shown)
        label_bins(below, shown)
    hidden = f" ({shown.n_hidden} rarer values not shown)" if shown.n_hidden else ""
    below.set_xlabel(
        fit_name(name_axis(shown), measure_width(below) - len(hidden) / CHARACTERS_PER_INCH)
        + hidden
    )
    ax.set_ylabel(describe_weight(shown.classes))
    show_counts(below)
    return ax


def describe_weight(classes: np.ndarray) -> str:
    """What the axis of weights shows."""
    if len(classes) == 0:
        return "shift of the prediction"
    if len(classes) == 2:
        first, second = cut_names([str(label) for label in classes], 14)
        return f"weight of evidence\n← {first}      {second} →"
    return "weight of evidence" if len(classes) <= len(COLOURS) else ""


def place_bins(shown: ShownColumn) -> np.ndarray:
    """Where the bins stand: at their numbers, or one beside the other."""
    return np.arange(len(shown.labels), dtype=float) if shown.places is None else shown.places


def bar_width(shown: ShownColumn) -> float:
    """Of a bar: nearly as wide as the smallest distance."""
    places = place_bins(shown)
    return 0.92 * (float(np.diff(places).min()) if len(places) > 1 else 1.0)


def draw_bins(ax: Any, shown: ShownColumn) -> None:
    """Bars for two classes or a number, steps for some classes, a map for many."""
    places, width = place_bins(shown), bar_width(shown)
    if shown.is_map:
        _draw_map(ax, shown)
        return
    ax.axhline(0, color=QUIET, linewidth=1)
    if shown.weight.shape[1] == 1:
        weight = shown.weight[:, 0]
        colours = [FOR_SECOND if w >= 0 else FOR_FIRST for w in weight]
        ax.bar(places, weight, width=width, color=colours)
    else:
        for k, label in enumerate(shown.classes):
            style = {"color": COLOURS[k], "linewidth": 1.8, "label": name_in_legend(label)}
            if shown.is_nominal or shown.places is not None:  # nothing lies between them
                weight = shown.weight[:, k]
                ax.hlines(weight, places - width / 2, places + width / 2, **style)
            else:
                edges = np.arange(len(places) + 1) - 0.5
                ax.stairs(shown.weight[:, k], edges, baseline=None, **style)
        show_classes(ax, len(shown.classes))
    _draw_missing(ax, shown, missing_place(shown), width)


def missing_place(shown: ShownColumn) -> float:
    """Where missing cells stand: apart from the bins."""
    places = place_bins(shown)
    step = bar_width(shown) / 0.92
    return float(places[-1] + step * (1 + GAP)) if len(places) else GAP


def _draw_missing(ax: Any, shown: ShownColumn, place: float, width: float = 0.92) -> None:
    """Missing cells, apart from the bins: hatched, so that they are seen to be something else."""
    if not shown.missing_count.sum():
        return
    if shown.weight.shape[1] == 1:
        w = float(np.nan_to_num(shown.missing_weight[0]))
        colour = FOR_SECOND if w >= 0 else FOR_FIRST
        ax.bar([place], [w], width=width, color="white", edgecolor=colour, hatch="////")
        if w == 0:
            ax.plot([place], [0], marker="o", color=QUIET, markersize=4)
    else:
        for k, w in enumerate(shown.missing_weight):
            ax.plot([place], [w], marker="_", markersize=14, color=COLOURS[k])


def _draw_map(ax: Any, shown: ShownColumn) -> None:
    """Classes by bins, in colours from one side to the other of zero."""
    largest = max(float(np.abs(shown.weight).max()), LEAST_COLOUR)
    n_bins, n_classes = shown.weight.shape
    style = {"cmap": "RdBu", "vmin": -largest, "vmax": largest}
    rows = np.arange(n_classes + 1) - 0.5
    mesh = ax.pcolormesh(np.arange(n_bins + 1) - 0.5, rows, shown.weight.T, **style)
    if shown.missing_count.sum():
        place = n_bins + GAP
        ax.pcolormesh([place - 0.46, place + 0.46], rows, shown.missing_weight[:, None], **style)
    labels = cut_names([str(label) for label in shown.classes], 24)
    every = max(-(-n_classes // max(int(LINES_PER_INCH * measure_height(ax)), 1)), 1)
    ax.set_yticks(np.arange(n_classes)[::every], labels[::every], fontsize="small")
    ax.set_ylim(n_classes - 0.5, -0.5)  # axes that are shared would be turned over again and again
    bar = ax.inset_axes([1.02, 0.0, 0.025, 1.0])
    ax.figure.colorbar(mesh, cax=bar, label="weight of evidence")


def _draw_counts(ax: Any, shown: ShownColumn) -> None:
    places, counts = place_bins(shown), shown.count
    if shown.missing_count.sum():
        places = np.append(places, missing_place(shown))
        counts = np.vstack([counts, shown.missing_count])
    _stack(ax, places, counts, class_colours(len(shown.classes)), bar_width(shown))


def show_classes(ax: Any, n_classes: int) -> None:
    """A legend above the axes, where no line can run through it."""
    place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    ax.legend(frameon=False, ncols=min(n_classes, 3), fontsize="small", **place)


def _stack(ax: Any, places: np.ndarray, counts: np.ndarray, colours: list[str], width: Any) -> None:
    bottom = np.zeros(len(places))
    for k, colour in enumerate(colours):
        ax.bar(places, counts[:, k], width=width, bottom=bottom, color=colour, alpha=0.75)
        bottom += counts[:, k]


def label_bins(ax: Any, shown: ShownColumn, width: int = 18) -> None:
    """Cuts, numbers or names of at most so many characters beneath the bins; turned where they need more room."""
    room = max(round(CHARACTERS_PER_INCH * measure_width(ax)), 8)
    if shown.cuts is not None:
        texts = format_numbers(shown.cuts, shown.zone)
        places = np.arange(len(texts)) + 0.5
    else:
        texts, places = cut_names(shown.labels, width), place_bins(shown)
    every = max(-(-len(texts) // min(MOST_TICKS, max(room // 3, 4))), 1)
    texts, places = texts[::every], places[::every]
    if shown.missing_count.sum():
        texts, places = [*texts, "missing"], np.append(places, missing_place(shown))
    is_crowded = _touch(texts, np.asarray(places), room)
    ax.set_xticks(
        places, texts, rotation=45 if is_crowded else 0, ha="right" if is_crowded else "center"
    )
    if is_crowded:
        ax.tick_params(axis="x", pad=1)


def draw_curve_line(ax: Any, shown: ShownColumn, curve: Curve) -> None:
    """A curve over the numbers themselves."""
    numbers, weights = curve.numbers, curve.weights
    ax.axhline(0, color=QUIET, linewidth=1)
    if weights.shape[1] == 1:
        w = weights[:, 0]
        ax.plot(numbers, w, color="black", linewidth=1.4)
        ax.fill_between(numbers, w, 0, where=w >= 0, color=FOR_SECOND, alpha=0.6, linewidth=0)
        ax.fill_between(numbers, w, 0, where=w < 0, color=FOR_FIRST, alpha=0.6, linewidth=0)
        return
    for k, label in enumerate(shown.classes):
        colour, dash = COLOURS[k % len(COLOURS)], DASHES[k // len(COLOURS) % len(DASHES)]
        ax.plot(
            numbers,
            weights[:, k],
            color=colour,
            linestyle=dash,
            linewidth=1.8,
            label=name_in_legend(label),
        )


def _touch(texts: list[str], places: np.ndarray, room: int) -> bool:
    """Whether neighbouring labels would meet, on axes with room for so many characters."""
    if len(texts) < 2:
        return False
    step = float(np.ptp(places)) / (len(texts) - 1)
    apart = np.diff(places) / (float(np.ptp(places)) + step) * room
    sizes = np.array([len(text) for text in texts])
    return bool(((sizes[1:] + sizes[:-1]) / 2 + 1 > apart).any())


def name_axis(shown: ShownColumn) -> str:
    """The name of a column, of times with their zone."""
    return f"{shown.name} ({name_zone(shown.zone)})" if shown.zone else shown.name


def format_numbers(numbers: np.ndarray, zone: str | None) -> list[str]:
    """Numbers or times in few characters: of days apart, the days."""
    texts = [format_place(number, zone) for number in numbers.tolist()]
    if zone is not None and len(numbers) and np.ptp(numbers) > 5 * DAY:
        return [text.partition(" ")[0] for text in texts]
    return texts


def label_axis(ax: Any, shown: ShownColumn, edges: np.ndarray) -> list[float]:
    """Ticks at round numbers, or at dates, within the range of a curve, as many as there is room for."""
    from matplotlib.ticker import MaxNLocator

    inches = measure_width(ax)
    if shown.zone is not None:
        n_ticks = int(np.clip(inches * CHARACTERS_PER_INCH / 16, 2, 5))
        ticks = np.linspace(edges[0], edges[-1], n_ticks + 1)[:-1]
    else:
        found = np.asarray(MaxNLocator(int(np.clip(inches, 2, 6))).tick_values(edges[0], edges[-1]))
        ticks = found[(edges[0] <= found) & (found <= edges[-1])]
    ax.set_xticks(ticks, format_numbers(ticks, shown.zone))
    return ticks.tolist()


def _draw_curve(ax: Any, below: Any, shown: ShownColumn, curve: Curve) -> None:
    """A curve above a histogram."""
    draw_curve_line(ax, shown, curve)
    if curve.weights.shape[1] > 1:
        show_classes(ax, len(shown.classes))
    edges, colours = curve.edges, class_colours(len(shown.classes))
    width = float(edges[1] - edges[0])
    _stack(below, edges[:-1] + width / 2, curve.counts, colours, 0.92 * width)
    ticks = label_axis(below, shown, edges)
    if shown.missing_count.sum():
        place, wide = edges[-1] + 2 * width, 1.2 * width
        _draw_missing(ax, shown, place, wide)
        _stack(below, np.array([place]), shown.missing_count[None, :], colours, wide)
        texts = [text.get_text() for text in below.get_xticklabels()]
        while ticks and place - ticks[-1] < 3 * width:  # room for the word
            ticks, texts = ticks[:-1], texts[:-1]
        below.set_xticks([*ticks, place], [*texts, "missing"])
