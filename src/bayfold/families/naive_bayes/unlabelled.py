"""Classes of rows without one, by EM: such rows count in every class with its probability, until these settle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bayfold.core.counts import Statistics

MAX_EM_ROUNDS = 10
"""A bound: rounds end when memberships have SETTLED."""

SETTLED = 1e-3
"""Of probabilities, on average."""


def learn_unlabelled(
    labelled: Statistics,
    count: Callable[[np.ndarray], Statistics],
    predict: Callable[[Statistics], np.ndarray],
) -> Statistics:
    """Statistics of the labelled rows and of the others with the classes they probably have.

    Parameters
    ----------
    labelled : Statistics
    count : callable
        Statistics of the other rows from the probability of each class, of shape (n_rows, n_classes).
    predict : callable
        These probabilities, from the statistics so far.

    Returns
    -------
    statistics : Statistics
        Their sample of rows is that of the labelled ones: calibration must not learn from its own answers.
    """
    statistics = labelled
    before = None
    for _ in range(MAX_EM_ROUNDS):
        probability = predict(statistics)
        if before is not None and np.abs(probability - before).mean() < SETTLED:
            break
        before = probability
        together = labelled.counts + count(probability).counts
        statistics = replace(labelled, counts=together)
    return statistics
