"""All that a report shows, as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_regressor

import bayfold
from bayfold import errors
from bayfold.base.estimator import find_changed
from bayfold.base.options import TableLike, VectorLike
from bayfold.core.frames import find_groups, find_numbers, read_table, read_vector
from bayfold.core.frames.concat import hold_rows, take_rows
from bayfold.core.schema.written import notations_of, read_written
from bayfold.report.against import describe_against, gather_edits, is_fixed
from bayfold.report.columns import describe_columns
from bayfold.report.evidence import gather_evidence
from bayfold.report.nomogram import describe_nomogram
from bayfold.report.quality import describe_target, judge_rows
from bayfold.report.rows import count_equal_rows, find_associations, sample_rows
from bayfold.report.structure import gather_clusters, gather_subclasses, gather_tree
from bayfold.report.surprises import describe_surprises

REPORT_FOLDS = 5
"""Folds of the scores in a report: enough to judge by, and five fits more than the one there is."""


def gather(
    model: BaseEstimator,
    X: TableLike,
    y: VectorLike | None = None,
    *,
    target: str = "target",
    source: str | None = None,
    sample_weight: VectorLike | None = None,
    groups: VectorLike | None = None,
    time: VectorLike | None = None,
    n_folds: int = REPORT_FOLDS,
    against: BaseEstimator | None = None,
) -> dict[str, Any]:
    """What a report says about a fitted model and its rows.

    Parameters
    ----------
    model : estimator
        Fitted to the rows.
    X : array-like or frame
    y : array-like, optional
        The target; rows without one are left out. None for clusters.
    target : str
        Its name.
    source : str, optional
        Where the rows come from.
    sample_weight, groups, time : array-like, optional
        As in ``fit``.
    n_folds : int, default=5
        Of the cross-validation; fewer where a class has fewer rows.
    against : estimator, optional
        Another fitted model, such as last month's: the report says what changed since.

    Returns
    -------
    report : dict
        Strings, numbers, lists and dicts only. ``quality``, ``evidence``, ``nomogram``, ``tree``, ``clusters``,
        ``subclasses``, ``edits`` and ``against`` are None where the model has none.
    """
    X = hold_rows(X)
    if y is None:
        if against is not None:
            raise errors.nothing_to_compare_against()
        return _describe_model(model, X, source) | {
            "title": f"Clusters of {read_table(X).n_rows:,} rows",
            "task": "clustering",
            "target": None,
            "quality": None,
            "surprises": [],
            "is_fixed": False,
            "edits": None,
            "against": None,
        }
    task = "regression" if is_regressor(model) else "classification"
    truth = read_vector(y)
    truth = find_numbers(truth) if task == "regression" else truth
    rows = _find_known(truth, task)
    per_row = {"sample_weight": sample_weight, "groups": groups, "time": time}
    per_row = {name: read_vector(v)[rows] for name, v in per_row.items() if v is not None}
    n_left_out = len(truth) - len(rows)
    if n_left_out:
        X = take_rows(X, rows)
        truth = truth[rows]
    fixed = is_fixed(model)
    judged = judge_rows(model, X, truth, task, per_row, 0 if fixed else n_folds)
    found = _describe_model(model, X, source)
    found["data"]["warnings"] = judged.warnings
    found["data"]["left_out"] = n_left_out
    sample = found["data"]["sample"]
    sample["rows"] = [int(rows[number - 1]) + 1 for number in sample["rows"]]
    weight = per_row.get("sample_weight")
    changes = None if against is None else describe_against(model, against, X, truth, weight)
    for moved in [] if changes is None else changes["moved"]:
        moved["row"] = int(rows[moved["row"] - 1]) + 1
    return found | {
        "title": f"{target} from {len(found['data']['columns'])} columns",
        "task": task,
        "target": describe_target(target, truth, task),
        "quality": judged.found,
        "is_fixed": fixed,
        "edits": gather_edits(model, X, truth, weight),
        "against": changes,
        "surprises": describe_surprises(model, X, truth, judged, rows),
    }


def _describe_model(model: Any, X: Any, source: str | None) -> dict[str, Any]:
    """What needs no target."""
    schema = getattr(model, "schema_", None)
    table = read_table(X)
    table = table if schema is None else read_written(table, notations_of(schema))
    names = [column.name for column in table.columns]
    is_mixture = not hasattr(model, "classes_") and not is_regressor(model)
    evidence = None if is_mixture else gather_evidence(model, X, names)
    order = [] if evidence is None else evidence["order"]
    return {
        "source": source,
        "version": bayfold.__version__,
        "model": {
            "name": type(model).__name__,
            "parameters": {name: repr(value) for name, value in find_changed(model).items()},
        },
        "data": {
            "rows": table.n_rows,
            "left_out": 0,
            "columns": describe_columns(table, _find_texts(model)),
            "sample": sample_rows(table),
            "n_equal": count_equal_rows(table),
            "associations": find_associations(table),
            "warnings": [],
        },
        "evidence": evidence,
        "nomogram": describe_nomogram(model, table, order),
        "tree": gather_tree(model),
        "clusters": gather_clusters(model),
        "subclasses": gather_subclasses(model),
    }


def _find_texts(model: Any) -> list[str]:
    """The columns that a model reads word by word."""
    columns = getattr(getattr(model, "schema_", None), "columns", ())
    return [column.name for column in columns if column.kind == "text"]


def _find_known(y: np.ndarray, task: str) -> np.ndarray:
    """The rows whose target is known."""
    known = np.isfinite(y) if task == "regression" else find_groups(y)[0] >= 0
    return np.flatnonzero(known)
