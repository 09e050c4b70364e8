"""What changed in a model: by hand, and since another model of the same table.

Of the other model: parameters, columns, scores, and the rows whose answer moved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from bayfold import errors
from bayfold.base.collapsed import CollapsedClassifier
from bayfold.base.estimator import TableEstimator, find_changed
from bayfold.core.frames import Table, read_table
from bayfold.core.frames.concat import take_rows
from bayfold.evaluate import compare_edits
from bayfold.evaluate.edits import judge_on_rows
from bayfold.families.boosting.numbers.answers import CollapsedRegressor
from bayfold.report.columns import show_number
from bayfold.report.evidence import EXPLAINED_ROWS, find_row_evidence, mean_effects


def is_fixed(model: Any) -> bool:
    """Whether another fit would not make this model: it was edited, or has forgotten its rounds."""
    return isinstance(model, CollapsedClassifier | CollapsedRegressor) or has_edits(model)


def has_edits(model: Any) -> bool:
    """Whether people changed the fitted model by hand."""
    return isinstance(model, TableEstimator) and bool(model._find_edits())


def gather_edits(model: Any, X: Any, y: Any, weight: Any) -> dict[str, Any] | None:
    """The edits one by one, and the scores of some rows after each; None where there are none."""
    if not has_edits(model):
        return None
    steps = compare_edits(model, X, y, weight)
    measures = [n for n in steps.names if n not in ("edit", "action", "reason")]
    return {"measures": measures, "steps": list(steps), "records": list(model.edits_)}


MOVED_ROWS = 5
"""Rows that are listed: those whose answer moved most."""
CHANGED_COLUMNS = 15
"""Columns that are listed: those whose mean effect changed most."""


def describe_against(model: Any, other: Any, X: Any, y: np.ndarray, weight: Any) -> dict[str, Any]:
    """What changed from another model to this one, as plain data.

    Scores are those of the rows given, which either model may have been fitted to.
    """
    if is_regressor(model) != is_regressor(other) or not hasattr(other, "predict"):
        raise errors.other_kind_of_model(type(model).__name__, type(other).__name__)
    seen = _rows_for(other, X)
    scores = [
        {"model": name, **judge_on_rows(each, rows, y, weight)[0]}
        for name, each, rows in (("this model", model, X), ("the other model", other, seen))
    ]
    after = _name_columns(model)
    before = _name_columns(other)
    return {
        "name": type(other).__name__,
        "parameters": _compare_parameters(other, model),
        "gone": [name for name in before if name not in after],
        "new": [name for name in after if name not in before],
        "measures": [name for name in scores[0] if name != "model"],
        "scores": scores,
        "columns": _compare_effects(other, seen, model, X),
        **_compare_answers(other, seen, model, X, y),
    }


def _name_columns(model: Any) -> list[str]:
    return [str(name) for name in getattr(model, "feature_names_in_", ())]


def _rows_for(other: Any, X: Any) -> Table:
    """The rows as the other model reads them: the columns it was fitted to, by name."""
    table = read_table(X)
    wanted = _name_columns(other)
    if not wanted or table.names is None:
        return table
    by_name = dict(zip(table.names, table.columns, strict=True))
    missing = [name for name in wanted if name not in by_name]
    if missing:
        raise errors.columns_of_the_other_model(missing)
    columns = tuple(by_name[name] for name in wanted)
    return replace(table, columns=columns, names=tuple(wanted), matrix=None, numbers_as_names=None)


def _compare_parameters(other: Any, model: Any) -> list[dict[str, str]]:
    """The parameters that differ, as they would be typed; those at their default are left out by both."""
    before = {name: repr(value) for name, value in find_changed(other).items()}
    after = {name: repr(value) for name, value in find_changed(model).items()}
    return [
        {"name": name, "before": before.get(name, "default"), "after": after.get(name, "default")}
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    ]


def _compare_effects(other: Any, seen: Table, model: Any, X: Any) -> list[dict[str, Any]]:
    """The mean absolute effect of each column on some rows, in both models."""
    rows = np.arange(min(EXPLAINED_ROWS, seen.n_rows))
    old = find_row_evidence(other, seen.take(rows))
    new = find_row_evidence(model, take_rows(X, rows))
    if old is None or new is None or old.measure != new.measure:
        return []
    before = mean_effects(old)
    after = mean_effects(new)
    names = dict.fromkeys([*before, *after])
    changes = {name: abs(after.get(name, 0.0) - before.get(name, 0.0)) for name in names}
    order = sorted((name for name in names if changes[name] > 0), key=lambda name: -changes[name])
    return [
        {"name": name, "before": before.get(name, 0.0), "after": after.get(name, 0.0)}
        for name in order[:CHANGED_COLUMNS]
    ]


def _compare_answers(other: Any, seen: Table, model: Any, X: Any, y: np.ndarray) -> dict[str, Any]:
    """How many answers differ, and the rows that moved most."""
    before = other.predict(seen)
    after = model.predict(X)
    if is_regressor(model):
        moved = np.abs(after - before)
        shown = [[show_number(float(x)) for x in each] for each in (before, after, y)]
        differ = float(np.mean(moved))
    else:
        moved = _move_probabilities(other, seen, model, X)
        moved = (before != after).astype(np.float64) if moved is None else moved
        shown = [[str(x) for x in each] for each in (before, after, y)]
        differ = float(np.mean(before.astype(str) != after.astype(str)))
    order = [k for k in np.argsort(-moved, kind="stable")[:MOVED_ROWS] if moved[k] > 0]
    rows = [
        {
            "row": int(k) + 1,
            "before": shown[0][k],
            "after": shown[1][k],
            "truth": shown[2][k],
            "moved": float(moved[k]),
        }
        for k in order
    ]
    return {"differ": differ, "moved": rows}


def _move_probabilities(other: Any, seen: Table, model: Any, X: Any) -> np.ndarray | None:
    """By how much probability moves between classes, row by row; None where a model has none."""
    if not (hasattr(model, "predict_proba") and hasattr(other, "predict_proba")):
        return None
    classes = list(dict.fromkeys([*map(str, other.classes_), *map(str, model.classes_)]))
    tables = []
    for each, rows in ((other, seen), (model, X)):
        wide = np.zeros((seen.n_rows, len(classes)))
        wide[:, [classes.index(str(label)) for label in each.classes_]] = each.predict_proba(rows)
        tables.append(wide)
    return np.abs(tables[1] - tables[0]).sum(axis=1) / 2
