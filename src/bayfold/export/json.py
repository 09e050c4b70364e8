"""A model as JSON. The format is described in docs/exports.md; ``scorer.js`` beside this file reads it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from bayfold.core.densities.terms import CodedForm, Line, ParabolaForm
from bayfold.core.scoring.distribution import pad_grid
from bayfold.export.plain import PlainColumn, PlainModel, PlainPair, PlainScale, check_classes

FORMAT = "bayfold-scorer"
VERSION = 1
VERSION_OF_THREE = 2
"""Of the format: raised when a scorer that reads this one would misread the next. Tables of three columns are new."""

CLASSES = "strings, booleans or numbers within 2**53"
LARGEST_WHOLE = 2.0**53
"""JavaScript reads numbers as doubles, so larger classes would become one."""


def write_json(model: PlainModel) -> str:
    """The model as text; numbers have all their digits."""
    return json.dumps(to_plain_dict(model), ensure_ascii=False, allow_nan=False)


def to_plain_dict(model: PlainModel) -> dict[str, Any]:
    """The model as dicts, lists, strings and numbers."""
    described: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION_OF_THREE if any(len(p.columns) > 2 for p in model.pairs) else VERSION,
        "columns": [_describe_column(column) for column in model.columns],
        "pairs": [_describe_pair(pair) for pair in model.pairs],
        "intercept": _numbers(model.intercept),
    }
    if model.edits is not None:
        described["edits"] = [
            {name: None if value != value else value for name, value in record.items()}
            for record in model.edits
        ]
    if model.scale is not None:
        return described | {
            "scale": _describe_scale(model.scale),
            "statistic": model.statistic,
        }
    if model.is_rate:
        return described | {"link": "log"}
    if model.grid is None:
        assert model.classes is not None
        check_classes(model.classes, "JSON", CLASSES, LARGEST_WHOLE)
        return described | {"classes": model.classes, "prior": _numbers(model.prior)}
    ends = _numbers(pad_grid(model.grid))
    described |= {"grid": _numbers(model.grid), "ends": ends, "statistic": model.statistic}
    if model.correction is None:
        return described
    pairs = np.stack([model.correction.knots, model.correction.levels])
    return described | {"correction": _numbers(pairs)}


SCALE_ARRAYS = ("values", "places", "nodes", "levels", "points", "shares", "spreads", "table")
"""What a scale holds as lists of numbers."""


def _describe_scale(scale: PlainScale) -> dict[str, Any]:
    arrays = {name: _numbers(getattr(scale, name)) for name in SCALE_ARRAYS}
    cells = None if scale.cells is None else _numbers(scale.cells)
    numbers = {
        name: getattr(scale, name) for name in ("least_level", "shape_width", "low", "per_step")
    }
    return arrays | numbers | {"cells": cells}


def _describe_column(column: PlainColumn) -> dict[str, Any]:
    kind = "category" if column.categories is not None else "time" if column.is_time else "number"
    described: dict[str, Any] = {"name": column.name, "kind": kind}
    if column.categories is not None:
        code_of = column.code_of
        described |= {"categories": list(code_of), "other": column.has_other}
        described |= {"numbers": column.numbers}
        if column.members:
            described["codes"] = list(code_of.values())
    if column.special:
        described["special"] = [list(pair) for pair in column.special_codes.items()]
    form = column.form
    if isinstance(form, ParabolaForm):
        names = ("mean", "inverse_sd", "constant", "missing")
        return described | {"parabola": {name: _numbers(getattr(form, name)) for name in names}}
    return described | _describe_form(form)


def _describe_form(form: CodedForm) -> dict[str, Any]:
    described: dict[str, Any] = {"table": _numbers(form.table)}
    if form.edges is not None:
        described["edges"] = _numbers(form.edges)
    if isinstance(form.line, Line):
        names = ("origins", "slopes", "offsets", "rises")
        described["line"] = {name: _numbers(getattr(form.line, name)) for name in names}
    return described


def _describe_pair(pair: PlainPair) -> dict[str, Any]:
    return {
        "columns": list(pair.columns),
        "merges": [merge.tolist() for merge in pair.merges],
        "table": _numbers(pair.table),
    }


def _numbers(array: np.ndarray) -> Any:
    """Nested lists; JSON has no infinity, which is a word here."""
    if np.isfinite(array).all():
        return array.tolist()
    if array.ndim > 1:
        return [_numbers(row) for row in array]
    words = {np.inf: "Infinity", -np.inf: "-Infinity"}
    return [words.get(value, value) for value in array.tolist()]
