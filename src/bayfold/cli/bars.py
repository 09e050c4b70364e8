"""Evidence as bars in the terminal."""

from __future__ import annotations

import numpy as np
from rich.table import Table
from rich.text import Text

from bayfold.cli.show import make_table
from bayfold.core.evidence import Records

HALF = 14
"""Characters of the longest bar to either side."""
BLOCKS = " ▏▎▍▌▋▊▉█"


def make_bars(title: str, records: Records, sides: tuple[str, str]) -> Table:
    """A table of the cells of one row, each with what it adds, strongest first; what begins stays on top."""
    measure = records.measure
    values = records[measure].astype(np.float64)
    is_start = records["column"] == "(prior)"
    order = [*np.flatnonzero(is_start), *_strongest(values, ~is_start)]
    longest = np.abs(values[~is_start]).max(initial=0.0) or 1.0
    has_bins = "bin" in records.names
    headings = [
        "column",
        "value",
        *(["bin"] if has_bins else []),
        measure,
        f"{sides[0]} | {sides[1]}",
    ]
    table = make_table(title, headings, [measure])
    for k in order:
        value, bin_name = (records[n][k] if n in records.names else "" for n in ("value", "bin"))
        cells = [str(records["column"][k]), str(value or "")]
        cells += ["" if bin_name == value else str(bin_name or "")] if has_bins else []
        bar = Text("") if is_start[k] else draw_bar(values[k] / longest)
        table.add_row(*(Text(cell) for cell in cells), Text(_amount(values[k])), bar)
    table.add_section()
    total = ["sum", "", *([""] if has_bins else [])]
    table.add_row(*total, Text(_amount(float(values.sum()))), "")
    return table


def _strongest(values: np.ndarray, among: np.ndarray) -> np.ndarray:
    found = np.flatnonzero(among)
    return found[np.argsort(-np.abs(values[found]), kind="stable")]


def _amount(value: float) -> str:
    return f"{value:+,.2f}" if abs(value) < 1000 else f"{value:+,.0f}"


def draw_bar(share: float) -> Text:
    """A bar from the middle to the left or right, as long as the share of the longest one.

    >>> draw_bar(-0.5).plain
    '       ███████|              '
    """
    filled = round(min(abs(share), 1.0) * HALF * 8)
    blocks = "█" * (filled // 8) + (BLOCKS[filled % 8] if filled % 8 else "")
    if share >= 0:
        return Text(f"{'':{HALF}}|").append(f"{blocks:<{HALF}}", style="blue")
    # eighths grow from the left; to the left, halves of a character will do
    whole = "█" * round(filled / 8)
    return Text().append(f"{whole:>{HALF}}", style="dark_orange").append(f"|{'':{HALF}}")
