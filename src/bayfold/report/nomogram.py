"""The model in the page: cells to change, and what it says of them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from bayfold.base.predicting import BasePredictor
from bayfold.core.frames import Column, Table
from bayfold.core.frames.times import local_time, name_zone
from bayfold.export import scorer_path
from bayfold.export.json import to_plain_dict
from bayfold.plot.texts import shorten_names
from bayfold.report.packing import keep_columns, pack_model

MOST_BYTES = 2_500_000
"""Of a model in a page, which should stay below five million bytes with all else it shows."""
MOST_INPUTS = 30
"""Cells that can be changed; all others are missing."""
LISTED = 300
"""Categories that can be chosen from."""
CLOCK_CELLS = 100
"""Times from which it is told whether a column holds days or moments."""
MENU_LETTERS = 40
"""Of a category in a menu."""
STEPS = 200
"""Steps of a slider at least."""


def describe_nomogram(model: Any, table: Table, order: list[str]) -> dict[str, Any] | None:
    """The model as the scorer in JavaScript reads it, and the cells to begin with; None where it has no such form."""
    plain = _find_plain(model)
    if plain is None:
        return None
    by_name = {column.name: column for column in table.columns if column.kind != "empty"}
    wanted = [name for name in [*order, *by_name] if name in by_name]
    chosen = list(dict.fromkeys(wanted))[:MOST_INPUTS]
    packed = pack_model(keep_columns(plain, chosen))
    while len(json.dumps(packed)) > MOST_BYTES and len(chosen) > 1:
        chosen = chosen[:-1]
        packed = pack_model(keep_columns(plain, chosen))
    if len(json.dumps(packed)) > MOST_BYTES:
        return None
    inputs = [_describe_input(by_name[name], table.n_rows) for name in chosen]
    return {
        "model": packed,
        "inputs": [each for each in inputs if each is not None],
        "n_columns": len(by_name),
        "scorer": scorer_path().read_text(encoding="utf-8"),
    }


def _find_plain(model: Any) -> dict[str, Any] | None:
    """The model as JSON has it, its classes as they are shown: a date is no value of JSON."""
    if not isinstance(model, BasePredictor):
        return None
    try:
        plain = model._plain_model()
    except NotImplementedError:  # no sum of terms
        return None
    if plain.classes is not None:
        plain = replace(plain, classes=[str(label) for label in model.classes_])
    return to_plain_dict(plain)


def _describe_input(column: Column, n_rows: int) -> dict[str, Any] | None:
    """What can be entered, and what to begin with: the median, or the most frequent category."""
    if column.kind == "nominal":
        indices, labels = column.labels()
        counts = np.bincount(indices[indices >= 0], minlength=len(labels))
        values = [labels[k] for k in np.argsort(-counts, kind="stable")[:LISTED]]
        return {
            "name": column.name,
            "zone": None,
            "values": values,
            "shown": shorten_names(values, MENU_LETTERS),
            "start": values[0] if values else None,
        }
    numbers = column.numbers(0, n_rows)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return None
    low, start, high = (float(value) for value in (known.min(), np.median(known), known.max()))
    whole = bool((known == np.floor(known)).all())
    return {
        "name": column.name,
        "least": low,
        "most": high,
        "step": 1.0 if whole else find_step(high - low),
        "start": float(np.floor(start)) if whole else start,
        "zone": None if column.zone is None else name_zone(column.zone),
        "has_clock": column.zone is not None and _has_clock(known, column.zone),
    }


def _has_clock(times: np.ndarray, zone: str) -> bool:
    """Whether some times are not the beginning of a day; of many, the first that are looked at decide."""
    return not all(
        local_time(time, zone).endswith("00:00:00") for time in times[:CLOCK_CELLS].tolist()
    )


def find_step(span: float) -> float:
    """A power of ten that makes some hundred steps of a range.

    >>> find_step(1.0), find_step(164_000.0)
    (0.001, 100.0)
    """
    return float(10.0 ** np.floor(np.log10(span / STEPS))) if span > 0 else 1.0
