"""A model of a numeric target made ready for tables."""

from __future__ import annotations

import numpy as np

from bayfold import errors
from bayfold.core.counts import Statistics
from bayfold.core.counts.folds import GivenUnits
from bayfold.core.frames import Table
from bayfold.core.scoring import GridDistribution, Scorer
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.regression import RegressionModel, posterior
from bayfold.families.regression.frank1998 import derive_frank1998
from bayfold.families.regression.learner import RegressionSettings, derive_smoothed

ROWS_IN_CACHE = 2048
"""Rows per block: a hundred scores each stay in the core's cache until they are read."""


def derive_regression(statistics: Statistics, settings: RegressionSettings) -> RegressionPredictor:
    """The model of the statistics, ready to predict."""
    as_published = settings.bandwidth == "frank1998"
    if as_published and GivenUnits.of(statistics.sample) is not None:
        raise errors.leaves_out_single_rows('bandwidth="frank1998"')
    derive = derive_frank1998 if as_published else derive_smoothed
    return RegressionPredictor(derive(statistics, settings))


class RegressionPredictor(Predictor):
    """A model of a numeric target with its coder and packed terms.

    Parameters
    ----------
    regression : RegressionModel
    """

    def __init__(self, regression: RegressionModel) -> None:
        super().__init__(regression.naive)
        self.regression = regression
        self.correction = regression.correction
        self.rows_per_block = min(self.rows_per_block, ROWS_IN_CACHE)

    def _make_decision(self) -> Scorer:
        """One score per point of the grid."""
        return Scorer(self.model, centred=False)

    def means(self, table: Table, n_threads: int) -> np.ndarray:
        """Mean of each row's distribution."""
        return self.score(table, readout=self.regression.read_means, n_threads=n_threads)

    def distribution(self, table: Table, n_threads: int) -> GridDistribution:
        """The distribution of each row."""
        mass = self.score(table, readout=self.regression.read_mass, n_threads=n_threads)
        return GridDistribution(self.regression.grid, mass)

    def medians_on_grid(self, table: Table, n_threads: int) -> np.ndarray:
        """The first grid point at which the cumulated mass of each row has passed one half."""

        def first_past_half(scores: np.ndarray) -> np.ndarray:
            return (np.cumsum(posterior(scores), axis=1) > 0.5).argmax(axis=1)

        return self.regression.grid[self.score(table, readout=first_past_half, n_threads=n_threads)]
