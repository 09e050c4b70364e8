"""A model small enough for a page: only the columns that can be changed, and tables as whole numbers.

A table of doubles takes twenty characters a number as text. As 32-bit multiples of a unit it takes a quarter of that,
and no weight is off by more than half a unit: 5e-9 where the largest is 20.
"""

from __future__ import annotations

import base64
from collections.abc import Collection
from typing import Any

import numpy as np

LARGEST = 2**31 - 1
"""Of a signed number of 32 bits."""
KEPT_CODES = 2
"""Missing and unseen: all that a column has that nobody can change."""


def keep_columns(model: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    """The model as JSON has it, with the other columns as they count when missing; the same scores for such rows."""
    dropped = {j for j, column in enumerate(model["columns"]) if column["name"] not in names}
    columns = [
        _shorten(column) if j in dropped else column for j, column in enumerate(model["columns"])
    ]
    pairs = [
        pair | {"merges": [_cut(merge, j in dropped) for j, merge in _sides(pair)]}
        for pair in model["pairs"]
        if not dropped.issuperset(pair["columns"]) or _says_something(pair)
    ]
    return model | {"columns": columns, "pairs": pairs}


def _sides(pair: dict[str, Any]) -> zip:
    return zip(pair["columns"], pair["merges"], strict=True)


def _cut(merge: list[int], is_dropped: bool) -> list[int]:
    return merge[:KEPT_CODES] if is_dropped else merge


def _says_something(pair: dict[str, Any]) -> bool:
    """Whether two missing cells together change a score."""
    cell = pair["table"]
    for merge in pair["merges"]:
        cell = cell[merge[0]]
    return any(value != 0 for value in cell)


def _shorten(column: dict[str, Any]) -> dict[str, Any]:
    """A column whose cells are all missing."""
    if "parabola" in column:
        return column  # four short lists already
    empty = {"categories": [], "numbers": [], "other": False}
    table = {"kind": "category", "table": column["table"][:KEPT_CODES]}
    return {"name": column["name"]} | empty | table


def pack_model(model: dict[str, Any]) -> dict[str, Any]:
    """The same with its tables packed."""
    return model | {
        "columns": [_pack_field(column, "table") for column in model["columns"]],
        "pairs": [_pack_field(pair, "table") for pair in model["pairs"]],
    }


def _pack_field(part: dict[str, Any], name: str) -> dict[str, Any]:
    return part | {name: pack_table(part[name])} if name in part else part


def pack_table(table: list[list[Any]]) -> Any:
    """A nested list of numbers as shape, unit and the multiples of it in base 64; as it is where one is infinite."""
    numbers = np.array(table, object)
    if any(isinstance(value, str) for value in numbers.flat):
        return table
    numbers = numbers.astype(np.float64)
    unit = float(np.abs(numbers).max(initial=0.0)) / LARGEST or 1.0
    multiples = np.rint(numbers / unit).astype("<i4")
    return {
        "shape": list(numbers.shape),
        "unit": unit,
        "packed": base64.b64encode(multiples.tobytes()).decode("ascii"),
    }
