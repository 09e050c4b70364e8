"""What a model is worth on rows it has not seen, beside what it must beat."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from bayfold import evaluate
from bayfold.errors import DataWarning, UnseenCategoryWarning
from bayfold.evaluate.peers import make_peers

MOST_POINTS = 800
"""Points of a scatter plot: more are a cloud, and a page of megabytes."""
CONFUSED = 12
"""A table of more classes than that is not read by anyone."""


def describe_quality(
    model: Any, X: Any, y: np.ndarray, task: str, weight: Any, n_folds: int
) -> tuple[dict[str, Any] | None, list[str]]:
    """Scores, and a reliability diagram or predictions against the truth; with the warnings of the fits.

    None where there are too few rows to hold some out.
    """
    folds = min(n_folds, _most_folds(y, task))
    if folds < 2:
        return None, []
    models = {"this model": model, **make_peers(task, 0, only_baselines=True)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if task == "regression":
            found = _judge_numbers(models, X, y, weight, folds)
        else:
            found = _judge_classes(models, X, y, weight, folds)
    told = [
        str(w.message)
        for w in caught
        # a category that a fold lacks is no news about the table
        if issubclass(w.category, DataWarning) and not issubclass(w.category, UnseenCategoryWarning)
    ]
    return {"folds": folds, **found}, list(dict.fromkeys(told))


def _most_folds(y: np.ndarray, task: str) -> int:
    if task == "regression":
        return len(y)
    return int(np.unique(y.astype(str), return_counts=True)[1].max())


def _judge_classes(
    models: dict[str, Any], X: Any, y: np.ndarray, weight: Any, folds: int
) -> dict[str, Any]:
    result = evaluate.cross_validate(models, X, y, n_repeats=1, n_folds=folds, sample_weight=weight)
    scores = evaluate.summarise(result)
    found = {
        "scores": _rows(scores, ("model", "error", "log_loss")),
        "reliability": None,
        "confusion": _confuse(result),
    }
    if result.confidence is not None and np.isfinite(result.confidence[0]).all():
        found["reliability"] = _relate(result)
    return found


def _relate(result: evaluate.CrossValidation) -> dict[str, Any]:
    """What was predicted against what came of it: of the second of two classes, or of the predicted one."""
    assert result.confidence is not None  # checked by the caller
    predicted, certain = result.predicted[0, 0], result.confidence[0, 0]
    if len(result.classes) == 2:
        p = np.clip(np.where(predicted == 1, certain, 1 - certain), 0.0, 1.0)
        came, of = result.truth == 1, f"probability of {result.classes[1]}"
    else:
        p, came, of = certain, predicted == result.truth, "probability of the predicted class"
    bins = evaluate.find_reliability(came, np.clip(p, 0.0, 1.0), 10, classes=[False, True])
    low, high = bins.interval()
    return {
        "of": of,
        "error": bins.error,
        "predicted": bins.predicted.tolist(),
        "observed": bins.observed.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "count": bins.count.tolist(),
    }


def _confuse(result: evaluate.CrossValidation) -> dict[str, Any] | None:
    n = len(result.classes)
    if n > CONFUSED:
        return None
    counts = np.zeros((n, n), np.int64)
    np.add.at(counts, (result.truth, result.predicted[0, 0]), 1)
    return {"classes": [str(c) for c in result.classes], "counts": counts.tolist()}


def _judge_numbers(
    models: dict[str, Any], X: Any, y: np.ndarray, weight: Any, folds: int
) -> dict[str, Any]:
    result = evaluate.cross_validate_regressors(
        models, X, y, n_repeats=1, n_folds=folds, sample_weight=weight
    )
    scores = evaluate.summarise_regressors(result)
    rows = np.arange(len(result.truth))
    if len(rows) > MOST_POINTS:
        rows = rows[:: len(rows) // MOST_POINTS + 1]
    return {
        "scores": _rows(scores, ("model", "rmse", "mae", "r2")),
        "points": {
            "truth": result.truth[rows].tolist(),
            "predicted": result.predicted[0, 0][rows].tolist(),
        },
    }


def _rows(records: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    columns = records.to_dict()
    return [{name: columns[name][k] for name in names} for k in range(len(records))]
