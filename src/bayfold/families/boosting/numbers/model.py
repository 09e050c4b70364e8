"""A number as a sum of tables: its location and the log of its spread on a scale of the target, and their shape."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.densities import PairTerm
from bayfold.core.frames import Table
from bayfold.core.scoring import NaiveBayesModel, Scorer
from bayfold.core.scoring.located import ErrorShape, LocatedDistribution, MeanReader
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.target_scale import TargetScale
from bayfold.families.boosting.collapse import AddedTables

ROWS_READ_AT_ONCE = 4096
"""Rows whose scores stay in the core's cache until means are read off them."""

LOCATION = 0
LOG_SPREAD = 1
"""The two scores of a row."""


class NumberPredictor(Predictor):
    """Tables of location and spread, ready to predict.

    Parameters
    ----------
    model : NaiveBayesModel
        Whose "groups" are the two scores of a row: its location, and the log of its spread.
    scale : TargetScale
    shape : ErrorShape
    spreads : ndarray of shape (2,)
        Least and largest spread of the training rows; no row has another.
    """

    def __init__(
        self, model: NaiveBayesModel, scale: TargetScale, shape: ErrorShape, spreads: np.ndarray
    ) -> None:
        super().__init__(model)
        self.scale = scale
        self.shape = shape
        self.spreads = spreads
        self.rows_per_block = min(self.rows_per_block, ROWS_READ_AT_ONCE)
        self.reader = MeanReader(scale, shape)

    def _make_decision(self) -> Scorer:
        """Location and log-spread."""
        return Scorer(self.model, centred=False)

    def with_model(self, model: NaiveBayesModel) -> NumberPredictor:
        """The same scale and shape with other tables."""
        return NumberPredictor(model, self.scale, self.shape, self.spreads)

    def read_means(self, scores: np.ndarray) -> np.ndarray:
        """Means of rows with these scores."""
        return self.reader.read(*self._split(scores))

    def _split(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        spread = np.clip(np.exp(scores[:, LOG_SPREAD]), *self.spreads)
        return np.clip(scores[:, LOCATION], self.scale.places[0], self.scale.places[-1]), spread

    def means(self, table: Table, n_threads: int) -> np.ndarray:
        """Mean of each row's distribution."""
        return self.score(table, readout=self.read_means, n_threads=n_threads)

    def distribution(self, table: Table, n_threads: int) -> LocatedDistribution:
        """The distribution of each row."""
        scores = self.score(table, n_threads=n_threads)
        return LocatedDistribution(self.scale, self.shape, *self._split(scores))


def join_tables(location: AddedTables, spread: AddedTables, times: float) -> NaiveBayesModel:
    """The model of both scores; counts of pairs are multiplied, so that copies count as they were given."""
    terms = [
        location.make_term(j, np.append(location.single[j], spread.single[j], axis=1))
        for j in range(len(location.single))
    ]
    pairs = [_place_pair(pair, LOCATION, times) for pair in location.pairs]
    pairs += [_place_pair(pair, LOG_SPREAD, times) for pair in spread.pairs]
    start = np.append(location.intercept, spread.intercept)
    return NaiveBayesModel(location.schema, start, tuple(terms), pairs=tuple(pairs))


def _place_pair(pair: PairTerm, score: int, times: float) -> PairTerm:
    """A table of one score as one of both."""
    table = np.zeros((*pair.log_table.shape[:2], 2))
    table[..., score] = pair.log_table[..., 0]
    return replace(pair, log_table=table, counts=times * pair.counts.sum(axis=2))
