"""Small pictures as SVG within the page: their colours are those of its style, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

SIZE, MARGIN = 330, 58
"""Side and margin of a square plot, in CSS pixels."""
SPARK_WIDTH, SPARK_HEIGHT = 90, 22
"""Of a histogram in a line of a table."""
LINE_WIDTH, LINE_HEIGHT = 640, 160
"""Of the weights of a column of many bins."""


def draw_spark(bars: Sequence[float]) -> Markup:
    """A histogram the size of a word."""
    if not bars:
        return Markup("")
    most = max(bars) or 1
    width = SPARK_WIDTH / len(bars)
    drawn = "".join(
        f'<rect x="{k * width:.1f}" y="{SPARK_HEIGHT * (1 - n / most):.1f}" '
        f'width="{max(width - 1, 0.5):.1f}" height="{SPARK_HEIGHT * n / most:.1f}"/>'
        for k, n in enumerate(bars)
    )
    size = f'width="{SPARK_WIDTH}" height="{SPARK_HEIGHT}"'
    return Markup(f'<svg class="spark" {size} aria-hidden="true">{drawn}</svg>')


def draw_reliability(found: dict[str, Any]) -> Markup:
    """Predicted against observed shares, with Wilson's intervals."""
    points = zip(
        found["predicted"],
        found["observed"],
        found["low"],
        found["high"],
        found["count"],
        strict=True,
    )
    marks = []
    for predicted, observed, low, high, count in points:
        x = _place(predicted)
        marks.append(
            f'<line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{_height(low):.1f}" y2="{_height(high):.1f}"/>'
        )
        marks.append(
            f'<circle class="dot" cx="{x:.1f}" cy="{_height(observed):.1f}" r="4">'
            f"<title>{count:,.0f} rows: {predicted:.2f} predicted, {observed:.2f} observed</title></circle>"
        )
    return _square("".join(marks), (0.0, 0.5, 1.0), "{:g}", str(found["of"]), "came true")


def draw_scatter(truth: Sequence[float], predicted: Sequence[float]) -> Markup:
    """Predictions of held-out rows against the truth."""
    low, high = min(*truth, *predicted), max(*truth, *predicted)
    span = (high - low) or 1.0
    marks = "".join(
        f'<circle class="point" cx="{_place((t - low) / span):.1f}" cy="{_height((p - low) / span):.1f}" r="2.5"/>'
        for t, p in zip(truth, predicted, strict=True)
    )
    ticks = (low, low + span / 2, high)
    return _square(marks, ticks, "{:.3g}", "truth", "predicted")


def draw_steps(weights: Sequence[float], most: float) -> Markup:
    """The weights of many bins in order, as steps around zero."""
    step, middle = LINE_WIDTH / len(weights), LINE_HEIGHT / 2
    scale = (middle - 6) / (most or 1.0)
    path = " ".join(
        f"{'M' if k == 0 else 'L'}{k * step:.1f},{middle - w * scale:.1f} H{(k + 1) * step:.1f}"
        for k, w in enumerate(weights)
    )
    axis = f'<line class="axis" x1="0" x2="{LINE_WIDTH}" y1="{middle}" y2="{middle}"/>'
    box = f'viewBox="0 0 {LINE_WIDTH} {LINE_HEIGHT}" role="img" aria-label="weights of the bins in order"'
    return Markup(f'<svg class="steps" {box}>{axis}<path d="{path}"/></svg>')


def _square(marks: str, ticks: Sequence[float], form: str, x_label: str, y_label: str) -> Markup:
    """A square with the line of equal values, three ticks at each side, and labels, which are escaped."""
    low, span = ticks[0], (ticks[-1] - ticks[0]) or 1.0
    near, far = _place(0), _place(1)
    labels = ""
    for tick in ticks:
        share, shown = (tick - low) / span, form.format(tick)
        labels += _text(_place(share), _height(0) + 16, "middle", shown)
        labels += _text(near - 6, _height(share) + 4, "end", shown)
    frame = (
        f'<rect class="frame" x="{near}" y="{_height(1)}" width="{far - near}" height="{far - near}"/>'
        f'<line class="ideal" x1="{near}" y1="{_height(0)}" x2="{far}" y2="{_height(1)}"/>'
    )
    middle = (near + far) / 2
    names = (
        _text(middle, SIZE - 6, "middle", escape(x_label))
        + f'<text transform="translate(12,{middle}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>'
    )
    box = f'viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}" role="img"'
    label = f'aria-label="{escape(y_label)} against {escape(x_label)}"'
    # numbers, and labels that are escaped
    return Markup(f'<svg class="plot" {box} {label}>{frame}{marks}{labels}{names}</svg>')


def _text(x: float, y: float, anchor: str, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def _place(share: float) -> float:
    return MARGIN + share * (SIZE - MARGIN - 12)


def _height(share: float) -> float:
    return SIZE - MARGIN - share * (SIZE - MARGIN - 12)
