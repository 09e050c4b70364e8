"""Square plots and small histograms as SVG within the page: their colours are those of its style, light or dark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup, escape

from bayfold.report.columns import show_round

SIZE, MARGIN = 330, 58
"""Side and margin of a square plot, in CSS pixels."""
SPARK_WIDTH, SPARK_HEIGHT = 90, 22
"""Of a histogram in a line of a table."""


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
    size = (
        f'viewBox="0 0 {SPARK_WIDTH} {SPARK_HEIGHT}" width="{SPARK_WIDTH}" height="{SPARK_HEIGHT}"'
    )
    return Markup(f'<svg class="spark" {size} aria-hidden="true">{drawn}</svg>')


def draw_reliability(found: dict[str, Any]) -> Markup:
    """Predicted against observed shares, with Wilson's intervals."""
    names = ("predicted", "observed", "low", "high", "count")
    marks = []
    for predicted, observed, low, high, count in zip(*(found[n] for n in names), strict=True):
        told = f"{count:,.0f} rows: {predicted:.2f} predicted, {observed:.2f} observed"
        marks.append(_whisker(predicted, low, high) + _dot(predicted, observed, told))
    return _square("".join(marks), (0.0, 0.5, 1.0), "{:g}".format, str(found["of"]), "came true")


def draw_coverage(levels: Sequence[dict[str, Any]]) -> Markup:
    """Promised against observed coverage of intervals."""
    marks = [
        _dot(each["promised"], each["observed"], f"{each['observed']:.1%} of the rows")
        for each in levels
    ]
    return _square("".join(marks), (0.0, 0.5, 1.0), "{:.0%}".format, "promised", "rows within")


def draw_scatter(truth: Sequence[float], predicted: Sequence[float]) -> Markup:
    """Predictions of held-out rows against the truth."""
    low, high = min(*truth, *predicted), max(*truth, *predicted)
    span = (high - low) or 1.0
    marks = "".join(
        f'<circle class="point" cx="{_place((t - low) / span):.1f}" cy="{_height((p - low) / span):.1f}" r="2.5"/>'
        for t, p in zip(truth, predicted, strict=True)
    )
    ticks = (low, low + span / 2, high)
    return _square(marks, ticks, show_round, "truth", "predicted")


def _whisker(x: float, low: float, high: float) -> str:
    at = _place(x)
    ends = f'y1="{_height(low):.1f}" y2="{_height(high):.1f}"'
    return f'<line class="whisker" x1="{at:.1f}" x2="{at:.1f}" {ends}/>'


def _dot(x: float, y: float, told: str) -> str:
    place = f'cx="{_place(x):.1f}" cy="{_height(y):.1f}"'
    return f'<circle class="dot" {place} r="4"><title>{told}</title></circle>'


def _square(
    marks: str, ticks: Sequence[float], form: Callable[[float], str], x_label: str, y_label: str
) -> Markup:
    """A square with the line of equal values, three ticks at each side, and labels, which are escaped."""
    low, span = ticks[0], (ticks[-1] - ticks[0]) or 1.0
    near, far = _place(0), _place(1)
    labels = ""
    for tick in ticks:
        share, shown = (tick - low) / span, form(tick)
        labels += _text(_place(share), _height(0) + 16, "middle", shown)
        labels += _text(near - 6, _height(share) + 4, "end", shown)
    frame = (
        f'<rect class="frame" x="{near}" y="{_height(1)}" width="{far - near}" height="{far - near}"/>'
        f'<line class="ideal" x1="{near}" y1="{_height(0)}" x2="{far}" y2="{_height(1)}"/>'
    )
    middle = (near + far) / 2
    names = (
        _text(middle, SIZE - 20, "middle", escape(x_label))
        + f'<text transform="translate(12,{middle - 46}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>'
    )
    box = f'viewBox="0 0 {SIZE} {SIZE - 12}" width="{SIZE}" height="{SIZE - 12}" role="img"'
    label = f'aria-label="{escape(y_label)} against {escape(x_label)}"'
    # numbers, and labels that are escaped
    return Markup(f'<svg class="plot" {box} {label}>{frame}{marks}{labels}{names}</svg>')


def _text(x: float, y: float, anchor: str, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def _place(share: float) -> float:
    return MARGIN + share * (SIZE - MARGIN - 22)


def _height(share: float) -> float:
    return SIZE - MARGIN - share * (SIZE - MARGIN - 22)
