"""Cross-validation for either task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import errors, evaluate
from bayfold.cli.reading import Training
from bayfold.core.evidence import Records


@dataclass(frozen=True)
class Measures:
    """How models of a task are judged; ``main`` is what decides."""

    validate: Callable[..., Any]
    summarise: Callable[[Any], Records]
    by_fold: Callable[[Any], Records]
    main: str
    digits: Mapping[str, int]


MEASURES = {
    "classification": Measures(
        evaluate.cross_validate,
        evaluate.summarise,
        evaluate.score_folds,
        "log_loss",
        {"error": 4, "error_sd": 4, "log_loss": 4, "seconds": 3},
    ),
    "regression": Measures(
        evaluate.cross_validate_regressors,
        evaluate.summarise_regressors,
        evaluate.score_regressor_folds,
        "rmse",
        {"rmse": 4, "mae": 4, "r2": 3, "seconds": 3},
    ),
}


def judge(
    models: Mapping[str, Any], training: Training, n_folds: int, n_repeats: int, seed: int
) -> Any:
    """Every model on the same folds of the rows whose target is known."""
    known = training.with_known_target()
    check_enough_rows(known, n_folds)
    return MEASURES[training.task].validate(
        models,
        known.features,
        known.y,
        n_repeats=n_repeats,
        n_folds=n_folds,
        random_state=seed,
        sample_weight=known.weight,
    )


def check_enough_rows(training: Training, n_folds: int) -> None:
    """Refuse more folds than there are rows, or rows of the largest class."""
    if training.task == "regression":
        most = len(training.y)
    else:
        most = int(np.unique(training.y.astype(str), return_counts=True)[1].max())
    if most < n_folds:
        raise errors.too_few_rows_for_folds(most, n_folds, training.task)
