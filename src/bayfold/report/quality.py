"""What a model is worth on rows it has not seen, beside what it must beat."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold.core.frames.take import take_rows
from bayfold.errors import DataWarning, UnseenCategoryWarning
from bayfold.evaluate.peers import make_peers
from bayfold.report.judged_classes import judge_classes
from bayfold.report.judged_numbers import judge_numbers

JUDGED_ROWS = 20_000
"""Rows a model is judged on: an error of a tenth is then known to within 0.2 points (one standard error)."""

JUDGES: dict[str, Callable[..., tuple[dict[str, Any], np.ndarray]]] = {
    "classification": judge_classes,
    "regression": judge_numbers,
}


@dataclass(frozen=True, eq=False)
class Judged:
    """What was found on held-out rows.

    Attributes
    ----------
    found : dict or None
        Scores and what is drawn of them; None where there are too few rows to hold some out.
    warnings : list of str
        What the fits said about the table.
    surprise : ndarray
        How little each judged row was expected: minus the log-probability or log-density of what came true.
    rows : ndarray of int
        Which rows were judged.
    """

    found: dict[str, Any] | None
    warnings: list[str]
    surprise: np.ndarray
    rows: np.ndarray


def judge_rows(model: Any, X: Any, y: np.ndarray, task: str, weight: Any, n_folds: int) -> Judged:
    """Cross-validate a model beside baselines, on a sample of the rows where there are many."""
    rows = _choose_rows(len(y))
    if len(rows) < len(y):
        X, y = take_rows(X, rows), y[rows]
        weight = None if weight is None else np.asarray(weight)[rows]
    folds = min(n_folds, _most_folds(y, task))
    if folds < 2:
        return Judged(None, [], np.empty(0), rows[:0])
    models = {"this model": model, **make_peers(task, 0, only_baselines=True)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found, surprise = JUDGES[task](models, X, y, weight, folds)
    told = [
        str(w.message)
        for w in caught
        # a category that a fold lacks is no news about the table
        if issubclass(w.category, DataWarning) and not issubclass(w.category, UnseenCategoryWarning)
    ]
    return Judged(
        {"folds": folds, "rows": len(rows), **found}, list(dict.fromkeys(told)), surprise, rows
    )


def _choose_rows(n_rows: int) -> np.ndarray:
    """All rows, or as many as are judged, drawn with a fixed seed: the same table has the same report."""
    if n_rows <= JUDGED_ROWS:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, JUDGED_ROWS, replace=False))


def _most_folds(y: np.ndarray, task: str) -> int:
    if task == "regression":
        return len(y)
    return int(np.unique(y.astype(str), return_counts=True)[1].max())
