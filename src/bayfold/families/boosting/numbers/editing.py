"""Edits of tables of a number: what people give is the shift of a bin, in units of the target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bayfold import errors
from bayfold.core.scoring import NaiveBayesModel
from bayfold.families.boosting.numbers.model import LOCATION, NumberPredictor

HALVINGS = 80
"""Of an interval of locations: beyond 60, doubles have no more digits."""


class ShiftReader:
    """What a bin alone does to the mean of a row of which nothing else is known; its spread stays as it is."""

    def __init__(self, predictor: NumberPredictor) -> None:
        self._predictor = predictor

    def show(self, model: NaiveBayesModel, entries: np.ndarray) -> np.ndarray:
        """Shifts of the mean."""
        start = model.log_prior
        means = self._predictor.read_means(np.append(start[None], start + entries, axis=0))
        return (means[1:] - means[0])[:, None]

    def write(self, model: NaiveBayesModel, entries: np.ndarray, shown: np.ndarray) -> np.ndarray:
        """Entries with these shifts."""
        start = model.log_prior
        wanted = shown[:, 0] + self.show_start(model)[0]

        def read(steps: np.ndarray) -> np.ndarray:
            scores = start + entries
            scores[:, LOCATION] = steps
            return self._predictor.read_means(scores)

        first = self.show_start(model)[0]
        located = self._solve(read, wanted, first)
        changed = entries.copy()
        changed[:, LOCATION] = located - start[LOCATION]
        return changed

    def show_start(self, model: NaiveBayesModel) -> np.ndarray:
        """The mean of a row of which nothing is known."""
        return self._predictor.read_means(model.log_prior[None])

    def move_start(self, model: NaiveBayesModel, step: np.ndarray) -> NaiveBayesModel:
        """The model with all locations moved."""
        return replace(model, log_prior=model.log_prior + step)

    def balance(self, scores: np.ndarray, target: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The step of the start after which the mean of some rows is their mean target."""
        wanted = np.array([np.average(target, weights=weights)])

        def read(step: np.ndarray) -> np.ndarray:
            moved = scores.copy()
            moved[:, LOCATION] += step - np.median(scores[:, LOCATION])
            return np.array([np.average(self._predictor.read_means(moved), weights=weights)])

        found = self._solve(read, wanted, 0.0)
        step = np.zeros(scores.shape[1])
        step[LOCATION] = float(found[0]) - np.median(scores[:, LOCATION])
        return step

    def _solve(
        self, read: Callable[[np.ndarray], np.ndarray], wanted: np.ndarray, first: float
    ) -> np.ndarray:
        """The locations at which means are the wanted ones; means rise with the location."""
        places = self._predictor.scale.places
        low = np.full(len(wanted), float(places[0]))
        high = np.full(len(wanted), float(places[-1]))
        least = read(low)
        most = read(high)
        rounding = 1e-9 * max(abs(float(least.min())), abs(float(most.max())), 1e-300)
        if (wanted < least - rounding).any() or (wanted > most + rounding).any():
            k = int(np.argmax(np.maximum(least - wanted, wanted - most)))
            bounds = (float(each[k] - first) for each in (least, most, wanted))
            raise errors.shift_out_of_reach(*bounds)
        for _ in range(HALVINGS):
            middle = low / 2 + high / 2
            below = read(middle) < wanted
            low = np.where(below, middle, low)
            high = np.where(below, high, middle)
        return low / 2 + high / 2
