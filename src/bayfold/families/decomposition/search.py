"""How many clusters each class should have, by what they do to the classifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

Numbers = tuple[int, ...]
Evaluate = Callable[[Numbers], tuple[np.ndarray, np.ndarray]]
"""From the number of clusters of each class to whether each row, left out, is classified rightly, and the log of the
probability of its class."""

LOG_OF_A_MISS = np.log(1e-3)
"""A row whose class is less likely than one in a thousand counts as one where it is: few rows must not decide alone."""


def _say_nothing(numbers: Numbers) -> None:
    pass


@dataclass
class AccuracySearch:
    """A search over numbers of clusters that remembers what it tried.

    Attributes
    ----------
    evaluate : callable
    fold_of : ndarray of int
        The fold in which each row was left out.
    weights : ndarray
    unit_weights : ndarray
        The weight of all that is right or wrong together with each row: its copies.
    tried, logs : dict
        Whether each row was classified rightly, and the log-probability of its class, for everything tried.
    report : callable
        Told what has just been tried.

    Notes
    -----
    Splitting one class alone tells little: its clusters are sharp while the other classes are still blurred. So all
    classes are split alike first. The best such split is taken if it beats no split by one standard error of the
    difference, and so that the choice among many does not flatter itself, each fold is judged by what is best in
    the others. Then each class is put together again unless that costs a standard error.

    A split whose probabilities are worse than those of whole classes, by a standard error of the log-loss, is not taken
    however often it is right: many small clusters of few rows are sure of themselves, and were right by luck.
    """

    evaluate: Evaluate
    fold_of: np.ndarray
    weights: np.ndarray
    unit_weights: np.ndarray
    tried: dict[Numbers, np.ndarray] = field(default_factory=dict)
    logs: dict[Numbers, np.ndarray] = field(default_factory=dict)
    report: Callable[[Numbers], None] = _say_nothing

    def right(self, numbers: Numbers) -> np.ndarray:
        """Whether each row left out is classified rightly with these numbers of clusters."""
        if numbers not in self.tried:
            right, log_p = self.evaluate(numbers)
            self.tried[numbers] = right.astype(np.float64)
            self.logs[numbers] = np.maximum(log_p, LOG_OF_A_MISS)
            self.report(numbers)
        return self.tried[numbers]

    def choose(self, most: Sequence[int], levels: Sequence[int]) -> Numbers:
        """The number of clusters of each class.

        Parameters
        ----------
        most : sequence of int
            The largest number of clusters each class may have.
        levels : sequence of int
            Numbers of clusters to try for all classes at once, in increasing order, 1 first.
        """
        splits = [tuple(min(level, limit) for limit in most) for level in levels]
        splits = self._leave_sober(list(dict.fromkeys(splits)))
        if self.is_better(self._best_elsewhere(splits), self.right(splits[0])):
            chosen = self._put_together(self._best(splits, np.ones(len(self.weights), bool)))
            return self._leave_sober([splits[0], chosen])[-1]
        return splits[0]

    def accuracy(self, numbers: Numbers) -> float:
        """Share of rows left out that are classified rightly."""
        return float(np.average(self.right(numbers), weights=self.weights))

    def is_better(self, first: np.ndarray, second: np.ndarray, n_errors: float = 1.0) -> bool:
        """Whether the first is right more often by at least so many standard errors of the difference."""
        difference, total = first - second, self.weights.sum()
        mean = float(self.weights @ difference) / total
        variance = float((self.weights * self.unit_weights) @ (difference - mean) ** 2) / total**2
        return mean > 0 and mean >= n_errors * np.sqrt(variance)

    def _leave_sober(self, splits: list[Numbers]) -> list[Numbers]:
        """The splits without those whose probabilities are worse than those of the first."""
        for split in splits:
            self.right(split)
        first = self.logs[splits[0]]
        return [split for split in splits if not self.is_better(first, self.logs[split])]

    def _best(self, splits: list[Numbers], rows: np.ndarray) -> Numbers:
        """The split that is right most often on some rows; the first of equals."""
        weights = self.weights * rows
        return max(splits, key=lambda split: float(weights @ self.right(split)))

    def _best_elsewhere(self, splits: list[Numbers]) -> np.ndarray:
        """Whether each row is classified rightly by the split that is best in the other folds."""
        right = np.zeros(len(self.weights))
        for fold in np.unique(self.fold_of):
            inside = self.fold_of == fold
            right[inside] = self.right(self._best(splits, ~inside))[inside]
        return right

    def _put_together(self, chosen: Numbers) -> Numbers:
        for c in range(len(chosen)):
            without = (*chosen[:c], 1, *chosen[c + 1 :])
            if chosen[c] > 1 and not self.is_better(self.right(chosen), self.right(without)):
                chosen = without
        return chosen
