"""What each column of a table holds."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from bayfold.core.frames import Column, Table
from bayfold.core.frames.times import local_time, name_zone
from bayfold.plot.texts import TIMES_SIGN, shorten_names

BARS = 20
"""Bars of a small histogram: as many as can be told apart at its size."""
SHOWN_LABELS = 5
"""So many of the most frequent categories are named."""
LABEL_LETTERS = 30
"""Of a category in a list or beside a bar."""
LEAST_SHARE = 0.005
"""Smaller shares would be shown as none."""
LARGE = 1e9
"""Numbers from here on have an exponent."""
SKETCHED_ROWS = 100_000
"""Distributions are drawn from so many rows: sorting all of a million takes a tenth of a second per column, and no
bar of a small histogram would move by a pixel."""


def describe_columns(table: Table, texts: Collection[str] = ()) -> list[dict[str, Any]]:
    """Kind, missing cells and distribution of every column; missing cells are counted in all rows.

    ``texts`` are the columns that the model reads word by word.
    """
    return [
        (_describe_text if column.name in texts else describe_column)(column, table.n_rows)
        for column in table.columns
    ]


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
    if 1000 <= size < 10_000 and value == round(value):
        return f"{value:.0f}"  # years
    return f"{value:,.0f}" if 1000 <= size < 1e9 else f"{value:.4g}"


def show_weight(value: float, signed: bool = False, most: float = 1.0) -> str:
    """A weight of evidence or a shift of a prediction, in as many decimals as the largest beside it asks for.

    >>> show_weight(0.713), show_weight(-0.0042, signed=True), show_weight(0.0042)
    ('0.71', '0.00', '< 0.01')
    >>> show_weight(-1234567.0, signed=True, most=2e6), show_weight(0.00123, signed=True, most=0.004)
    ('-1,234,567', '+0.0012')
    """
    if abs(value) >= LARGE:
        return f"{value:{'+' if signed else ''}.3g}"
    places = int(np.clip(1 - np.floor(np.log10(most)), 0, 12)) if most < LARGE else 0
    places = max(places, 2) if most < 100 else places
    least = 0.5 * 10.0**-places
    if abs(value) < least:
        is_tiny = value != 0 and not signed
        return f"< {2 * least:.{places}f}" if is_tiny else f"{0:.{places}f}"
    return f"{value:{'+' if signed else ''},.{places}f}"


def show_factor(value: float, signed: bool = False, most: float = 1.0) -> str:
    """The factor of a rate, of which the logarithm is drawn.

    >>> show_factor(0.713, signed=True) == f"{TIMES_SIGN}2.04"
    True
    """
    return f"{TIMES_SIGN}{np.exp(value):.3g}"


def say_exposure(exposure: float) -> str:
    """What a rate was learnt from.

    >>> say_exposure(1234.56)
    'exposure 1,235'
    """
    return f"exposure {exposure:,.{1 if exposure < 100 else 0}f}"


def say_rows(count: float) -> str:
    """How many rows.

    >>> say_rows(1.0), say_rows(1234.0)
    ('1 row', '1,234 rows')
    """
    shown = f"{count:,.0f}"
    return f"{shown} row" if shown == "1" else f"{shown} rows"


def show_round(number: float) -> str:
    """A number for a narrow margin.

    >>> show_round(2.345), show_round(0.0123), show_round(-45_600.0)
    ('2.3', '0.012', '-46k')
    """
    size = abs(number)
    for least, unit, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if size >= least:
            return (
                f"{number / unit:.0f}{letter}"
                if size >= 10 * unit
                else f"{number / unit:.2g}{letter}"
            )
    return f"{number:.0f}" if size >= 100 else f"{number:.1f}" if size >= 1 else f"{number:.2g}"


def _describe_text(column: Column, n_rows: int) -> dict[str, Any]:
    indices, labels = column.labels()
    words = np.array([len(label.split()) for label in labels], np.float64)
    known = indices[indices >= 0]
    mean = words[known].mean() if len(known) else 0.0
    summary = f"{mean:.3g} word{'' if mean == 1 else 's'} on average" if len(known) else ""
    missing = int(n_rows - len(known))
    distinct = f"{len(labels):,}"
    named = {"name": column.name, "zone": None, "kind": "text", "missing": missing}
    return named | {"distinct": distinct, "summary": summary, "bars": []}


def _show_share(share: float) -> str:
    return f"{share:.0%}" if share >= LEAST_SHARE else "< 1%"


def _describe_labels(column: Column, n_rows: int) -> dict[str, Any]:
    indices, labels = column.labels()
    known = indices[indices >= 0]
    counts = np.bincount(known, minlength=len(labels))
    order = np.argsort(-counts, kind="stable")
    shown = shorten_names([labels[k] for k in order[:SHOWN_LABELS]], LABEL_LETTERS)
    shares = counts[order] / max(len(known), 1)
    top = [f"{text} ({_show_share(share)})" for text, share in zip(shown, shares, strict=False)]
    more = f" and {len(labels) - SHOWN_LABELS:,} more" if len(labels) > SHOWN_LABELS else ""
    return {
        "missing": int(n_rows - len(known)),
        "distinct": f"{len(labels):,}",
        "summary": ", ".join(top) + more,
        "bars": counts[order[:BARS]].tolist(),
    }
