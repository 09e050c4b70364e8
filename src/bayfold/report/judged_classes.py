"""Classifiers on held-out rows: scores, reliability, and which classes are taken for which."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold import evaluate
from bayfold.core.evidence import Records
from bayfold.core.frames import find_groups
from bayfold.plot.texts import shorten_names

CONFUSED = 12
"""A table of more classes than that is not read by anyone."""


def judge_classes(
    models: dict[str, Any], X: Any, y: np.ndarray, weight: Any, folds: int
) -> tuple[dict[str, Any], np.ndarray]:
    """Scores and pictures of the first model beside the others, and how surprising each row was to it."""
    result = evaluate.cross_validate(
        models, X, name_classes(y), n_repeats=1, n_folds=folds, sample_weight=weight
    )
    found = {
        "scores": as_rows(evaluate.summarise(result), ("model", "error", "log_loss")),
        "reliability": None,
        "confusion": _confuse(result),
    }
    if result.confidence is not None and np.isfinite(result.confidence[0]).all():
        found["reliability"] = _relate(result)
        return found, result.loss[0, 0]
    return found, (result.predicted[0, 0] != result.truth).astype(np.float64)


def name_classes(y: np.ndarray) -> np.ndarray:
    """The target as text where its classes are neither text nor numbers, such as dates: scikit-learn refuses those."""
    if y.dtype.kind != "O":
        return y
    codes, groups = find_groups(y)
    if all(isinstance(group, str | int | float | np.generic) for group in groups):
        return y
    return np.array([str(group) for group in groups], object)[codes]


def _relate(result: evaluate.CrossValidation) -> dict[str, Any]:
    """What was predicted against what came of it: of the second of two classes, or of the predicted one."""
    assert result.confidence is not None  # checked by the caller
    predicted, certain = result.predicted[0, 0], result.confidence[0, 0]
    if len(result.classes) == 2:
        p = np.clip(np.where(predicted == 1, certain, 1 - certain), 0.0, 1.0)
        came, of = (
            result.truth == 1,
            f"probability of {shorten_names([str(result.classes[1])], 24)[0]}",
        )
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


def as_rows(records: Records, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Some columns of records, one dict each."""
    return [{name: record[name] for name in names} for record in records]
