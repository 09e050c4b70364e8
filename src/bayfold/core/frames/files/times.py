"""Dates and times as people write them, where there is only one way to read them."""

from __future__ import annotations

from typing import Any

DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
ISO = rf"^{DATE}(?:{CLOCK})?$"
ISO_WITH_ZONE = rf"^{DATE}{CLOCK}(?:Z|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)$"
OTHER = (
    (r"^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}$", ("%d.%m.%Y",)),
    (r"^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"^[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}$", ("%Y/%m/%d",)),
)
"""Patterns with the orders of day, month and year they may stand for."""


def parse_times(cells: Any) -> Any:
    """Cells as timestamps, or None if they are no dates or could be two different ones."""
    from bayfold.core.frames.files.numbers import all_match

    if all_match(cells, ISO):
        return _cast(cells, None)
    if all_match(cells, ISO_WITH_ZONE):
        return _cast(cells, "UTC")
    for pattern, orders in OTHER:
        if all_match(cells, pattern):
            read = [_strptime(cells, order) for order in orders]
            fitting = [times for times in read if times.null_count == cells.null_count]
            return fitting[0] if len(fitting) == 1 else None
    return None


def _cast(cells: Any, zone: str | None) -> Any:
    import pyarrow as pa

    try:
        return cells.cast(pa.timestamp("us", zone))
    except pa.ArrowInvalid:  # a 30th of February
        return None


def _strptime(cells: Any, order: str) -> Any:
    import pyarrow.compute as pc

    return pc.strptime(cells, order, "s", error_is_null=True)
