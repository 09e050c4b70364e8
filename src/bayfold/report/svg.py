"""Drawings of the report, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from bayfold.report.columns import say_rows, show_number, show_round, show_weight
from bayfold.report.evidence import BETWEEN, drop_clocks

SIZE = 330
MARGIN = 58
"""Side and margin of a square plot, in CSS pixels."""
SPARK_WIDTH = 90
SPARK_HEIGHT = 22
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
        text = f"{count:,.0f} rows: {predicted:.2f} predicted, {observed:.2f} observed"
        marks.append(_whisker(predicted, low, high) + _dot(predicted, observed, text))
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
    low = min(*truth, *predicted)
    high = max(*truth, *predicted)
    span = (high - low) or 1.0
    marks = "".join(
        f'<circle class="point" cx="{_place((t - low) / span):.1f}" cy="{_height((p - low) / span):.1f}" r="2.5"/>'
        for t, p in zip(truth, predicted, strict=True)
    )
    ticks = (low, low + span / 2, high)
    return _square(marks, ticks, show_round, "truth", "predicted")


def draw_costs(curves: Sequence[dict[str, Any]]) -> Markup:
    """Costs by threshold, as shares of what the cheaper of both decisions costs if it is taken for all rows.

    What is dearer than that is drawn along the upper edge. Dots are the cheapest thresholds, rings those of ``decide``.
    """
    marks = ""
    for k, each in enumerate(curves):
        unit = each["alike_cost"] or 1.0
        points = " ".join(
            f"{_place(threshold):.1f},{_height(min(cost / unit, 1.0)):.1f}"
            for threshold, cost in zip(each["threshold"], each["cost"], strict=True)
        )
        rings = "".join(
            _dot(
                each[name],
                min(each[f"{name}_cost"] / unit, 1.0),
                f"{text} {each[name]:.3f}: {each[f'{name}_cost']:.3g} a row",
            )
            for name, text in (
                ("expected", "asked for by the costs, from"),
                ("best", "cheapest, from"),
            )
        )
        marks += f'<g class="costs c{k}"><polyline points="{points}"/>{rings}</g>'
    return _square(
        marks, (0.0, 0.5, 1.0), "{:g}".format, "threshold", "cost, 1: all alike", is_diagonal=False
    )


def _whisker(x: float, low: float, high: float) -> str:
    at = _place(x)
    ends = f'y1="{_height(low):.1f}" y2="{_height(high):.1f}"'
    return f'<line class="whisker" x1="{at:.1f}" x2="{at:.1f}" {ends}/>'


def _dot(x: float, y: float, text: str) -> str:
    place = f'cx="{_place(x):.1f}" cy="{_height(y):.1f}"'
    return f'<circle class="dot" {place} r="4"><title>{text}</title></circle>'


def _square(
    marks: str,
    ticks: Sequence[float],
    form: Callable[[float], str],
    x_label: str,
    y_label: str,
    is_diagonal: bool = True,
) -> Markup:
    """A square with the line of equal values if wanted, three ticks at each side, and labels, which are escaped."""
    low = ticks[0]
    span = (ticks[-1] - ticks[0]) or 1.0
    near = _place(0)
    far = _place(1)
    labels = ""
    for tick in ticks:
        share = (tick - low) / span
        shown = form(tick)
        labels += _text(_place(share), _height(0) + 16, "middle", shown)
        labels += _text(near - 6, _height(share) + 4, "end", shown)
    frame = f'<rect class="frame" x="{near}" y="{_height(1)}" width="{far - near}" height="{far - near}"/>'
    if is_diagonal:
        ends = f'x1="{near}" y1="{_height(0)}" x2="{far}" y2="{_height(1)}"'
        frame += f'<line class="ideal" {ends}/>'
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


Show = Callable[..., str]
"""How a weight is written, given whether its sign is and the largest beside it."""

WIDTH = 480
HEIGHT = 150
"""Of the weights of a column, in CSS pixels."""
LEFT = 54
ROWS_HEIGHT = 26
TEXT_HEIGHT = 18
"""Room for the scale, for the rows beneath, and for a line of text."""
TICKS = 4
"""Numbers along a column."""
SIDE_TEXT = 120
"""Room for the labels of the first column of a pair."""
ACROSS = 4
"""Labels of the second column."""
HOVERED_CELLS = 400
"""Cells of a pair that say what they are when pointed at: more, too small to be pointed at, would make a large page."""
LEAST_CELL = 4.0
"""Height of a cell of many, in CSS pixels: a hundred bins fill half a screen."""
CONFUSION_SIZE = 330
"""Side of the squares of all pairs of classes, in CSS pixels."""
CONFUSION_LETTERS = 12
"""Of a class beside them."""
LINE = 14
LETTER_WIDTH = 7.5
"""Height of a line and width of a letter of 12 pixels."""


def draw_steps(
    name: str,
    bins: Sequence[dict[str, Any]],
    k: int,
    most: float,
    zone: str | None,
    show: Show = show_weight,
) -> Markup:
    """The weights of many bins in order, as steps around zero, with the rows of each bin beneath."""
    step = (WIDTH - LEFT) / len(bins)
    middle = HEIGHT / 2
    scale = (middle - 4) / (most or 1.0)
    marks = []
    start = 0
    drawn = (min(max(each["weights"][k], -most), most) for each in bins)  # beyond, to the edge
    for weight, run in groupby(drawn):
        n = len(list(run))
        size = f'x="{LEFT + start * step:.1f}" width="{n * step + 0.3:.1f}" height="{abs(weight) * scale:.1f}"'
        side = "less" if weight < 0 else "more"
        marks.append(f'<rect class="{side}" y="{middle - max(weight, 0) * scale:.1f}" {size}/>')
        start += n
    axis = f'<line class="axis" x1="{LEFT}" x2="{WIDTH}" y1="{middle}" y2="{middle}"/>'
    frame = _draw_rows(bins, step) + axis + _scale(most, show) + _ticks(bins, step, zone)
    height = HEIGHT + ROWS_HEIGHT + TEXT_HEIGHT + 4
    box = f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(_describe_bars(name, bins, k, most, show))}"'
    return Markup(f'<svg class="steps" {box}>{frame}{"".join(marks)}</svg>')


def _draw_rows(bins: Sequence[dict[str, Any]], step: float) -> str:
    """The rows of each bin as one outline: bars beside each other would show stripes where they meet."""
    largest = max(each["total"] for each in bins)
    floor = HEIGHT + ROWS_HEIGHT + 4
    path = f"M{LEFT} {floor}"
    for j, each in enumerate(bins):
        path += f"V{floor - ROWS_HEIGHT * each['total'] / largest:.1f}H{LEFT + (j + 1) * step:.1f}"
    return f'<path class="rows" d="{path}V{floor}Z"/>'


def _describe_bars(
    name: str, bins: Sequence[dict[str, Any]], k: int, most: float, show: Show
) -> str:
    """The weights in words, for those who do not see the picture: five bins from one end to the other."""
    chosen = [bins[round(j * (len(bins) - 1) / 4)] for j in range(5)]
    return f"{name}: " + "; ".join(
        f"{each['bin']} {show(each['weights'][k], True, most)}" for each in chosen
    )


def _scale(most: float, show: Show) -> str:
    is_sum = show is show_weight
    places = (
        (7.0, f"+{show_round(most)}" if is_sum else show(most)),
        (HEIGHT / 2, "0" if is_sum else show(0.0)),
        (HEIGHT - 7.0, f"-{show_round(most)}" if is_sum else show(-most)),
    )
    return "".join(
        f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
        for y, text in places
    ) + (f'<text x="{LEFT - 5}" y="{HEIGHT + ROWS_HEIGHT:.1f}" text-anchor="end">rows</text>')


def _ticks(bins: Sequence[dict[str, Any]], step: float, zone: str | None) -> str:
    """Bounds between bins, a few of them."""
    drawn = ""
    for k in range(1, TICKS + 1):
        j = round(k * len(bins) / (TICKS + 1)) - 1
        if bins[j]["upper"] is not None:
            x = LEFT + (j + 1) * step
            shown = show_number(bins[j]["upper"], zone)
            y = HEIGHT + ROWS_HEIGHT + TEXT_HEIGHT
            drawn += f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{escape(shown)}</text>'
    return drawn


def draw_pair(
    name: str,
    bins: Sequence[dict[str, Any]],
    axes: Sequence[list[str]],
    k: int,
    most: float,
    show: Show = show_weight,
    say: Callable[[float], str] = say_rows,
) -> Markup:
    """The weights of a pair of columns, a cell each: the first column downwards, the second across.

    ``axes`` has the bins of both columns in their order.
    """
    cells = {tuple(each["bin"].rsplit(BETWEEN, 1)): each for each in bins}
    down, across = axes
    wide = (WIDTH - SIDE_TEXT) / len(across)
    high = max(LEAST_CELL, min(24.0, 220 / len(down)))
    marks = ""
    outlines: dict[tuple[str, float], str] = {}
    for (a, b), each in cells.items():
        weight = each["weights"][k]
        side = "less" if weight < 0 else "more"
        opacity = abs(weight) / (most or 1)
        x = SIDE_TEXT + across.index(b) * wide
        y = down.index(a) * high
        if len(cells) > HOVERED_CELLS:
            level = side, round(opacity, 1)
            square = f"M{x:.1f} {y:.1f}h{wide:.1f}v{high:.1f}h-{wide:.1f}z"
            outlines[level] = outlines.get(level, "") + square
        else:
            told = f"{each['bin']}: {show(weight, True, most)}, {say(each['total'])}"
            marks += (
                f'<rect class="{side}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" '
                f'fill-opacity="{opacity:.2f}"><title>{escape(told)}</title></rect>'
            )
    marks += "".join(
        f'<path class="{side}" fill-opacity="{level}" d="{outline}"/>'
        for (side, level), outline in outlines.items()
        if level
    )
    bottom = high * len(down)
    frame = f'<rect class="frame" x="{SIDE_TEXT}" y="0" width="{WIDTH - SIDE_TEXT}" height="{bottom:.1f}"/>'
    beside = drop_clocks(down)
    beneath = drop_clocks(across)
    for j in _spread(len(down), int(bottom // LINE)):
        text = _short(beside[j], SIDE_TEXT)
        y = max((j + 0.5) * high + 4, 10.0)  # the first one stays within the picture
        frame += f'<text x="{SIDE_TEXT - 5}" y="{y:.1f}" text-anchor="end">{escape(text)}</text>'
    places = _spread(len(across), ACROSS)
    for j in places:
        x = SIDE_TEXT + (j + 0.5) * wide
        text = _short(beneath[j], (WIDTH - SIDE_TEXT) / len(places) - LETTER_WIDTH)
        x = min(x, WIDTH - LETTER_WIDTH * len(text) / 2)  # the last one stays within the picture
        frame += (
            f'<text x="{x:.1f}" y="{bottom + 15:.1f}" text-anchor="middle">{escape(text)}</text>'
        )
    text = f"{name}: weights of {len(bins)} cells, the largest {show_weight(most, most=most)}"
    box = f'viewBox="0 0 {WIDTH} {bottom + TEXT_HEIGHT:.0f}" role="img" aria-label="{escape(text)}"'
    return Markup(f'<svg class="pair" {box}>{marks}{frame}</svg>')


def _spread(n: int, most: int) -> list[int]:
    """All positions, or every second, third and so on, so that at most so many are left."""
    return list(range(0, n, -(-n // max(most, 1))))


def _short(text: str, room: float) -> str:
    letters = int(room / LETTER_WIDTH)
    return text if len(text) <= letters else text[: letters - 1] + "…"


def draw_confusion(found: dict[str, Any]) -> Markup:
    """Truth downwards, prediction across: a square for every pair of classes, darker for more rows."""
    n = len(found["classes"])
    side = min(max(CONFUSION_SIZE / n, 3.0), 22.0)
    room = LETTER_WIDTH * CONFUSION_LETTERS if side >= LINE else 0.0
    marks = ""
    for k, line in enumerate(found["counts"]):
        rows = max(sum(line), 1)
        for j, count in enumerate(line):
            if count:
                told = f"{found['classes'][k]} taken for {found['classes'][j]}: {say_rows(count)}"
                marks += (
                    f'<rect class="{"more" if j == k else "less"}" x="{room + j * side:.1f}" y="{k * side:.1f}" '
                    f'width="{side:.1f}" height="{side:.1f}" fill-opacity="{0.15 + 0.85 * count / rows:.2f}">'
                    f"<title>{escape(told)}</title></rect>"
                )
        if room:
            name = _short(found["classes"][k], room)
            marks += _text(room - 5, (k + 0.5) * side + 4, "end", str(escape(name)))
    whole = n * side
    frame = f'<rect class="frame" x="{room}" y="0" width="{whole:.1f}" height="{whole:.1f}"/>'
    size = f'viewBox="0 0 {room + whole + 1:.0f} {whole + 1:.0f}" width="{room + whole + 1:.0f}"'
    label = f'role="img" aria-label="{n} classes: truth downwards, prediction across"'
    return Markup(f'<svg class="pair" {size} {label}>{marks}{frame}</svg>')
