"""What a model says of rows, as columns to be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from bayfold import errors
from bayfold.cli.names import free_name


@dataclass(frozen=True)
class AnswerOptions:
    """What is wanted beside the prediction."""

    probabilities: bool = True
    interval: float = 0.0
    quantiles: str | None = None


def add_answers(
    model: Any, X: Any, taken: Sequence[str], options: AnswerOptions
) -> dict[str, np.ndarray]:
    """Columns of predictions, under names that no kept column has."""
    if is_regressor(model):
        found = {"prediction": model.predict(X), **_spread(model, X, options)}
    else:
        if options.quantiles is not None:
            raise errors.option_of_numbers("--quantiles")
        found = _classes(model, X, options)
    return {free_name(name, taken): column for name, column in found.items()}


def _classes(model: Any, X: Any, options: AnswerOptions) -> dict[str, np.ndarray]:
    found = {"prediction" if hasattr(model, "classes_") else "cluster": model.predict(X)}
    if not options.probabilities or not hasattr(model, "predict_proba"):
        return found
    probability = model.predict_proba(X)
    labels = getattr(model, "classes_", range(probability.shape[1]))
    return found | {f"probability_{c}": probability[:, k] for k, c in enumerate(labels)}


def _spread(model: Any, X: Any, options: AnswerOptions) -> dict[str, np.ndarray]:
    """Quantiles if they are asked for, otherwise the interval."""
    if options.quantiles is not None:
        wanted = _read_quantiles(options.quantiles)
        found = model.predict_quantiles(X, wanted)
        return {f"quantile_{q:g}": found[:, k] for k, q in enumerate(wanted)}
    if not options.interval:
        return {}
    bounds = model.predict_interval(X, coverage=options.interval)
    percent = f"{100 * options.interval:g}"
    return {f"lower_{percent}": bounds[:, 0], f"upper_{percent}": bounds[:, 1]}


def _read_quantiles(text: str) -> list[float]:
    try:
        wanted = [float(part) for part in text.split(",")]
    except ValueError:
        raise errors.bad_quantile_list(text) from None
    if not all(0 < q < 1 for q in wanted):
        raise errors.bad_quantile_list(text)
    return wanted
