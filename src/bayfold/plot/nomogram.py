"""The nomogram: points for every value of every column, and the probability that their sum stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from bayfold import errors
from bayfold.plot.canvas import FOR_SECOND, QUIET, measure_width, new_axes
from bayfold.plot.columns import ShownColumn, read_column, read_evidence
from bayfold.plot.evidence import format_numbers
from bayfold.plot.texts import cut_names

PROBABILITIES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
LEAST_APART = 3.4
"""Points between two labels of a line, so that they can be read."""

USUAL_WIDTH = 6.4
"""Inches of axes in which LEAST_APART was tried."""

N_STOPS = 13
"""Numbers shown of a curve."""


@dataclass(frozen=True)
class _Line:
    """One column: points of its values, what to write beside them, the weight of no points, the points of no weight."""

    name: str
    points: np.ndarray
    labels: list[str]
    low: float
    nothing: float


def plot_nomogram(model: Any, *, max_columns: int = 12, ax: Any = None) -> Any:
    """Draw a naive Bayes model of two classes as a nomogram, to be read with a ruler.

    Each value of a column has points, read off the line at the top. Add them up, find the sum on the line of totals,
    and beneath it stands the probability of the second class.

    Parameters
    ----------
    model : fitted classifier of two classes with ``evidence_``
        Naive Bayes, or a boosted model with ``interactions=1``: what two columns say together is not a sum of points.
    max_columns : int, default=12
        The columns with the widest range of points. Of the others the mean is in the totals.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Notes
    -----
    100 points are the range of the column with the widest range. A missing cell has the points of no evidence, marked
    by a diamond.

    Examples
    --------
    >>> from bayfold.plot import plot_nomogram
    >>> plot_nomogram(model).figure.savefig("nomogram.png")  # doctest: +SKIP
    """
    errors.check_whole("max_columns", max_columns, 1)
    evidence = read_evidence(model)
    classes = getattr(model, "classes_", np.empty(0))
    is_text = any(column.kind == "text" for column in model.schema_.columns)  # words add up
    if len(classes) != 2 or is_text or any(" & " in text for text in _pair_bins(model, evidence)):
        raise errors.no_nomogram(type(model).__name__)
    columns = [read_column(model, evidence, j, 30) for j in range(len(model.schema_.names))]
    weights = [_known_weights(shown) for shown in columns]
    widths = np.array([np.ptp(w) if len(w) else 0.0 for w in weights])
    if not widths.max(initial=0.0) > 0:
        raise errors.no_nomogram(type(model).__name__)
    widest = np.argsort(-widths, kind="stable")[:max_columns].tolist()
    order = [j for j in widest if widths[j] > 0]
    scale = 100.0 / widths.max()
    lines = [_make_line(columns[j], scale) for j in order]
    start = float(model.decision_function(_nothing(model))[0])
    rest = [columns[j] for j in range(len(columns)) if j not in order]
    start += sum(
        float(np.average(_known_weights(s), weights=_rows(s))) for s in rest if _rows(s).sum()
    )
    lowest = start + sum(line.low for line in lines)
    ax = new_axes(ax, 8.2, 1.9 + 0.52 * len(lines))
    _draw_lines(ax, lines)
    total = sum(float(line.points.max()) for line in lines)
    _draw_total(ax, lines, lowest, scale, total, str(classes[1]))
    return ax


def _pair_bins(model: Any, evidence: Any) -> list[str]:
    """The bins of pairs of columns, if there are any."""
    is_pair = ~np.isin(evidence["column"].astype(str), model.schema_.names)
    return evidence["bin"][is_pair].tolist()


def _nothing(model: Any) -> np.ndarray:
    """A row of which nothing is known."""
    from bayfold.core.frames import Table
    from bayfold.core.frames.columns import NullColumn

    names = tuple(model.schema_.names)
    columns = tuple(NullColumn(name, 1) for name in names)
    return Table(columns, 1, names if model.schema_.named else None)  # type: ignore[return-value]


def _known_weights(shown: ShownColumn) -> np.ndarray:
    """Weights of the values of a column; zero too, which a missing cell has."""
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
        if not shown.is_time:
            numbers = np.array([float(f"{number:.3g}") for number in numbers])
        labels = format_numbers(numbers, shown.is_time)
        points = weights[stops]
    else:
        labels, points = cut_names(shown.labels, 16), weights
    low = min(float(weights.min()), 0.0)
    return _Line(shown.name, (points - low) * scale, labels, low, -low * scale)


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
