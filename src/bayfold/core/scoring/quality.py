"""How well rows that a model has not learnt from were predicted, beside the prior alone."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bayfold.core import kernels


@dataclass(frozen=True)
class HeldOutScore:
    """Scores of rows that were held out while the model was made.

    Attributes
    ----------
    how : str
        Which rows by which models, in words.
    n_rows : float
        Weight of these rows.
    model, prior : dict of str to float
        Measures by name (``"error"``, ``"log_loss"``, ``"rmse"``): the lower, the better. ``prior`` are those of what
        is known without any column.
    of_two : dict of str to float
        The same measures of a model without tables of three columns, where this one has some.
    """

    how: str
    n_rows: float
    model: dict[str, float]
    prior: dict[str, float]
    of_two: dict[str, float] = field(default_factory=dict)


def judge_scores(
    scores: np.ndarray, group_of: np.ndarray, weights: np.ndarray, how: str
) -> HeldOutScore | None:
    """Error and log-loss of rows with scores: log-odds of the second of two groups, or one score per group."""
    total = float(weights.sum())
    if not total > 0:
        return None
    if scores.shape[1] == 1:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
    wrong, loss = kernels.judge_groups(scores, group_of, weights)
    found = {"error": float(wrong) / total, "log_loss": float(loss) / total}
    shares = np.bincount(group_of, weights) / total
    return HeldOutScore(how, total, found, judge_prior(shares))


def judge_prior(shares: np.ndarray) -> dict[str, float]:
    """Error and log-loss of whoever knows the shares of the groups and nothing else.

    >>> judge_prior(np.array([0.5, 0.5]))
    {'error': 0.5, 'log_loss': 0.6931471805599453}
    """
    known = shares[shares > 0]
    return {"error": float(1 - known.max()), "log_loss": float(-(known * np.log(known)).sum())}
