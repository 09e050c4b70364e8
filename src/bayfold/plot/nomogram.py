"""The nomogram: points for every value of every column, and the probability that their sum stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from bayfold import errors
from bayfold.base.collapsed import CollapsedClassifier
from bayfold.base.rounds import RoundsClassifier
from bayfold.core.evidence.rows import PRIOR
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier
from bayfold.plot.canvas import FOR_SECOND, QUIET, measure_width, new_axes
from bayfold.plot.columns import ShownColumn, read_column, read_evidence
from bayfold.plot.evidence import format_numbers, name_axis
from bayfold.plot.texts import cut_names

PROBABILITIES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
LEAST_APART = 3.4
"""Points between two labels of a line, so that they can be read."""

USUAL_WIDTH = 6.4
"""Inches of axes in which LEAST_APART was tried."""

N_STOPS = 13
"""Numbers shown of a curve."""


SUMS = (NaiveBayesClassifier, RoundsClassifier, CollapsedClassifier)
"""Models that add up evidence."""


@dataclass(frozen=True)
class _Line:
    """One column: points and labels of its values, the weight of no points, and the points of a missing cell."""

    name: str
    points: np.ndarray
    labels: list[str]
    low: float
    nothing: float


def plot_nomogram(
    model: Any,
    *,
    label: Any = None,
    against: Any = None,
    max_columns: int = 12,
    ax: Any = None,
) -> Any:
    """Draw a model that adds up evidence as a nomogram, to be read with a ruler.

    Each value of a column has points, read off the line at the top. Add them up, find the sum on the line of totals,
    and beneath it stands the probability of a class.

    Parameters
    ----------
    model : fitted classifier whose ``evidence_`` adds up
        Naive Bayes, or a boosted model. What two columns say only together, and what words say, is not a line of
        points: it is left out, and the picture says so.
    label : class label, optional
        The class whose probability is shown; by default the second of two, and the most frequent of more.
    against : class label, optional
        The other class. Of more than two classes, points tell apart two: the probability is that of a row known to be
        in one of them. By default the most frequent of the others.
    max_columns : int, default=12
        The columns with the widest range of points. Of the others the mean is in the totals.
    ax : matplotlib Axes, optional

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
    if not isinstance(model, SUMS):
        raise errors.no_nomogram(type(model).__name__)
    evidence = read_evidence(model)
    sides = _choose_sides(model, label, against)
    columns = [
        _tell_apart(read_column(model, evidence, j, 30), *sides)
        for j, column in enumerate(model.schema_.columns)
        if column.kind != "text"
    ]
    widths = np.array([_measure(shown) for shown in columns])
    if not widths.max(initial=0.0) > 0:
        raise errors.nothing_in_nomogram()
    widest = np.argsort(-widths, kind="stable")[:max_columns].tolist()
    order = [j for j in widest if widths[j] > 0]
    scale = 100.0 / widths.max()
    lines = [_make_line(columns[j], scale) for j in order]
    rest = [columns[j] for j in range(len(columns)) if j not in order]
    lowest = _find_start(model, sides, rest) + sum(line.low for line in lines)
    ax = new_axes(ax, 8.2, 1.9 + 0.52 * len(lines))
    _draw_lines(ax, lines)
    total = sum(max(float(line.points.max()), line.nothing) for line in lines)
    _draw_total(ax, lines, lowest, scale, total, _describe_sides(model.classes_, sides))
    _say_what_is_missing(ax, len(lines), _list_missing(model, evidence, sides, scale))
    return ax


def _choose_sides(model: Any, label: Any, against: Any) -> tuple[int, int]:
    """Positions of the class whose probability is shown, and of the other one."""
    classes = model.classes_.tolist()
    for chosen in (label, against):
        if chosen is not None and chosen not in classes:
            raise errors.no_such_class_to_plot(chosen, classes)
    if label is not None and label == against:
        raise errors.no_such_class_to_plot(against, [each for each in classes if each != label])
    totals = model.summary().classes["count"]
    order = [1, 0] if len(classes) == 2 else np.argsort(-totals, kind="stable").tolist()
    other = None if against is None else classes.index(against)
    first = next(k for k in order if k != other) if label is None else classes.index(label)
    return first, next(k for k in order if k != first) if other is None else other


def _tell_apart(shown: ShownColumn, first: int, second: int) -> ShownColumn:
    """The column with weights for one class against another."""
    weight = _subtract(shown.weight, first, second)
    missing = _subtract(shown.missing_weight[None], first, second)[0]
    curve = shown.curve
    if curve is not None:
        curve = replace(curve, weights=_subtract(curve.weights, first, second))
    return replace(shown, weight=weight, missing_weight=missing, curve=curve)


def _subtract(weights: np.ndarray, first: int, second: int) -> np.ndarray:
    if weights.shape[1] == 1:  # for the second of two classes
        return weights * (first - second)
    return weights[:, [first]] - weights[:, [second]]


def _measure(shown: ShownColumn) -> float:
    """The range of the weights of a column, and of a missing cell."""
    weights = _known_weights(shown)
    return float(np.ptp(np.append(weights, shown.missing_weight))) if len(weights) else 0.0


def _find_start(model: Any, sides: tuple[int, int], rest: list[ShownColumn]) -> float:
    """Log-odds before any column has spoken, and what columns that are not drawn say on average."""
    prior = model.explain(_nothing(model))
    prior = prior[prior["column"] == PRIOR]["weight"][None]
    means = [np.average(_known_weights(s), weights=_rows(s)) for s in rest if _rows(s).sum()]
    return float(_subtract(prior, *sides)[0, 0] + sum(means))


def _describe_sides(classes: np.ndarray, sides: tuple[int, int]) -> str:
    first, second = (str(classes[k]) for k in sides)
    return first if len(classes) == 2 else f"{first} where it is {first} or {second}"


def _list_missing(model: Any, evidence: Any, sides: tuple[int, int], scale: float) -> list[str]:
    """What a row's points leave out of its evidence."""
    pairs = evidence[~np.isin(evidence["column"].astype(str), model.schema_.names)]
    found = []
    if len(pairs):
        n_shown = len(model.classes_) if len(model.classes_) > 2 else 1
        weight = _subtract(pairs["weight"].reshape(-1, n_shown), *sides)[:, 0]
        rows = pairs["total"][::n_shown]
        n_pairs = len(set(pairs["column"].tolist()))
        moved = scale * n_pairs * float(np.average(np.abs(weight), weights=rows))
        found.append(
            f"what {n_pairs} pairs of columns say together (up to {moved:.0f} points on average)"
        )
    texts = [column.name for column in model.schema_.columns if column.kind == "text"]
    return found + (["the words of " + ", ".join(cut_names(texts, 22))] if texts else [])


def _say_what_is_missing(ax: Any, n_lines: int, missing: list[str]) -> None:
    """A sentence under the picture."""
    if missing:
        text = "Not in the picture: " + "; ".join(missing)
        ax.set_ylim(n_lines + 3.1, -0.6)
        ax.text(50, n_lines + 2.75, text, ha="center", va="center", fontsize=8, color=QUIET)


def _nothing(model: Any) -> np.ndarray:
    """A row of which nothing is known."""
    from bayfold.core.frames import Table
    from bayfold.core.frames.columns import NullColumn

    names = tuple(model.schema_.names)
    columns = tuple(NullColumn(name, 1) for name in names)
    return Table(columns, 1, names if model.schema_.named else None)  # type: ignore[return-value]


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
    else:
        labels, points = cut_names(shown.labels, 16), weights
    missing = float(shown.missing_weight[0])
    low = min(float(weights.min()), missing)
    return _Line(name_axis(shown), (points - low) * scale, labels, low, (missing - low) * scale)


def _draw_lines(ax: Any, lines: list[_Line]) -> None:
    _draw_scale(ax, 0, np.arange(0, 101, 10), "points")
    narrow = max(USUAL_WIDTH / measure_width(ax), 0.8)
    for k, line in enumerate(lines, start=1):
        ax.plot([line.points.min(), line.points.max()], [k, k], color="black", linewidth=1)
        ax.plot(line.points, np.full(len(line.points), k), "|", color="black", markersize=7)
        ax.plot([line.nothing], [k], marker="D", markersize=4, color="white", mec=QUIET, zorder=3)
        last = {-1: -np.inf, 1: -np.inf}
        for n, p in enumerate(np.argsort(line.points, kind="stable").tolist()):
            side = -1 if n % 2 else 1
            room = (LEAST_APART + 0.55 * len(line.labels[p])) * narrow
            if line.points[p] - last[side] < room:
                side = -side
            if line.points[p] - last[side] < room:
                continue  # no room on either side
            last[side] = line.points[p]
            place = {"ha": "center", "va": "bottom" if side > 0 else "top", "fontsize": 7}
            ax.text(line.points[p], k - 0.16 * side, line.labels[p], **place)
    names = cut_names([line.name for line in lines], 22)
    ax.set_yticks(np.arange(len(lines) + 3), ["points", *names, "total", ""])
    ax.set_xlim(-2, 102)
    ax.set_ylim(len(lines) + 2.6, -0.6)
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)


def _draw_scale(ax: Any, y: float, ticks: np.ndarray, name: str) -> None:
    ax.plot([ticks[0], ticks[-1]], [y, y], color=QUIET, linewidth=1)
    for tick in ticks:
        ax.plot([tick, tick], [y - 0.12, y], color=QUIET, linewidth=1)
        ax.text(tick, y - 0.18, f"{tick:g}", ha="center", va="bottom", fontsize=7, color="#555555")
        ax.axvline(tick, color="#f0f0f0", linewidth=0.7, zorder=0)


def _draw_total(
    ax: Any, lines: list[_Line], lowest: float, scale: float, total: float, label: str
) -> None:
    """The sum of all points on the same width, and the probability it stands for."""
    y = len(lines) + 1
    squeeze = 100.0 / total
    step = _round_step(total)
    ax.plot([0, 100], [y, y], color="black", linewidth=1)
    for points in np.arange(0, total + 1e-9, step):
        ax.plot([points * squeeze] * 2, [y - 0.12, y], color="black", linewidth=1)
        ax.text(points * squeeze, y - 0.18, f"{points:g}", ha="center", va="bottom", fontsize=7)
    y += 1
    ax.plot([0, 100], [y, y], color=FOR_SECOND, linewidth=1.4)
    last = -np.inf
    for probability in PROBABILITIES:
        odds = float(np.log(probability / (1 - probability)))
        place = (odds - lowest) * scale * squeeze
        if not 0 <= place <= 100:
            continue
        ax.plot([place, place], [y - 0.12, y], color=FOR_SECOND, linewidth=1)
        if place - last >= LEAST_APART * max(USUAL_WIDTH / measure_width(ax), 0.8):
            text = f"{probability:g}"
            ax.text(place, y - 0.18, text, ha="center", va="bottom", fontsize=7, color=FOR_SECOND)
            last = place
    low, high = expit(lowest), expit(lowest + total / scale)
    text = f"probability of {label}, from {low:.2g} to {high:.4g}"
    ax.text(50, y + 0.18, text, ha="center", va="top", fontsize=8, color=FOR_SECOND)


def _round_step(total: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that makes about ten."""
    rough = total / 10
    unit = 10.0 ** np.floor(np.log10(rough))
    return float(next(m * unit for m in (1, 2, 5, 10) if m * unit >= rough))
