"""How well boosted tables of a number predicted the rows that their models left out."""

from __future__ import annotations

import numpy as np

from bayfold.core.scoring.quality import HeldOutScore
from bayfold.families.boosting.number_model import NumberPredictor
from bayfold.families.boosting.settings import HOW_LEFT_OUT


def judge_left_out(
    predictor: NumberPredictor,
    places: np.ndarray,
    off: np.ndarray,
    log_spread: np.ndarray,
    weights: np.ndarray,
) -> HeldOutScore:
    """The error of means in the unit of the target, beside that of predicting the mean of these rows.

    Parameters
    ----------
    predictor : NumberPredictor
    places : ndarray
        Where the targets of these rows, and of others behind them, lie on the scale.
    off : ndarray of shape (n_rows,)
        By how much they lie above the location that the models predicted.
    log_spread : ndarray of shape (n_rows,)
        As other models predicted it.
    weights : ndarray of shape (n_rows,)
    """
    places = places[: len(off)]
    means = predictor.read_means(np.stack([places - off, log_spread], axis=1))
    target = predictor.scale.to_target(places)
    unit = float(np.abs(predictor.scale.values).max()) or 1.0  # squares of it may be too large
    means, target = means / unit, target / unit
    total = float(weights.sum())
    share = weights / total
    found = {"rmse": unit * float(np.sqrt(share @ (target - means) ** 2))}
    prior = {"rmse": unit * float(np.sqrt(share @ (target - share @ target) ** 2))}
    return HeldOutScore(HOW_LEFT_OUT, total, found, prior)
