"""How far scores are believed: one slope for all of them and an intercept per group, fitted on held-out rows.

For learners whose scores have no scale of their own (votes) or are too sure of themselves (naive Bayes in the leaves of
a tree). The intercepts make the mean probability of every group its share of the held-out rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.stored import Stored

SCALE_RIDGE = 1.0
"""Pull of the slope to 1, where scores are taken as they are, and of the intercepts to what lies between these and the
log shares, which a slope of 0 leaves: a slope of 0 or 2 costs half a nat, as much as one row that gets a probability of
.6. Scores that tell all held-out rows apart would have no bound without it."""

GAIN_BY_CHANCE = 2.0
"""Nats that a weight of held-out scores gains by chance on the rows that it is fitted to, and is charged for: one for a
parameter, and twice as much where the scores are made of other rows of the same table. Two rows then speak of each
other twice, each learnt from where the other is held out, with the same sign. Noise of 50 x 100 and of 30 x 500 loses
.00 to .01 beyond the prior in seven of eight seeds; with 1 it loses .02 to .08, uncharged .04 to .22."""

MAX_SCALE_STEPS = 200
"""Of the search, which ends by its tolerance long before: a bound against scores that are not finite."""


@dataclass(frozen=True, eq=False)
class ScoreScale(Stored):
    """What scores are multiplied by, and what is added.

    Attributes
    ----------
    slope : float
    intercept : ndarray of shape (n_scores,)
    conformal : ConformalScores or None
        Of the rows that the scale was fitted on: what sets of classes are made by.
    """

    slope: float
    intercept: np.ndarray
    conformal: ConformalScores | None = None

    def apply(self, scores: np.ndarray) -> np.ndarray:
        """The scores on the new scale."""
        return self.slope * scores + self.intercept


def fit_score_scale(
    scores: np.ndarray,
    group_of: np.ndarray,
    weights: np.ndarray,
    n_groups: int,
    n_units: float = np.inf,
) -> ScoreScale:
    """The slope and the intercepts of least log-loss on rows that were held out.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_scores)
        One column for two groups (the odds of the second), one per group for more.
    group_of : ndarray of int
    weights : ndarray
    n_groups : int
    n_units : float
        How many rows, or units of rows, were held out on their own; all rows if not given.

    Examples
    --------
    Scores that say nothing are not believed:

    >>> scores = np.array([[4.0], [-4.0], [4.0], [-4.0]])
    >>> scale = fit_score_scale(scores, np.array([1, 1, 0, 0]), np.full(4, 100.0), 2)
    >>> abs(round(scale.slope, 2)), scale.intercept.round(2) + 0.0
    (0.0, array([0.]))
    """
    # sums in an order that no order of rows or columns decides
    order = np.lexsort((weights, *scores.T, group_of))
    scores, group_of, weights = scores[order], group_of[order], weights[order]
    of_groups = np.concatenate([np.zeros_like(scores), scores], 1) if n_groups == 2 else scores
    share = np.bincount(group_of, weights, n_groups) + 1.0 / n_groups
    start = np.log(share / share.sum())
    of_groups = of_groups - start
    rows = np.arange(len(group_of))

    def measure(found: np.ndarray) -> tuple[float, np.ndarray]:
        """Log-loss and ridge, and their slope."""
        log_p = found[0] * of_groups + start + found[1:]
        log_p -= logsumexp(log_p, axis=1, keepdims=True)
        off = np.append(found[0] - 1.0, found[1:])
        loss = -(weights @ log_p[rows, group_of]) + 0.5 * SCALE_RIDGE * (off @ off)
        loss += GAIN_BY_CHANCE * found[0]
        residual = np.exp(log_p)
        residual[rows, group_of] -= 1.0
        residual *= weights[:, None]
        slope = np.append((residual * of_groups).sum() + GAIN_BY_CHANCE, residual.sum(axis=0))
        return float(loss), slope + SCALE_RIDGE * off

    bounds = [(0.0, None)] + [(None, None)] * n_groups
    begin = np.append(1.0, np.zeros(n_groups))
    options = {"maxiter": MAX_SCALE_STEPS, "ftol": 1e-12, "gtol": 1e-8}
    found = minimize(measure, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    intercept = (1.0 - found[0]) * start + found[1:]
    intercept = np.diff(intercept) if n_groups == 2 else intercept - intercept.mean()
    scale = ScoreScale(float(found[0]), intercept)
    n_counted = min(n_units, len(group_of))
    conformal = ConformalScores.of(scale.apply(scores), group_of, weights, n_counted)
    return replace(scale, conformal=conformal)
