"""A rate as a product of factors: the exponential of a sum of tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold import errors
from bayfold.core.counts import JointCounts
from bayfold.core.frames import Table
from bayfold.core.scoring import NaiveBayesModel, Scorer
from bayfold.core.scoring.distribution import Distribution
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.rates import Shape

LARGEST_SCORE = 690.0
"""Of a rate that is still a float, with room for an exposure."""


class RatePredictor(Predictor):
    """Tables of the log of a rate, ready to predict.

    Parameters
    ----------
    model : NaiveBayesModel
        Whose only "group" is the score of a row, the log of its rate.
    shape : CountShape or AmountShape
        What is left of a target whose mean is known.
    exposed : JointCounts
        The exposure of the training rows, by bin.
    power : float
        Of the mean that the variance grows with, by the loss that the tables were fitted by.
    """

    def __init__(
        self, model: NaiveBayesModel, shape: Shape, exposed: JointCounts, power: float
    ) -> None:
        super().__init__(model)
        self.power = power
        self.shape = shape
        self.exposed = exposed

    def _make_decision(self) -> Scorer:
        """The log of the rate."""
        return Scorer(self.model, centred=False)

    def with_model(self, model: NaiveBayesModel) -> RatePredictor:
        """The same shape and exposure with other tables."""
        return RatePredictor(model, self.shape, self.exposed, self.power)

    def read_means(self, scores: np.ndarray) -> np.ndarray:
        """Rates of rows with these scores."""
        return np.exp(np.clip(scores[:, 0], -LARGEST_SCORE, LARGEST_SCORE))

    def means(self, table: Table, n_threads: int) -> np.ndarray:
        """The rate of each row."""
        return self.score(table, readout=self.read_means, n_threads=n_threads)

    def distribution(
        self, table: Table, n_threads: int, exposure: np.ndarray | None = None
    ) -> Distribution:
        """The distribution of each row, of an exposure of 1 unless another is given."""
        rates = self.means(table, n_threads)
        exposure = np.ones_like(rates) if exposure is None else exposure
        return self.shape.make(exposure * rates, exposure)


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
