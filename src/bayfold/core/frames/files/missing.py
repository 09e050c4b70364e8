"""Cells that stand for a missing one."""

from __future__ import annotations

from typing import Any


def without_missing(cells: Any, missing: tuple[str, ...]) -> Any:
    """The cells with null for those that spell a missing one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    spellings = pa.array([*{*missing, ""}], pa.string())
    gone = pc.is_in(pc.utf8_trim_whitespace(cells), value_set=spellings)
    return pc.if_else(gone, pa.scalar(None, pa.string()), cells)
