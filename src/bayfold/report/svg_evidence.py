"""The weights of a column or a pair of columns as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from bayfold.report.columns import say_rows, show_number, show_round, show_weight
from bayfold.report.evidence import BETWEEN, drop_clocks

WIDTH, HEIGHT = 480, 150
"""Of the weights of a column, in CSS pixels."""
LEFT, ROWS_HEIGHT, TEXT_HEIGHT = 40, 26, 18
"""Room for the scale, for the rows beneath, and for a line of text."""
TICKS = 4
"""Numbers along a column."""
SIDE_TEXT = 120
"""Room for the labels of the first column of a pair."""
ACROSS = 4
"""Labels of the second column."""
LINE, LETTER = 14, 7.5
"""Height of a line and width of a letter of 12 pixels."""


def draw_steps(
    name: str, bins: Sequence[dict[str, Any]], k: int, most: float, zone: str | None
) -> Markup:
    """The weights of many bins in order, as steps around zero, with the rows of each bin beneath."""
    step, middle = (WIDTH - LEFT) / len(bins), HEIGHT / 2
    scale = (middle - 4) / (most or 1.0)
    marks, start = [], 0
    for weight, run in groupby(each["weights"][k] for each in bins):
        n = len(list(run))
        size = f'x="{LEFT + start * step:.1f}" width="{n * step + 0.3:.1f}" height="{abs(weight) * scale:.1f}"'
        side = "less" if weight < 0 else "more"
        marks.append(f'<rect class="{side}" y="{middle - max(weight, 0) * scale:.1f}" {size}/>')
        start += n
    axis = f'<line class="axis" x1="{LEFT}" x2="{WIDTH}" y1="{middle}" y2="{middle}"/>'
    frame = _draw_rows(bins, step) + axis + _scale(most) + _ticks(bins, step, zone)
    height = HEIGHT + ROWS_HEIGHT + TEXT_HEIGHT + 4
    box = f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(_told(name, bins, k, most))}"'
    return Markup(f'<svg class="steps" {box}>{frame}{"".join(marks)}</svg>')


def _draw_rows(bins: Sequence[dict[str, Any]], step: float) -> str:
    """The rows of each bin as one outline: bars beside each other would show stripes where they meet."""
    largest, floor = max(each["total"] for each in bins), HEIGHT + ROWS_HEIGHT + 4
    path = f"M{LEFT} {floor}"
    for j, each in enumerate(bins):
        path += f"V{floor - ROWS_HEIGHT * each['total'] / largest:.1f}H{LEFT + (j + 1) * step:.1f}"
    return f'<path class="rows" d="{path}V{floor}Z"/>'


def _told(name: str, bins: Sequence[dict[str, Any]], k: int, most: float) -> str:
    """The weights in words, for those who do not see the picture: five bins from one end to the other."""
    chosen = [bins[round(j * (len(bins) - 1) / 4)] for j in range(5)]
    return f"{name}: " + "; ".join(
        f"{each['bin']} {show_weight(each['weights'][k], True, most)}" for each in chosen
    )


def _scale(most: float) -> str:
    places = (
        (7.0, f"+{show_round(most)}"),
        (HEIGHT / 2, "0"),
        (HEIGHT - 7.0, f"-{show_round(most)}"),
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
            x, shown = LEFT + (j + 1) * step, show_number(bins[j]["upper"], zone)
            y = HEIGHT + ROWS_HEIGHT + TEXT_HEIGHT
            drawn += f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{escape(shown)}</text>'
    return drawn


def draw_pair(name: str, bins: Sequence[dict[str, Any]], k: int, most: float) -> Markup:
    """The weights of a pair of columns, a cell each: the first column downwards, the second across."""
    cells = {tuple(each["bin"].split(BETWEEN)): each for each in bins}
    down, across = (list(dict.fromkeys(key[side] for key in cells)) for side in (0, 1))
    wide, high = (WIDTH - SIDE_TEXT) / len(across), max(10.0, min(24.0, 220 / len(down)))
    marks = "".join(
        f'<rect class="{"less" if each["weights"][k] < 0 else "more"}" '
        f'x="{SIDE_TEXT + across.index(b) * wide:.1f}" y="{down.index(a) * high:.1f}" '
        f'width="{wide:.1f}" height="{high:.1f}" fill-opacity="{abs(each["weights"][k]) / (most or 1):.2f}">'
        f"<title>{escape(each['bin'])}: {show_weight(each['weights'][k], True, most)}, "
        f"{say_rows(each['total'])}</title></rect>"
        for (a, b), each in cells.items()
    )
    bottom = high * len(down)
    frame = f'<rect class="frame" x="{SIDE_TEXT}" y="0" width="{WIDTH - SIDE_TEXT}" height="{bottom:.1f}"/>'
    beside, beneath = drop_clocks(down), drop_clocks(across)
    for j in _spread(len(down), int(bottom // LINE)):
        text = _short(beside[j], SIDE_TEXT)
        frame += f'<text x="{SIDE_TEXT - 5}" y="{(j + 0.5) * high + 4:.1f}" text-anchor="end">{escape(text)}</text>'
    places = _spread(len(across), ACROSS)
    for j in places:
        x, text = (
            SIDE_TEXT + (j + 0.5) * wide,
            _short(beneath[j], (WIDTH - SIDE_TEXT) / len(places) - LETTER),
        )
        x = min(x, WIDTH - LETTER * len(text) / 2)  # the last one stays within the picture
        frame += (
            f'<text x="{x:.1f}" y="{bottom + 15:.1f}" text-anchor="middle">{escape(text)}</text>'
        )
    told = f"{name}: weights of {len(bins)} cells, the largest {show_weight(most, most=most)}"
    box = f'viewBox="0 0 {WIDTH} {bottom + TEXT_HEIGHT:.0f}" role="img" aria-label="{escape(told)}"'
    return Markup(f'<svg class="pair" {box}>{marks}{frame}</svg>')


def _spread(n: int, most: int) -> list[int]:
    """All positions, or every second, third and so on, so that at most so many are left."""
    return list(range(0, n, -(-n // max(most, 1))))


def _short(text: str, room: float) -> str:
    letters = int(room / LETTER)
    return text if len(text) <= letters else text[: letters - 1] + "…"
