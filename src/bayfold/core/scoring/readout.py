"""From scores to probabilities."""

from __future__ import annotations

import numpy as np


def log_probabilities(scores: np.ndarray, log_prior: np.ndarray) -> np.ndarray:
    """Log posterior of every group from weights of evidence, one column per group.

    Rows whose every group is impossible (only without smoothing) get the prior.

    Examples
    --------
    >>> np.exp(log_probabilities(np.array([[0.0]]), np.log([0.5, 0.5])))
    array([[0.5, 0.5]])
    """
    if len(log_prior) == 1:
        return np.zeros((len(scores), 1))
    if scores.shape[1] == 1:
        # one score per row is the log-odds of the second group against the first
        odds = scores[:, 0]
        tail = np.log1p(np.exp(-np.abs(odds)))
        log_p = np.stack([np.minimum(-odds, 0.0) - tail, np.minimum(odds, 0.0) - tail], axis=1)
    else:
        top = scores.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            shifted = scores - top
        log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return _or_prior(log_p, log_prior)


def probabilities(scores: np.ndarray, log_prior: np.ndarray) -> np.ndarray:
    """Posterior of every group from weights of evidence, one column per group."""
    if len(log_prior) == 1:
        return np.ones((len(scores), 1))
    if scores.shape[1] == 1:
        # each from its own exponential, so that the smaller one keeps its digits
        p = np.empty((len(scores), 2))
        with np.errstate(over="ignore"):  # exp may overflow: one over infinity is the right answer
            np.divide(1.0, 1.0 + np.exp(scores[:, 0]), out=p[:, 0])
            np.divide(1.0, 1.0 + np.exp(-scores[:, 0]), out=p[:, 1])
    else:
        with np.errstate(invalid="ignore"):
            p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
    return _or_prior(p, np.exp(log_prior))


def _or_prior(values: np.ndarray, prior: np.ndarray) -> np.ndarray:
    impossible = np.isnan(values[:, 0])
    if impossible.any():
        values[impossible] = prior
    return values
