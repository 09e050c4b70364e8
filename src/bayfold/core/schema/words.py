"""Schemas in a few words: what a column holds, not every edge of it."""

from __future__ import annotations

from collections.abc import Sequence

LISTED_COLUMNS = 8
"""Columns that are shown: as many as fit on a screen beside what was asked for."""

LISTED_CATEGORIES = 4
"""Categories that are shown: enough to recognise a column by."""


def list_shortly(items: Sequence[str], most: int) -> str:
    """The first items, and how many more there are.

    >>> list_shortly(["a", "b", "c", "d"], 2)
    'a, b, ... 2 more'
    """
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown}, ... {len(items) - most} more"
