"""Regressors on held-out rows: errors, predictions against the truth, and whether intervals hold what they promise."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold import evaluate
from bayfold.core.frames import find_numbers
from bayfold.report.judged_classes import as_rows

MOST_POINTS = 800
"""Points of a scatter plot: more are a cloud, and a page of megabytes."""


def judge_numbers(
    models: dict[str, Any], X: Any, y: np.ndarray, weight: Any, folds: int
) -> tuple[dict[str, Any], np.ndarray]:
    """Scores and pictures of the first model beside the others, and how surprising each row was to it."""
    result = evaluate.cross_validate_regressors(
        models, X, y, n_repeats=1, n_folds=folds, sample_weight=weight
    )
    predicted = result.predicted[0, 0]
    rows = np.arange(len(result.truth))
    if len(rows) > MOST_POINTS:
        rows = rows[:: len(rows) // MOST_POINTS + 1]
    found = {
        "scores": as_rows(evaluate.summarise_regressors(result), ("model", "rmse", "mae", "r2")),
        "points": {"truth": result.truth[rows].tolist(), "predicted": predicted[rows].tolist()},
        "coverage": None,
    }
    model = next(iter(models.values()))
    if not hasattr(model, "predict_distribution"):
        return found, np.abs(result.truth - predicted)
    held_out = evaluate.cross_validate_distributions(
        model, X, find_numbers(y), n_folds=folds, sample_weight=weight
    )
    found["coverage"] = as_rows(evaluate.find_coverage(held_out), ("promised", "observed", "width"))
    return found, -held_out.log_density
