"""How far the probabilities of classes are believed: as far as those of rows left out were right."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax

from bayfold.core.scoring import centre_groups
from bayfold.core.scoring.score_scale import ScoreScale, fit_score_scale
from bayfold.families.decomposition.search import DealtByClass, hold_out
from bayfold.families.decomposition.splitter import Splitter

CALIBRATION_FOLDS = 3
"""Where no search needs folds: each model knows two thirds of the rows, and fitting takes three times as long."""

ADDED_PROBABILITY = 1e-6
"""Added to all probabilities before their logarithm: classifiers that count neighbours or leaves say zero."""


def find_class_scale(
    splitter: Splitter, dealt: DealtByClass, numbers: list[Any], seed: int
) -> ScoreScale | None:
    """The scale on which the estimator's probabilities of rows left out are most likely; None if no row was left out.

    Parameters
    ----------
    splitter : Splitter
    dealt : DealtByClass
        Copies of a row are in one fold, and count as ``share`` says: they confirm a probability but once.
    numbers : list
        What the clusterer is asked for in each class.
    seed : int
    """
    probability = hold_out(splitter, splitter.estimator, dealt, numbers, seed)
    is_known = probability.any(axis=1)
    if not is_known.any():
        return None
    group_of = splitter.rows.group_of[is_known]
    weights = dealt.share * splitter.weights[is_known]
    n_groups = len(splitter.rows.groups)
    n_units = float((splitter.weights / dealt.unit_weights)[is_known].sum())
    scores = _find_log_odds(probability[is_known])
    return fit_score_scale(scores, group_of, weights, n_groups, n_units=n_units)


def rescale(probability: np.ndarray, scale: ScoreScale | None) -> np.ndarray:
    """Probabilities of classes on the scale of held-out rows; as they are without one."""
    if scale is None:
        return probability
    scores = scale.apply(_find_log_odds(probability))
    if scores.shape[1] == 1:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
    return softmax(scores, axis=1)


def _find_log_odds(probability: np.ndarray) -> np.ndarray:
    return centre_groups(np.log(probability + ADDED_PROBABILITY))
