"""Records in a notebook: a table, with a bar behind every signed weight."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np

from bayfold.core.evidence.texts import show_texts

SIGNED = ("weight", "shift")
"""Columns whose sign and size are to be seen at a glance."""

FOR = "rgba(31, 119, 180, 0.35)"
AGAINST = "rgba(214, 39, 40, 0.35)"
"""Blue and red that people with red-green blindness tell apart, half transparent: on white and on black."""


def show_as_html(columns: Mapping[str, np.ndarray], most: int) -> str:
    """The first records as an HTML table; names and values are shown as text, whatever they hold."""
    cells = [_cells(name, column, most) for name, column in columns.items()]
    head = "".join(
        f"<th scope='col' style='text-align: left'>{escape(name)}</th>" for name in columns
    )
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True))
    n_rows = len(next(iter(columns.values()), ()))
    hidden = f"<p>... and {n_rows - most} more</p>" if n_rows > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{hidden}"


def _cells(name: str, column: np.ndarray, most: int) -> list[str]:
    texts = [escape(text) for text in show_texts(column[:most])]
    if column.dtype.kind not in "fiu":
        return [f"<td style='text-align: left'>{text}</td>" for text in texts]
    bars = _bars(column, most) if name in SIGNED else [""] * len(texts)
    return [
        f"<td style='text-align: right{bar}'>{text}</td>"
        for text, bar in zip(texts, bars, strict=True)
    ]


def _bars(column: np.ndarray, most: int) -> list[str]:
    """A bar from the middle of each cell: to the right for, to the left against, as long as the weight is large."""
    numbers = np.where(np.isfinite(column), column, 0.0)
    largest = np.abs(numbers).max(initial=0.0)
    ends = 50.0 + 50.0 * numbers[:most] / (largest or 1.0)
    return [_bar(min(end, 50.0), max(end, 50.0), FOR if end > 50.0 else AGAINST) for end in ends]


def _bar(left: float, right: float, colour: str) -> str:
    sides = f"transparent {left:.1f}%, {colour} {left:.1f}%, {colour} {right:.1f}%"
    return f"; background: linear-gradient(to right, {sides}, transparent {right:.1f}%)"
