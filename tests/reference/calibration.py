"""What calibration needs, by definition: one row, one bin at a time."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, log_softmax

from tests.reference.ranks import smooth_along_ranks


def score_rank_widths(inside, outside, log_prior, widths, strength):
    """Log-loss of the rows inside each fold for each width."""
    losses = np.zeros(len(widths))
    for held, counts, prior in zip(inside, outside, log_prior, strict=True):
        for w, width in enumerate(widths):
            log_p = log_softmax(
                _log_ratios(counts, width, strength, _find_concentration(outside[0])) + prior,
                axis=1,
            )
            losses[w] -= (held * log_p).sum()
    return losses


def estimate_rank_odds(tables, width, strength):
    """Densities of each group relative to all together, table by table."""
    return np.exp([_log_ratios(table, width, strength) for table in tables])


def _log_ratios(table, width, strength, concentration=None):
    n, total = table.sum(), table.sum(axis=0) + strength
    if n <= 0 or len(table) < 2:
        return np.zeros(table.shape)
    smoothed = smooth_along_ranks(table, width * n**-0.2) if width > 0 else _filled(table)
    pooled = np.maximum(smoothed.sum(axis=1, keepdims=True), 1e-300)
    ratio = (smoothed * n / pooled + strength) / np.where(total > 0, total, 1.0)
    ratio = np.where(total > 0, np.maximum(ratio, 1e-9), 1.0)
    if width == 0:
        n_rows = smoothed.sum(axis=1, keepdims=True)
        drawn = _find_concentration(table) if concentration is None else concentration
        ratio = 1 + n_rows / (n_rows + drawn) * (ratio - 1)
    share = (table.sum(axis=1) + 1 / len(table)) / (n + 1)
    return np.log(ratio) - np.log(share @ ratio)


def estimate_concentrations(tables):
    """The most probable rows of the prior of each table."""
    return np.array([_find_concentration(table) for table in tables])


def _find_concentration(table):
    """Where Polya's log-likelihood of each value's groups, with a log-logistic prior around two rows, is flat."""
    table = table[table.sum(axis=1) > 0]
    if not len(table):
        return 2.0
    n_rows = table.sum(axis=1)
    share = table.sum(axis=0) / n_rows.sum()
    table, share = table[:, share > 0], share[share > 0]

    def slope(log_s):
        s = np.exp(log_s)
        of_groups = (share * (digamma(table + s * share) - digamma(s * share))).sum(axis=1)
        of_value = of_groups - digamma(n_rows + s) + digamma(s)
        return s * (of_value @ (1 - n_rows / n_rows.sum())) + 1 - 2 * s / (s + 2)

    low, high = np.log([0.01, 1e6])
    return np.exp(brentq(slope, low, high, xtol=1e-13))


def _filled(table):
    """Empty bins stand for the nearest ones on both sides that are not."""
    occupied = np.flatnonzero(table.sum(axis=1))
    filled = table.copy()
    for b in np.flatnonzero(table.sum(axis=1) == 0):
        for side in (occupied[occupied < b][-1:], occupied[occupied > b][:1]):
            filled[b] += table[side].sum(axis=0)
    return filled


def weigh_held_out(evidence, places, group_of, row_weights, weights, intercept):
    """Log-loss of the rows and its gradient by columns, then by intercepts."""
    loss, of_columns, of_scores = 0.0, np.zeros(len(weights)), np.zeros(len(intercept))
    for at, group, row_weight in zip(places, group_of, row_weights, strict=True):
        own = evidence[at]
        scores = weights @ own + intercept
        full = np.append(0.0, scores) if len(scores) == 1 else scores
        log_p = log_softmax(full)
        loss -= row_weight * log_p[group]
        excess = np.exp(log_p) - (np.arange(len(full)) == group)
        excess = row_weight * excess[-len(scores) :]
        of_columns += own @ excess
        of_scores += excess
    return loss, np.append(of_columns, of_scores)


def weigh_odds(odds, group_of, row_weights, weights, intercept):
    """The same where the second of two groups has a single score."""
    places = np.arange(odds.size).reshape(odds.shape)
    rest = group_of, row_weights, weights, np.array([intercept])
    return weigh_held_out(odds.reshape(-1, 1), places, *rest)


def curve_held_out(evidence, places, row_weights, weights, intercept):
    """Second derivatives of the log-loss, each by one weight or intercept twice."""
    of_columns, of_scores = np.zeros(len(weights)), np.zeros(len(intercept))
    for at, row_weight in zip(places, row_weights, strict=True):
        own = evidence[at]
        scores = weights @ own + intercept
        if len(scores) == 1:  # the second of two groups, where the first has none
            own, scores = np.append(0.0 * own, own, axis=1), np.append(0.0, scores)
        p = np.exp(log_softmax(scores))
        of_columns += row_weight * ((own * own) @ p - (own @ p) ** 2)
        of_scores += row_weight * (p * (1 - p))[-len(intercept) :]
    return np.append(of_columns, of_scores)


def curve_odds(odds, row_weights, weights, intercept):
    """The same where the second of two groups has a single score."""
    places = np.arange(odds.size).reshape(odds.shape)
    return curve_held_out(odds.reshape(-1, 1), places, row_weights, weights, np.array([intercept]))


def expect_evidence(evidence, group_of, row_weights, weight, intercept):
    """Log-loss of the rows, the roots of what is subtracted from its bend, and weighted moments of the evidence."""
    loss, roots, moments = 0.0, [], np.zeros((3, len(intercept)))
    for own, group, row_weight in zip(evidence, group_of, row_weights, strict=True):
        log_p = log_softmax(intercept + weight * own)
        p = np.exp(log_p)
        loss -= row_weight * log_p[group]
        roots.append(np.sqrt(row_weight) * np.append(p @ own, p))
        moments += row_weight * p * own ** np.arange(3)[:, None]
    return loss, np.reshape(roots, (len(evidence), 1 + len(intercept))), moments
