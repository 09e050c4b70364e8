"""The model in the page: cells to change, and what it says of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from bayfold.core.frames import Column, Table
from bayfold.export import scorer_path

MOST_BYTES = 3_000_000
"""Of a model in a page; the largest of a table of twenty columns take two million."""
MOST_INPUTS = 30
"""Cells that can be changed; all others are missing, which says nothing."""
LISTED = 300
"""Categories that can be chosen from."""


def describe_nomogram(model: Any, table: Table, order: list[str]) -> dict[str, Any] | None:
    """The model as the scorer in JavaScript reads it, and the cells to begin with; None where it has no such form."""
    if not hasattr(model, "to_json"):
        return None
    try:
        text = model.to_json()
    except NotImplementedError:  # no sum of terms
        return None
    if len(text) > MOST_BYTES:
        return None
    by_name = {column.name: column for column in table.columns if column.kind != "empty"}
    names = [name for name in [*order, *by_name] if name in by_name]
    chosen = list(dict.fromkeys(names))[:MOST_INPUTS]
    inputs = [_describe_input(by_name[name], table.n_rows) for name in chosen]
    return {
        "model": json.loads(text),
        "inputs": [each for each in inputs if each is not None],
        "scorer": scorer_path().read_text(encoding="utf-8"),
    }


def _describe_input(column: Column, n_rows: int) -> dict[str, Any] | None:
    """What can be entered, and what to begin with: the median, or the most frequent category."""
    if column.kind == "nominal":
        indices, labels = column.labels()
        counts = np.bincount(indices[indices >= 0], minlength=len(labels))
        values = [labels[k] for k in np.argsort(-counts, kind="stable")[:LISTED]]
        return {"name": column.name, "values": values, "start": values[0] if values else None}
    numbers = column.numbers(0, n_rows)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return None
    low, start, high = (float(value) for value in np.quantile(known, [0, 0.5, 1]))
    whole = bool((known == np.floor(known)).all())
    return {
        "name": column.name,
        "least": low,
        "most": high,
        "step": 1 if whole else (high - low) / 500 or 1,
        "start": float(np.floor(start)) if whole else start,
        "is_time": column.is_time,
    }
