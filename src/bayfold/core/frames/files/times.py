"""Dates and times as people write them, where there is only one way to read them."""

from __future__ import annotations

from typing import Any

DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
ISO = rf"^{DATE}(?:{CLOCK})?$"
ISO_WITH_ZONE = rf"^{DATE}{CLOCK}(?:Z|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)$"
ISO_FORMATS = {"iso": (ISO, None), "iso with zone": (ISO_WITH_ZONE, "UTC")}
"""Patterns, and the zone of what they match."""
OTHER = (
    (r"^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}$", ("%d.%m.%Y",)),
    (r"^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"^[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}$", ("%Y/%m/%d",)),
)
"""Patterns with the orders of day, month and year they may stand for."""


def parse_times(cells: Any) -> Any:
    """Cells as timestamps, or None if they are no dates or could be two different ones."""
    form = find_time_format(cells)
    return None if form is None else read_times(cells, form)


def find_time_format(cells: Any) -> str | None:
    """How all cells are times: one of ``ISO_FORMATS`` or an order of day, month and year; None if they are not."""
    from bayfold.core.frames.files.numbers import all_match

    for form, (pattern, _) in ISO_FORMATS.items():
        if all_match(cells, pattern):
            return form if read_times(cells, form) is not None else None
    for pattern, orders in OTHER:
        if all_match(cells, pattern):
            fitting = [order for order in orders if read_times(cells, order) is not None]
            return fitting[0] if len(fitting) == 1 else None
    return None


def read_times(cells: Any, form: str) -> Any:
    """Cells of a known format as timestamps, or None if one of them is no such time."""
    import pyarrow as pa

    if form not in ISO_FORMATS:
        times = _strptime(cells, form)
        return times if times.null_count == cells.null_count else None
    try:
        return cells.cast(pa.timestamp("us", ISO_FORMATS[form][1]))
    except pa.ArrowInvalid:  # a 30th of February
        return None


def _strptime(cells: Any, order: str) -> Any:
    import pyarrow.compute as pc

    return pc.strptime(cells, order, "s", error_is_null=True)
