"""The nomogram: points for every value of every column, and the probability that their sum stands for."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from bayfold import errors
from bayfold.base.collapsed import CollapsedClassifier
from bayfold.base.options import ClassLabel
from bayfold.base.rounds import RoundsClassifier
from bayfold.core.evidence.curves import name_pairs
from bayfold.families.boosting.numbers.answers import NumberAnswers
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier
from bayfold.plot import canvas
from bayfold.plot.columns import ShownColumn
from bayfold.plot.evidence import format_numbers, name_axis
from bayfold.plot.sums import Answers, Reading, sum_up_classes, sum_up_number
from bayfold.plot.texts import CHARACTERS_PER_INCH, cut_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER = 1.0
"""Points that a letter of a label takes in axes of the usual width."""

LEAST_APART = 1.4
"""Points between two labels of a line, so that they can be read."""

FURTHEST_OUT = 4.0
"""Points that labels reach beyond the left end of the scale; half as many at the right, where the picture ends."""

USUAL_WIDTH = 6.4
"""Inches of axes in which LEAST_APART was tried."""

NAMES_SHARE = 0.3
"""Of the width, for the names of columns."""

SMALL_LETTERS_PER_INCH = 15.0
"""Of the sentences beneath."""

SMALL_LINE = 0.16
"""Inches of a line of them."""

LEAST_LINE = 0.38
OTHER_LINES = 4
"""Inches of a line with labels on both sides, and lines that are no columns."""

FEW_INTERVALS = 6
"""So few bins of numbers are shown as intervals, more by a number in each."""

N_STOPS = 13
"""Numbers shown of a curve."""


SUMS = (NaiveBayesClassifier, RoundsClassifier, CollapsedClassifier)
"""Models that add up evidence."""


MOST_BOUNDED = 12
"""Values of a column whose bounds are drawn: those of more run into each other."""


@dataclass(frozen=True)
class _Line:
    """One column: points and labels of its values, the weight of no points, and the points of a missing cell.

    Bounds are so many points beside those of the values, where they are known.
    """

    name: str
    points: np.ndarray
    labels: list[str]
    low: float
    nothing: float
    reach: np.ndarray | None = None


def plot_nomogram(
    model: BaseEstimator,
    *,
    label: ClassLabel | None = None,
    against: ClassLabel | None = None,
    max_columns: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """Draw a model that adds up evidence as a nomogram, to be read with a ruler.

    Each value of a column has points, read off the line at the top. Add them up, find the sum on the line of totals,
    and beneath it stands the probability of a class, or the predicted number.

    Parameters
    ----------
    model : fitted estimator whose ``evidence_`` adds up
        Naive Bayes for classes, or a boosted model of classes or a number. What two columns say only together, and
        what words say, is not a line of points: it is left out, and the picture says so.
    label : class label, optional
        The class whose probability is shown; by default the second of two, and the most frequent of more.
    against : class label, optional
        The other class. Of more than two classes, points tell apart two: the probability is that of a row known to be
        in one of them. By default the most frequent of the others.
    max_columns : int, default=12
        The columns with the widest range of points. Of the others the mean is in the totals.
    ax : matplotlib Axes, optional
        Where to draw: as many columns as there is room for.

    Returns
    -------
    ax : matplotlib Axes

    Notes
    -----
    100 points are the range of the column with the widest range. The points of a missing cell are marked by a
    diamond.

    Examples
    --------
    >>> from bayfold.plot import plot_nomogram
    >>> plot_nomogram(model).figure.savefig("nomogram.png")  # doctest: +SKIP
    """
    errors.check_whole("max_columns", max_columns, 1)
    reading = _read_model(model, label, against)
    columns = reading.columns
    widths = np.array([_measure(shown) for shown in columns])
    endless = [shown.name for shown in columns if not np.isfinite(_measure(shown))]
    if endless:
        raise errors.impossible_in_nomogram(endless[0])
    if not widths.max(initial=0.0) > 0:
        raise errors.nothing_in_nomogram()
    if ax is not None:
        max_columns = min(
            max_columns, max(int(canvas.measure_height(ax) / LEAST_LINE) - OTHER_LINES, 1)
        )
    widest = np.argsort(-widths, kind="stable")[:max_columns].tolist()
    order = [j for j in widest if widths[j] > 0]
    scale = 100.0 / widths.max()
    lines = [_make_line(columns[j], scale) for j in order]
    rest = [columns[j] for j in range(len(columns)) if j not in order]
    lowest = reading.start + _mean_weight(rest) + sum(line.low for line in lines)
    ax = canvas.new_axes(ax, 8.2, 1.9 + 0.52 * len(lines))
    _draw_lines(ax, lines, [name_axis(shown) for shown in columns])
    total = sum(max(float(line.points.max()), line.nothing) for line in lines)
    _draw_total(ax, len(lines) + 1, total)
    _draw_answers(ax, len(lines) + 2, reading.answer(lowest, lowest + total / scale))
    _say_what_is_missing(ax, len(lines), _list_missing(model, reading, scale, rest))
    return ax


def _measure(shown: ShownColumn) -> float:
    """The range of the weights of a column, and of a missing cell."""
    weights = _known_weights(shown)
    return float(np.ptp(np.append(weights, shown.missing_weight))) if len(weights) else 0.0


def _read_model(model: Any, label: Any, against: Any) -> Reading:
    """The model as sums, if it is one."""
    if isinstance(model, NumberAnswers):
        if label is not None or against is not None:
            raise errors.no_class_to_plot(against if label is None else label)
        _refuse_triples(model)
        return sum_up_number(model)
    if not isinstance(model, SUMS):
        raise errors.no_nomogram(type(model).__name__)
    _refuse_triples(model)
    return sum_up_classes(model, label, against)


def _refuse_triples(model: Any) -> None:
    if not hasattr(model, "collapse") and not hasattr(model, "model_"):
        return
    tables = model.collapse().model_ if hasattr(model, "collapse") else model.model_
    triples = [pair for pair in getattr(tables, "pairs", ()) if len(pair.columns) > 2]
    if triples:
        raise errors.nomogram_of_three_columns(name_pairs(triples, tables.schema))


def _mean_weight(rest: list[ShownColumn]) -> float:
    """What columns that are not drawn say on average."""
    means = [np.average(_known_weights(s), weights=_rows(s)) for s in rest if _rows(s).sum()]
    return float(sum(means))


def _list_missing(model: Any, reading: Reading, scale: float, rest: list[ShownColumn]) -> list[str]:
    """What a row's points leave out of its evidence."""
    found = []
    n_rest = sum(_measure(shown) > 0 for shown in rest)
    if n_rest:
        found.append(
            f"{n_rest} columns with fewer points" if n_rest > 1 else "1 column with fewer points"
        )
    if len(reading.pairs):
        n_pairs = len(set(reading.pairs["column"].tolist()))
        size = np.average(np.abs(reading.pair_weights), weights=reading.pairs.sizes)
        moved = scale * n_pairs * float(size)
        found.append(
            f"what {n_pairs} pairs of columns say together (up to {moved:.0f} points on average)"
        )
    texts = [column.name for column in model.schema_.columns if column.kind == "text"]
    return found + (["the words of " + ", ".join(cut_names(texts, 22))] if texts else [])


def _say_what_is_missing(ax: Any, n_lines: int, missing: list[str]) -> None:
    """A sentence under the picture."""
    if missing:
        text = "Not in the picture: " + "; ".join(missing)
        start = ax.get_ylim()[0] + 0.15
        ax.set_ylim(start + 0.65, -0.6)
        _write_beneath(ax, start, text, canvas.QUIET)


def _known_weights(shown: ShownColumn) -> np.ndarray:
    """Weights of the values of a column."""
    found = shown.curve.weights[:, 0] if shown.curve is not None else shown.weight[:, 0]
    return np.asarray(found)


def _rows(shown: ShownColumn) -> np.ndarray:
    if shown.curve is not None:
        middle = (shown.curve.edges[1:] + shown.curve.edges[:-1]) / 2
        return np.interp(shown.curve.numbers, middle, shown.curve.counts.sum(axis=1))
    return shown.count.sum(axis=1)


def _make_line(shown: ShownColumn, scale: float) -> _Line:
    weights = _known_weights(shown)
    labels: list[str]
    if shown.curve is not None:
        stops = np.linspace(0, len(weights) - 1, N_STOPS).round().astype(int)
        numbers = shown.curve.numbers[stops]
        if shown.zone is None:
            numbers = np.array([float(f"{number:.3g}") for number in numbers])
        labels = format_numbers(numbers, shown.zone)
        points = weights[stops]
    elif shown.cuts is not None and len(weights) > FEW_INTERVALS:
        n_stops = min(N_STOPS, len(weights))
        stops = np.linspace(0, len(weights) - 1, n_stops).round().astype(int)
        labels = format_numbers(_find_middles(shown)[stops], shown.zone)
        points = weights[stops]
    else:
        labels = cut_names(shown.labels, 16)
        points = weights
    missing = float(shown.missing_weight[0])
    low = min(float(weights.min()), missing)
    reach = shown.reach
    is_known = reach is not None and reach.shape == (len(points), 1)
    reach = reach[:, 0] * scale if reach is not None and is_known else None
    points = (points - low) * scale
    return _Line(name_axis(shown), points, labels, low, (missing - low) * scale, reach)


def _find_middles(shown: ShownColumn) -> np.ndarray:
    """A number in each of many bins: the middle, of the outermost the bound; of numbers in few digits."""
    cuts = shown.cuts
    assert cuts is not None
    middles = np.concatenate([cuts[:1], cuts[1:] / 2 + cuts[:-1] / 2, cuts[-1:]])
    if shown.zone is not None:
        return middles
    return np.array([float(f"{number:.3g}") for number in middles])


def _draw_lines(ax: Any, lines: list[_Line], all_names: list[str]) -> None:
    letters = round(NAMES_SHARE * CHARACTERS_PER_INCH * canvas.measure_width(ax))
    cut = cut_names(all_names, min(max(letters, 8), 26))
    short = dict(zip(all_names, cut, strict=True))  # different from columns that are not drawn
    names = [short[line.name] for line in lines]
    ax.set_yticks(np.arange(len(lines) + 3), ["points", *names, "total", ""])
    ax.set_xlim(-2, 102)
    ax.set_ylim(len(lines) + 2.6, -0.6)
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    narrow = max(USUAL_WIDTH / canvas.measure_settled(ax), 0.6)
    step = 10.0 if narrow < 1.6 else 25.0 if narrow < 3 else 50.0
    _draw_scale(ax, 0, np.arange(0, 101, step))
    for k, line in enumerate(lines, start=1):
        ax.plot([line.points.min(), line.points.max()], [k, k], color="black", linewidth=1)
        ax.plot(line.points, np.full(len(line.points), k), "|", color="black", markersize=7)
        if line.reach is not None and len(line.points) <= MOST_BOUNDED:
            ends = line.points - line.reach, line.points + line.reach
            ax.hlines(
                np.full(len(line.points), k), *ends, color=canvas.QUIET, alpha=0.35, linewidth=5
            )
        ax.plot(
            [line.nothing], [k], marker="D", markersize=4, color="white", mec=canvas.QUIET, zorder=3
        )
        _label_line(ax, k, line, narrow)


def _label_line(ax: Any, y: float, line: _Line, narrow: float) -> None:
    """Labels above and below a line where there is room: the ends first, then from left to right."""
    taken: dict[int, list[tuple[float, float]]] = {-1: [], 1: []}
    order = np.argsort(line.points, kind="stable").tolist()
    for n, p in enumerate(dict.fromkeys([order[-1], *order])):
        half = (LETTER * len(line.labels[p]) + LEAST_APART) / 2 * narrow
        place = float(np.clip(line.points[p], half - FURTHEST_OUT, 100 + FURTHEST_OUT / 2 - half))
        for side in (1, -1) if n % 2 else (-1, 1):
            if any(place - half < high and low < place + half for low, high in taken[side]):
                continue
            taken[side].append((place - half, place + half))
            style = {"ha": "center", "va": "bottom" if side > 0 else "top", "fontsize": 7}
            ax.text(place, y - 0.16 * side, line.labels[p], in_layout=False, **style)
            break


def _draw_scale(ax: Any, y: float, ticks: np.ndarray) -> None:
    ax.plot([ticks[0], ticks[-1]], [y, y], color=canvas.QUIET, linewidth=1)
    for tick in ticks:
        ax.plot([tick, tick], [y - 0.12, y], color=canvas.QUIET, linewidth=1)
        ax.text(tick, y - 0.18, f"{tick:g}", ha="center", va="bottom", fontsize=7, color="#555555")
        ax.axvline(tick, color="#f0f0f0", linewidth=0.7, zorder=0)


def _draw_total(ax: Any, y: float, total: float) -> None:
    """The sum of all points on the same width."""
    squeeze = 100.0 / total
    step = _round_step(total * max(USUAL_WIDTH / canvas.measure_width(ax), 0.6))
    ax.plot([0, 100], [y, y], color="black", linewidth=1)
    for points in np.arange(0, total + 1e-9, step):
        ax.plot([points * squeeze] * 2, [y - 0.12, y], color="black", linewidth=1)
        ax.text(points * squeeze, y - 0.18, f"{points:g}", ha="center", va="bottom", fontsize=7)


def _draw_answers(ax: Any, y: float, answers: Answers) -> None:
    """What sums of points stand for, beneath them."""
    ax.plot([0, 100], [y, y], color=canvas.FOR_SECOND, linewidth=1.4)
    narrow = max(USUAL_WIDTH / canvas.measure_width(ax), 0.6)
    last = -np.inf
    for place, text in zip(100 * answers.shares, answers.texts, strict=True):
        if not 0 <= place <= 100:
            continue
        ax.plot([place, place], [y - 0.12, y], color=canvas.FOR_SECOND, linewidth=1)
        if place - last >= (LEAST_APART + LETTER * len(text)) * narrow:
            ax.text(
                place, y - 0.18, text, ha="center", va="bottom", fontsize=7, color=canvas.FOR_SECOND
            )
            last = place
    _write_beneath(ax, y + 0.18, answers.caption, canvas.FOR_SECOND)


def _write_beneath(ax: Any, y: float, text: str, colour: str) -> None:
    """A sentence as wide as the picture; in lines where that is narrow."""
    letters = max(int(SMALL_LETTERS_PER_INCH * ax.figure.bbox.width / ax.figure.dpi), 20)
    style = {"ha": "center", "va": "top", "fontsize": 8, "color": colour, "in_layout": False}
    middle = (0.5 - ax.get_position().x0) / max(ax.get_position().width, 1e-3) * 104 - 2
    lines = textwrap.wrap(text, letters)
    ax.text(middle, y, "\n".join(lines), **style)
    inches = SMALL_LINE * len(lines)  # a share of the height, whatever is beneath the axes
    low, high = ax.get_ylim()
    ax.set_ylim(max(low, y + inches / max(canvas.measure_height(ax), 1e-3) * (low - high)), high)


def _round_step(total: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that makes about ten."""
    rough = total / 10
    unit = 10.0 ** np.floor(np.log10(rough))
    return float(next(m * unit for m in (1, 2, 5, 10) if m * unit >= rough))
