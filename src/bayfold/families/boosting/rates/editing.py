"""Edits of tables of a rate: what people give is the factor of a bin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold import errors
from bayfold.core.scoring import NaiveBayesModel
from bayfold.families.boosting.rates.model import RatePredictor


class FactorReader:
    """What the rate of a row is multiplied by."""

    def __init__(self, predictor: RatePredictor) -> None:
        self._predictor = predictor

    def show(self, model: NaiveBayesModel, entries: np.ndarray) -> np.ndarray:
        """Factors."""
        return np.exp(entries)

    def write(self, model: NaiveBayesModel, entries: np.ndarray, shown: np.ndarray) -> np.ndarray:
        """Entries with these factors."""
        if not (shown > 0).all():
            raise errors.bad_factor(float(shown.min()))
        return np.log(shown)

    def show_start(self, model: NaiveBayesModel) -> np.ndarray:
        """The base rate."""
        return self._predictor.read_means(model.log_prior[None])

    def move_start(self, model: NaiveBayesModel, step: np.ndarray) -> NaiveBayesModel:
        """The model with another base rate."""
        return replace(model, log_prior=model.log_prior + step)

    def balance(self, scores: np.ndarray, target: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The step of the start after which the rates of some rows add up to their targets."""
        total = float(weights @ target)
        if total <= 0:
            raise errors.only_zero_totals("poisson")
        return np.array([np.log(total / float(weights @ self._predictor.read_means(scores)))])
