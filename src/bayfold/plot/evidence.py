"""The evidence of one column: the weight of each of its bins, with the rows it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from bayfold.base.columns import find_column
from bayfold.core.evidence import Curve
from bayfold.core.evidence.bins import format_place
from bayfold.core.evidence.errors import bound
from bayfold.core.frames.times import name_zone
from bayfold.plot import canvas
from bayfold.plot.columns import ShownColumn, class_colours, read_column, read_evidence
from bayfold.plot.texts import CHARACTERS_PER_INCH, cut_names, draw_words, name_in_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = ["-", "--", ":", "-."]
LEAST_COLOUR = 0.01
"""Weight of evidence of the full colour at least: what is smaller is next to nothing, and pale."""

LINES_PER_INCH = 7.0
"""Of names of classes below each other."""

LETTERS_OF_SIDES = 4.0
"""Of the name of each of two classes beside an axis, per inch of its height before labels beneath make room."""

LETTERS_OF_CLASSES = 5.0
"""Of names of classes beside a map, per inch of its width."""

WHISKER = "#333333"
"""Of bounds."""

GAP = 0.6
"""Room between the bins and the missing cells, in bins."""

DAY = 86400.0
"""Of seconds."""

MOST_TICKS = 30
"""Labels beneath an axis; of more bins only some have one."""

MOST_BARS = 40
"""More bars touch: gaps between them would be stripes of their own. Missing cells stay as wide as with so many."""

SLANTED_PER_INCH = 4.0
"""Labels at 45 degrees; more stand upright, and get smaller where even these would meet."""

POINTS_PER_INCH = 62.0
"""Of the height of upright labels beside each other: 72 but for the room between them."""

MOST_NAMED = 12
"""So many whole numbers all have a label; of more only round ones."""


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
    stand apart. Thin lines on bars, and the grey band around a curve, are the 95 % bounds of weights. A curve (smoothed
    counts, kernels, a Gaussian) is drawn as one, without the outermost 0.5 % of the rows at either end; over few whole
    numbers as bars. Of a column of text the strongest words are drawn: for two classes as bars, for more a line of
    words for each class.

    Examples
    --------
    >>> from bayfold.plot import plot_evidence
    >>> plot_evidence(model, "income").figure.savefig("income.png")  # doctest: +SKIP
    """
    evidence = read_evidence(model)
    j = find_column("column", column, model.schema_.names)
    if model.schema_.columns[j].kind == "text":
        words = evidence.where(column=model.schema_.names[j])
        classes = getattr(model, "classes_", np.empty(0))
        sizes = model.summary().classes["count"] if len(classes) > 2 else np.empty(0)
        return draw_words(words, classes, sizes, max_bins, ax)
    shown = read_column(model, evidence, j, max_bins)
    ax = canvas.new_axes(ax)
    below = canvas.add_panel_below(ax)
    if shown.curve is not None:
        _draw_curve(ax, below, shown, shown.curve)
    else:
        draw_bins(ax, shown)
        _draw_counts(below, shown)
        label_bins(below, shown)
    _name_column(below, shown, model.schema_.names, j)
    if not (shown.weight if shown.curve is None else shown.curve.weights).any():
        ax.text(0.5, 0.55, "no evidence", ha="center", color=canvas.QUIET, transform=ax.transAxes)
    letters = int(np.clip(LETTERS_OF_SIDES * canvas.measure_height(ax), 6, 14))
    ax.set_ylabel(describe_weight(shown.classes, letters))
    canvas.show_counts(below)
    return ax


def _name_column(ax: Any, shown: ShownColumn, names: list[str], j: int) -> None:
    """The name under the axis, different from those of all other columns where it is cut."""
    hidden = f" ({shown.n_hidden} rarer values not shown)" if shown.n_hidden else ""
    zone = f" ({name_zone(shown.zone)})" if shown.zone else ""
    letters = round(CHARACTERS_PER_INCH * canvas.measure_width(ax)) - len(hidden) - len(zone)
    ax.set_xlabel(cut_names(names, max(letters, 12))[j] + zone + hidden)


def describe_weight(classes: np.ndarray, letters: int = 14) -> str:
    """What the axis of weights shows, with so many letters of the names of two classes."""
    if len(classes) == 0:
        return "shift of the prediction"
    if len(classes) == 2:
        first, second = cut_names([str(label) for label in classes], letters)
        return f"weight of evidence\n← {first}      {second} →"
    return "weight of evidence" if len(classes) <= len(canvas.COLOURS) else ""


def place_bins(shown: ShownColumn) -> np.ndarray:
    """Where the bins stand: at their numbers, or one beside the other."""
    return np.arange(len(shown.labels), dtype=float) if shown.places is None else shown.places


def bar_width(shown: ShownColumn) -> float:
    """Of a bar: nearly as wide as the smallest distance, and quite where there are many."""
    step = _find_step(shown)
    places = place_bins(shown)
    return step if len(places) > MOST_BARS and shown.places is None else 0.92 * step


def _find_step(shown: ShownColumn) -> float:
    places = place_bins(shown)
    return float(np.diff(places).min()) if len(places) > 1 else 1.0


def missing_width(shown: ShownColumn) -> float:
    """Of the bar of missing cells: like the others, and still seen beside many."""
    places = place_bins(shown)
    reach = float(np.ptp(places)) if len(places) > 1 else 0.0
    return max(0.92 * _find_step(shown), reach / MOST_BARS)


def draw_bins(ax: Any, shown: ShownColumn) -> None:
    """Bars for two classes or a number, steps for some classes, a map for many."""
    places = place_bins(shown)
    width = bar_width(shown)
    if shown.is_map:
        _draw_map(ax, shown)
        return
    ax.axhline(0, color=canvas.QUIET, linewidth=1)
    if shown.weight.shape[1] == 1:
        weight = shown.weight[:, 0]
        colours = [canvas.FOR_SECOND if w >= 0 else canvas.FOR_FIRST for w in weight]
        ax.bar(places, weight, width=width, color=colours)
        draw_whiskers(ax, places, weight, shown.reach)
    else:
        for k, label in enumerate(shown.classes):
            style = {"color": canvas.COLOURS[k], "linewidth": 1.8, "label": name_in_legend(label)}
            if shown.cuts is None:  # nothing lies between categories or whole numbers
                weight = shown.weight[:, k]
                ax.hlines(weight, places - width / 2, places + width / 2, **style)
            else:
                edges = np.arange(len(places) + 1) - 0.5
                ax.stairs(shown.weight[:, k], edges, baseline=None, **style)
        show_classes(ax, len(shown.classes))
    _draw_missing(ax, shown, missing_place(shown), missing_width(shown))


def draw_whiskers(
    ax: Any, places: np.ndarray, weight: np.ndarray, reach: np.ndarray | None
) -> None:
    """A thin line along each bar between its bounds; too many would be a grey area."""
    if reach is not None and len(places) <= MOST_BARS:
        known = np.flatnonzero(np.isfinite(reach[:, 0]))
        ends = weight[known] - reach[known, 0], weight[known] + reach[known, 0]
        ax.vlines(places[known], *ends, color=WHISKER, linewidth=1)
    elif reach is not None:
        ends = weight - reach[:, 0], weight + reach[:, 0]
        ax.fill_between(places, *ends, step="mid", color=WHISKER, alpha=0.25, linewidth=0)


def missing_place(shown: ShownColumn) -> float:
    """Where missing cells stand: apart from the bins."""
    places = place_bins(shown)
    step = _find_step(shown)
    width = missing_width(shown) / 0.92
    return float(places[-1] + step / 2 + width * (0.5 + GAP)) if len(places) else GAP


def _draw_missing(ax: Any, shown: ShownColumn, place: float, width: float = 0.92) -> None:
    """Missing cells, apart from the bins: hatched, so that they are seen to be something else."""
    if not shown.missing_count.sum():
        return
    if shown.weight.shape[1] == 1:
        w = float(np.nan_to_num(shown.missing_weight[0]))
        colour = canvas.FOR_SECOND if w >= 0 else canvas.FOR_FIRST
        ax.bar([place], [w], width=width, color="white", edgecolor=colour, hatch="////")
        if w == 0:
            ax.plot([place], [0], marker="o", color=canvas.QUIET, markersize=4)
    elif not np.any(shown.missing_weight):
        ax.plot([place], [0], marker="o", color=canvas.QUIET, markersize=4)
    else:
        for k, w in enumerate(shown.missing_weight):
            ax.plot([place], [w], marker="_", markersize=14, color=canvas.COLOURS[k])


def _draw_map(ax: Any, shown: ShownColumn) -> None:
    """Classes by bins, in colours from one side to the other of zero."""
    largest = float(np.nanmax(np.abs(shown.weight), initial=LEAST_COLOUR))
    n_bins, n_classes = shown.weight.shape
    style = {"cmap": "RdBu", "vmin": -largest, "vmax": largest}
    rows = np.arange(n_classes + 1) - 0.5
    mesh = ax.pcolormesh(np.arange(n_bins + 1) - 0.5, rows, shown.weight.T, **style)
    if shown.missing_count.sum():
        place = missing_place(shown)
        half = missing_width(shown) / 2
        ax.pcolormesh([place - half, place + half], rows, shown.missing_weight[:, None], **style)
    letters = round(np.clip(LETTERS_OF_CLASSES * canvas.measure_width(ax), 8, 24))
    labels = cut_names([str(label) for label in shown.classes], letters)
    every = max(-(-n_classes // max(int(LINES_PER_INCH * canvas.measure_height(ax)), 1)), 1)
    ax.set_yticks(np.arange(n_classes)[::every], labels[::every], fontsize="small")
    ax.set_ylim(n_classes - 0.5, -0.5)  # axes that are shared would be turned over again and again
    bar = ax.inset_axes([1.02, 0.0, 0.025, 1.0])
    ax.figure.colorbar(mesh, cax=bar, label="weight of evidence")


def _draw_counts(ax: Any, shown: ShownColumn) -> None:
    colours = class_colours(len(shown.classes))
    _stack(ax, place_bins(shown), shown.count, colours, bar_width(shown))
    if shown.missing_count.sum():
        place = np.array([missing_place(shown)])
        _stack(ax, place, shown.missing_count[None, :], colours, missing_width(shown))


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
    room = max(round(CHARACTERS_PER_INCH * canvas.measure_width(ax)), 8)
    most = min(MOST_TICKS, max(2 * room // 5, 4))
    if shown.cuts is not None:
        chosen = slice(None, None, max(-(-2 * len(shown.cuts) // most), 1))
        texts = shorten_numbers(shown.cuts[chosen], shown.zone)
        places = (np.arange(len(shown.cuts)) + 0.5)[chosen]
    elif shown.places is not None and shown.zone is None and len(shown.labels) > MOST_NAMED:
        texts, places = _name_round_numbers(shown.places, room)
    else:  # a name that is left out would be read off its neighbour
        texts = cut_names(shown.labels, width)
        places = place_bins(shown)
    if shown.missing_count.sum():
        place = missing_place(shown)
        if len(places) > 1 and place - places[-1] < 0.8 * (places[-1] - places[-2]):
            # room for the word
            texts = texts[:-1]
            places = places[:-1]
        texts = [*texts, "missing"]
        places = np.append(places, place)
    if not _touch(texts, np.asarray(places), room):
        ax.set_xticks(places, texts)
        return
    is_dense = len(texts) > canvas.measure_width(ax) * SLANTED_PER_INCH
    angle = 90 if is_dense else 45
    points = min(POINTS_PER_INCH * canvas.measure_width(ax) / len(texts), 9.0) if is_dense else None
    side = "center" if is_dense else "right"
    ax.set_xticks(places, texts, rotation=angle, ha=side, fontsize=points)
    ax.tick_params(axis="x", pad=1)


def _name_round_numbers(numbers: np.ndarray, room: int) -> tuple[list[str], np.ndarray]:
    """Some of many whole numbers, evenly apart."""
    from matplotlib.ticker import MaxNLocator

    n_ticks = int(np.clip(room / 8, 2, 10))
    found = np.asarray(MaxNLocator(n_ticks, integer=True).tick_values(numbers[0], numbers[-1]))
    ticks = found[(numbers[0] <= found) & (found <= numbers[-1])]
    return [f"{tick:.10g}" for tick in ticks], ticks


def draw_curve_line(ax: Any, shown: ShownColumn, curve: Curve) -> None:
    """A curve over the numbers themselves."""
    numbers = curve.numbers
    weights = curve.weights
    ax.axhline(0, color=canvas.QUIET, linewidth=1)
    if weights.shape[1] == 1:
        w = weights[:, 0]
        ax.plot(numbers, w, color="black", linewidth=1.4)
        bounds = bound(w, curve.errors[:, 0])
        ax.fill_between(
            numbers, bounds["low"], bounds["high"], color=WHISKER, alpha=0.2, linewidth=0
        )
        ax.fill_between(
            numbers, w, 0, where=w >= 0, color=canvas.FOR_SECOND, alpha=0.6, linewidth=0
        )
        ax.fill_between(numbers, w, 0, where=w < 0, color=canvas.FOR_FIRST, alpha=0.6, linewidth=0)
        return
    for k, label in enumerate(shown.classes):
        colour = canvas.COLOURS[k % len(canvas.COLOURS)]
        dash = DASHES[k // len(canvas.COLOURS) % len(DASHES)]
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


def shorten_numbers(numbers: np.ndarray, zone: str | None) -> list[str]:
    """Numbers beneath an axis in as few digits as leave them where they are; times as they are."""
    if zone is not None or len(numbers) < 2:
        return format_numbers(numbers, zone)
    unseen = 0.05 * float(np.median(np.diff(numbers)))
    short = numbers
    for digits in range(2, 8):
        short = np.array([float(f"{number:.{digits}g}") for number in numbers.tolist()])
        if np.abs(short - numbers).max() <= unseen:
            break
    return format_numbers(short, zone)


def label_axis(ax: Any, shown: ShownColumn, edges: np.ndarray) -> list[float]:
    """Ticks at round numbers, or at dates, within the range of a curve, as many as there is room for."""
    from matplotlib.ticker import MaxNLocator

    inches = canvas.measure_width(ax)
    if shown.zone is not None:
        n_ticks = int(np.clip(inches * CHARACTERS_PER_INCH / 16, 2, 5))
        inset = float(np.ptp(edges)) / 8 if n_ticks == 2 else 0.0  # words of two centred ticks fit
        ticks = np.linspace(edges[0] + inset, edges[-1] - inset, n_ticks + (n_ticks > 2))[:n_ticks]
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
    edges = curve.edges
    colours = class_colours(len(shown.classes))
    width = float(edges[1] - edges[0])
    _stack(below, edges[:-1] + width / 2, curve.counts, colours, 0.92 * width)
    ticks = label_axis(below, shown, edges)
    if shown.missing_count.sum():
        place = edges[-1] + 2 * width
        wide = 1.2 * width
        _draw_missing(ax, shown, place, wide)
        _stack(below, np.array([place]), shown.missing_count[None, :], colours, wide)
        texts = [text.get_text() for text in below.get_xticklabels()]
        while ticks and place - ticks[-1] < 3 * width:  # room for the word
            ticks = ticks[:-1]
            texts = texts[:-1]
        below.set_xticks([*ticks, place], [*texts, "missing"])
