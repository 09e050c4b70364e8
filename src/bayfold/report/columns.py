"""What each column of a table holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.frames import Column, Table
from bayfold.core.frames.times import local_time, name_zone

BARS = 20
"""Bars of a small histogram: as many as can be told apart at its size."""
SHOWN_LABELS = 5
"""So many of the most frequent categories are named."""
SKETCHED_ROWS = 100_000
"""Distributions are drawn from so many rows: sorting all of a million takes a tenth of a second per column, and no
bar of a small histogram would move by a pixel."""


def describe_columns(table: Table) -> list[dict[str, Any]]:
    """Kind, missing cells and distribution of every column; missing cells are counted in all rows."""
    return [describe_column(column, table.n_rows) for column in table.columns]


def describe_column(column: Column, n_rows: int) -> dict[str, Any]:
    """One column."""
    zone = None if column.zone is None else name_zone(column.zone)
    named = {"name": column.name, "zone": zone}
    if column.kind == "nominal":
        return named | {"kind": "categories", **_describe_labels(column, n_rows)}
    numbers = column.numbers(0, n_rows)
    kind = "times" if column.is_time else "numbers" if column.kind == "numeric" else "empty"
    return named | {"kind": kind, **describe_numbers(numbers, column.zone)}


def describe_numbers(numbers: np.ndarray, zone: str | None = None) -> dict[str, Any]:
    """Missing cells, distinct values, range and histogram; of long columns, values and bars are those of a sample."""
    known = numbers[np.isfinite(numbers)]
    found: dict[str, Any] = {"missing": len(numbers) - len(known)}
    if not len(known):
        return found | {"distinct": "0", "summary": "", "bars": []}
    sketch = known[:: len(known) // SKETCHED_ROWS + 1]
    distinct = len(np.unique(sketch))
    found["distinct"] = _show_count(distinct, is_all=len(sketch) == len(known))
    ends = known.min(), np.median(sketch), known.max()
    shown = [show_number(float(value), zone) for value in ends]
    counts, _ = np.histogram(sketch, bins=min(BARS, distinct), range=(ends[0], ends[2]))
    return found | {"summary": "{} … {} … {}".format(*shown), "bars": counts.tolist()}


def _show_count(count: int, is_all: bool) -> str:
    """How many values, or how many there are at least."""
    return f"{count:,}" if is_all else f"≥ {count:,}"


def show_number(value: float, zone: str | None = None) -> str:
    """A number in few digits, or the day it stands for."""
    if zone is not None:
        return local_time(value, zone).partition(" ")[0]
    size = abs(value)
    return f"{value:,.0f}" if 1000 <= size < 1e9 else f"{value:.4g}"


def show_weight(value: float, signed: bool = False) -> str:
    """A weight of evidence or a shift of a prediction: two decimals, or three digits where it is large or tiny.

    >>> show_weight(0.713), show_weight(-1234567.0, signed=True), show_weight(0.00123)
    ('0.71', '-1,234,567', '0.00123')
    """
    sign, size = "+" if signed else "", abs(value)
    if size >= 100 and size < 1e9:
        return f"{value:{sign},.0f}"
    return f"{value:{sign}.2f}" if size == 0 or 0.01 <= size < 100 else f"{value:{sign}.3g}"


def _describe_labels(column: Column, n_rows: int) -> dict[str, Any]:
    indices, labels = column.labels()
    known = indices[indices >= 0]
    counts = np.bincount(known, minlength=len(labels))
    order = np.argsort(-counts, kind="stable")
    top = [f"{labels[k]} ({counts[k] / max(len(known), 1):.0%})" for k in order[:SHOWN_LABELS]]
    more = f" and {len(labels) - SHOWN_LABELS:,} more" if len(labels) > SHOWN_LABELS else ""
    return {
        "missing": int(n_rows - len(known)),
        "distinct": f"{len(labels):,}",
        "summary": ", ".join(top) + more,
        "bars": counts[order[:BARS]].tolist(),
    }
