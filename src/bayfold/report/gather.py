"""All that a report shows, as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

import bayfold
from bayfold.core.frames import read_table
from bayfold.report.columns import describe_columns
from bayfold.report.evidence import gather_evidence
from bayfold.report.nomogram import describe_nomogram
from bayfold.report.quality import describe_quality
from bayfold.report.targets import describe_target

REPORT_FOLDS = 5
"""Folds of the scores in a report: enough to judge by, and five fits more than the one there is."""


def gather(
    model: Any,
    X: Any,
    y: Any,
    *,
    target: str = "target",
    source: str | None = None,
    sample_weight: Any = None,
    n_folds: int = REPORT_FOLDS,
) -> dict[str, Any]:
    """What is to be told about a fitted model and its rows.

    Parameters
    ----------
    model : estimator
        Fitted to the rows.
    X : array-like or frame
    y : array-like
        The target, known in all rows.
    target : str
        Its name.
    source : str, optional
        Where the rows come from.
    sample_weight : array-like, optional
    n_folds : int, default=5
        Of the cross-validation; fewer where a class has fewer rows.

    Returns
    -------
    report : dict
        With ``title``, ``model``, ``data``, ``target``, ``quality``, ``evidence`` and ``nomogram``; strings, numbers,
        lists and dicts only.
    """
    table, truth = read_table(X), np.asarray(y)
    task = "regression" if is_regressor(model) else "classification"
    default = type(model)().get_params(deep=False)
    given = model.get_params(deep=False)
    quality, warnings = describe_quality(model, X, truth, task, sample_weight, n_folds)
    evidence = gather_evidence(model, X)
    order = [] if evidence is None else [column["name"] for column in evidence["columns"]]
    return {
        "title": f"{target} from {len(table.columns)} columns",
        "source": source,
        "version": bayfold.__version__,
        "task": task,
        "model": {
            "name": type(model).__name__,
            "parameters": {n: repr(v) for n, v in given.items() if repr(v) != repr(default[n])},
        },
        "data": {"rows": table.n_rows, "columns": describe_columns(table), "warnings": warnings},
        "target": describe_target(target, truth, task),
        "quality": quality,
        "evidence": evidence,
        "nomogram": describe_nomogram(model, table, order),
    }
