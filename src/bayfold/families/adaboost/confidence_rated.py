"""Confidence-rated boosting of naive Bayes, and its exact collapse into one naive Bayes.

When every round adds a multiple of naive Bayes log-odds, the sum of the rounds is the sum of their tables and
priors (Elkan 1997; Ting & Zheng 2003, Section 6).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayfold.families.adaboost.m1 import LEAST_ROW_WEIGHT, TableBase, TableVoter
from bayfold.families.trees.weighted_rows import WeightedRows


def boost_real(
    data: WeightedRows, base: TableBase, n_rounds: int, learning_rate: float
) -> Iterator[TableVoter]:
    """Rounds of confidence-rated boosting, each scaled by the learning rate.

    A row's weight is multiplied by ``exp(-h)``, where h is the scaled score of the row's own group, centred over
    groups: for two groups half the log-odds (Real AdaBoost), for more the same as SAMME.R.
    """
    log_weights = np.log(data.weights / data.total)
    weights = data.weights
    for _ in range(n_rounds):
        voter = base.fit(weights)
        voter = TableVoter(
            voter.starts, learning_rate * voter.evidence, learning_rate * voter.prior
        )
        yield voter
        log_weights -= own_scores(voter.score(data.rows), data.group_of)
        log_weights -= log_weights.max()
        weights = np.exp(log_weights)
        weights = np.maximum(weights * (data.total / weights.sum()), LEAST_ROW_WEIGHT)
        weights *= data.total / weights.sum()


def own_scores(scores: np.ndarray, group_of: np.ndarray) -> np.ndarray:
    """The centred score of each row's own group."""
    if scores.shape[1] == 1:
        return np.where(group_of == 1, 0.5, -0.5) * scores[:, 0]
    return scores[np.arange(len(scores)), group_of]


def collapse_voters(voters: list[TableVoter]) -> TableVoter:
    """One naive Bayes with the same scores as all of them together."""
    evidence = np.sum([voter.evidence for voter in voters], axis=0)
    return TableVoter(voters[0].starts, evidence, np.sum([v.prior for v in voters], axis=0))
