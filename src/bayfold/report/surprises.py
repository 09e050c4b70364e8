"""The rows a model did not expect, and what it went by."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from bayfold.core.evidence import Records
from bayfold.core.frames.concat import take_rows
from bayfold.report.columns import show_number
from bayfold.report.evidence import find_row_evidence
from bayfold.report.quality import Judged

SURPRISING_ROWS = 6
"""Rows that are shown: one screen."""
WORTH_SHOWING = -np.log(0.9)
"""Minus the log-probability of the truth: what was given nine in ten or more is no surprise."""
SHOWN_CELLS = 8
"""Cells of a row, those that count most."""


def describe_surprises(
    model: Any, X: Any, y: np.ndarray, judged: Judged, row_of: np.ndarray
) -> list[dict[str, Any]]:
    """The judged rows that were expected least, each with the cells that speak loudest in it.

    ``row_of`` says which row of the user's table each row of X is.
    """
    order = np.argsort(-judged.surprise, kind="stable")[:SURPRISING_ROWS]
    tell = _describe_number if is_regressor(model) else _describe_class
    return [
        {"row": int(row_of[judged.rows[k]]) + 1, **tell(model, X, y, judged, int(k))}
        for k in order
        if is_regressor(model) or judged.surprise[k] > WORTH_SHOWING
    ]


def _describe_class(model: Any, X: Any, y: np.ndarray, judged: Judged, k: int) -> dict[str, Any]:
    row = take_rows(X, judged.rows[[k]])
    truth = y[judged.rows[k]]
    predicted = model.predict(row)[0]
    found = {
        "truth": str(truth),
        "predicted": str(predicted),
        "chance": float(np.exp(-judged.surprise[k])) if hasattr(model, "predict_proba") else None,
    }
    records = _explain(model, row)
    if records is None:
        return found | {"cells": [], "sides": []}
    if len(model.classes_) == 2:
        first, second = (str(each) for each in model.classes_)
        return found | {
            "sides": [first, second],
            "cells": _cells(records, records[records.measure]),
        }
    other = predicted if predicted != truth else _runner_up(model, row, truth)
    ours, theirs = (records[records["class"] == each] for each in (truth, other))
    difference = ours[ours.measure] - theirs[theirs.measure]
    return found | {"sides": [str(other), str(truth)], "cells": _cells(ours, difference)}


def _runner_up(model: Any, row: Any, truth: Any) -> Any:
    """The class that comes closest to the true one, where that one is predicted."""
    order = np.argsort(-model.predict_proba(row)[0], kind="stable")
    return next(model.classes_[k] for k in order if model.classes_[k] != truth)


def _describe_number(model: Any, X: Any, y: np.ndarray, judged: Judged, k: int) -> dict[str, Any]:
    row = take_rows(X, judged.rows[[k]])
    records = _explain(model, row)
    return {
        "truth": show_number(y[judged.rows[k]]),
        "predicted": show_number(float(model.predict(row)[0])),
        "chance": None,
        "sides": ["less", "more"],
        "cells": [] if records is None else _cells(records, records.effects),
        "is_factor": records is not None and records.measure == "factor",
    }


def _explain(model: Any, row: Any) -> Records | None:
    """The records of one row, in the leaf it belongs to most; None where a model does not explain rows."""
    records = find_row_evidence(model, row)
    if records is None or "share" not in records.names:
        return records
    return records[records["path"] == records["path"][np.argmax(records["share"])]]


def _cells(records: Records, sizes: np.ndarray) -> list[dict[str, Any]]:
    """The cells that count most, largest first, and the sum of all others."""
    sizes = np.nan_to_num(sizes.astype(np.float64))
    is_cell = (records["column"] != "(prior)") & (sizes != 0)
    order = [k for k in np.argsort(-np.abs(sizes), kind="stable") if is_cell[k]]
    shown = [
        {
            "name": str(records["column"][k]),
            "value": "(missing)" if records["value"][k] is None else str(records["value"][k]),
            "size": float(sizes[k]),
        }
        for k in order[:SHOWN_CELLS]
    ]
    rest = float(sizes[order[SHOWN_CELLS:]].sum())
    more = len(order) - SHOWN_CELLS
    return shown + ([{"name": f"{more} others", "value": "", "size": rest}] if more > 0 else [])
