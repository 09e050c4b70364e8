"""A number of two values: its location is the log-odds of the larger one, found by log-loss like that of a class.

Squared errors of a number that is seldom other than zero hardly tell one in a hundred from one in a thousand.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import logit

from bayfold.core.scoring.located import SHAPE_PARTS, ErrorShape
from bayfold.core.scoring.target_scale import TargetScale
from bayfold.families.boosting.distinct_rows import DistinctRows

MOST_ODDS = 30.0
"""Largest log-odds of a row: one in ten to the thirteenth."""

TAIL_WIDTH = 2.0
"""Of the first and the last part of the shape, which fall off by half their width: the tails of the logistic
distribution fall off by one."""


def make_odds_scale(values: np.ndarray) -> TargetScale:
    """The scale of log-odds, on which the smaller value lies below zero and the larger above."""
    return TargetScale(values, np.array([-MOST_ODDS, MOST_ODDS]), True)


def make_odds_shape() -> ErrorShape:
    """The logistic distribution: the larger value is as likely as its log-odds say.

    >>> make_odds_shape().sf(np.array([np.log(3.0), 0.0, -8.0])).round(4)
    array([0.25  , 0.5   , 0.9997])
    """
    inner = logit(np.arange(1, SHAPE_PARTS) / SHAPE_PARTS)
    return ErrorShape(np.concatenate([[inner[0] - TAIL_WIDTH], inner, [inner[-1] + TAIL_WIDTH]]))


def label_larger(rows: DistinctRows, places: np.ndarray) -> DistinctRows:
    """The rows with the larger of the two values as the second of two labels, and as the number one."""
    labels = np.searchsorted(places, rows.targets)
    return replace(rows, labels=labels, targets=labels.astype(np.float64))


def find_odds(mean: float, told: np.ndarray) -> np.ndarray:
    """What is added to the log-odds of all rows where the share of the larger value is higher by so much."""
    return logit(mean + told) - logit(mean)
