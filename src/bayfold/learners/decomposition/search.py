"""How many clusters each class should have, by what they do to the classifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Evaluate = Callable[[tuple[int, ...]], np.ndarray]
"""From the number of clusters of each class to whether each row, left out, is classified rightly."""


def choose_by_accuracy(
    evaluate: Evaluate,
    weights: np.ndarray,
    most: Sequence[int],
    levels: Sequence[int],
) -> tuple[tuple[int, ...], dict[tuple[int, ...], float]]:
    """The number of clusters of each class, and the accuracy of everything tried.

    Parameters
    ----------
    evaluate : callable
    weights : ndarray
    most : sequence of int
        The largest number of clusters each class may have.
    levels : sequence of int
        Numbers of clusters to try for all classes at once, in increasing order, 1 first.

    Notes
    -----
    Splitting one class alone tells little: its clusters are sharp and the other classes are still blurred. So all
    classes are split alike first, and the best such split is taken if it beats no split by one standard error of the
    difference over rows. Then each class is put together again unless that costs a standard error.
    """
    tried: dict[tuple[int, ...], np.ndarray] = {}

    def right(numbers: tuple[int, ...]) -> np.ndarray:
        if numbers not in tried:
            tried[numbers] = evaluate(numbers).astype(np.float64)
        return tried[numbers]

    whole = tuple(1 for _ in most)
    chosen = whole
    for level in levels:
        split = tuple(min(level, limit) for limit in most)
        if is_better(right(split), right(chosen), weights):
            chosen = split
    chosen = _put_together(chosen, right, weights)
    return chosen, {k: float(np.average(v, weights=weights)) for k, v in tried.items()}


def _put_together(
    chosen: tuple[int, ...], right: Callable[[tuple[int, ...]], np.ndarray], weights: np.ndarray
) -> tuple[int, ...]:
    for c in range(len(chosen)):
        if chosen[c] > 1:
            without = (*chosen[:c], 1, *chosen[c + 1 :])
            if not is_better(right(chosen), right(without), weights):
                chosen = without
    return chosen


def is_better(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> bool:
    """Whether the first is right more often by at least one standard error of the difference."""
    difference = first - second
    total = weights.sum()
    mean = float(weights @ difference) / total
    variance = float(weights @ (difference - mean) ** 2) / total
    return mean > 0 and mean >= np.sqrt(variance / total)
