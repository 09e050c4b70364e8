"""How far the scale of a number follows ranks: half-way, or as far as a quick look at left-out rows clearly prefers.

A long tail that no column tells of only disturbs, and ranks take it out; one that columns do tell of is worth keeping.
Only rows can say which of the two it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bayfold.core.scoring.located import MeanReader
from bayfold.core.scoring.shapes import find_shape
from bayfold.core.scoring.target_scale import RANK_SHARE, RankedTarget, TargetScale
from bayfold.families.boosting.settings import BoostSettings

OTHER_SHARES = (0.25, 0.75, 1.0)
"""What is tried besides ``RANK_SHARE``. Values alone had a higher RMSE and CRPS in the mean of 38 datasets than a
quarter of ranks."""

LAST_SHARE = OTHER_SHARES[-1]  # further than the one before it, and tried only where that gained

SCALE_FOLDS, SCALE_ROUNDS, SCALE_RATE, SCALE_PATIENCE = 4, 40, 0.25, 10
"""A quick look: few models, long steps. Two models decided worse (CRPS 52.71 instead of 52.66 %)."""

SCALE_ROWS, LEAST_SCALE_ROWS = 4_096, 40
"""Rows that are looked at, at most; with fewer than the least, folds of ten would decide by chance."""

ALIKE = 0.95
"""Correlation of values and normal scores from which on nothing is tried: all scales are nearly the same, and what was
chosen on 21 such datasets differed from fold to fold."""

LEAST_GAIN, CLEARLY = 0.02, 1.5
"""Share of the error that another scale must gain, and times its standard error. On 38 datasets (three other deals of
folds than the benchmark's) RMSE and CRPS were 56.49 and 52.86 % without a choice; taking the best by a hair 56.47 and
52.66, by one standard error 56.43 and 52.59, by 1.5 56.37 and 52.66, by two 56.40 and 52.67."""


def may_matter(ranked: RankedTarget, n_rows: int) -> bool:
    """Whether scales differ, and there are rows enough to tell which is better."""
    share = ranked.weights / ranked.weights.sum()
    alike = share @ (ranked.find_places(0.0) * ranked.find_places(1.0))
    return n_rows >= LEAST_SCALE_ROWS and len(ranked.values) > 2 and bool(alike < ALIKE)


class RowLosses(NamedTuple):
    """Of each row: the squared error of its mean and the absolute error of its median, in the unit of the target."""

    squared: np.ndarray
    absolute: np.ndarray


def hurry(settings: BoostSettings) -> BoostSettings:
    """The same settings for a quick look."""
    return replace(
        settings,
        n_rounds=min(SCALE_ROUNDS, settings.n_rounds),
        learning_rate=SCALE_RATE,
        early_stopping=True,
        patience=SCALE_PATIENCE,
        callback=None,
    )


def judge_location(
    scale: TargetScale, places: np.ndarray, found: np.ndarray, weights: np.ndarray
) -> RowLosses:
    """How far means and medians are off, where all rows have the same spread.

    Parameters
    ----------
    scale : TargetScale
    places : ndarray of shape (n_rows,)
        Where the targets lie on it.
    found : ndarray of shape (n_rows,)
        Where models that left the rows out have them.
    weights : ndarray of shape (n_rows,)
    """
    shape = find_shape(places - found, weights)
    found = np.clip(found, scale.places[0], scale.places[-1])
    unit = float(np.abs(scale.values).max()) or 1.0  # squares of it may be too large
    target = scale.to_target(places) / unit
    means = MeanReader(scale, shape).read(found, np.ones(len(found))) / unit
    medians = scale.to_target(found + shape.ppf(np.array([0.5]))) / unit
    return RowLosses((target - means) ** 2, np.abs(target - medians))


def choose_rank_share(judge: Callable[[float], RowLosses], weights: np.ndarray) -> float:
    """The share of ranks with the lowest errors, if they are clearly lower than those of the usual one."""
    usual = judge(RANK_SHARE)
    share = weights / weights.sum()
    worst = [float(share @ losses) for losses in usual]
    best, best_gain, gain = RANK_SHARE, LEAST_GAIN, 0.0
    if min(worst) == 0.0:
        return best
    for rank_share in OTHER_SHARES:
        if rank_share == LAST_SHARE and gain <= 0:
            break  # further the same way, where half of the way gained nothing
        losses = judge(rank_share)
        gains = (usual.squared - losses.squared) / worst[0] / 2
        gains += (usual.absolute - losses.absolute) / worst[1]
        gain = float(share @ gains)
        noise = float(np.sqrt(share**2 @ (gains - gain) ** 2))
        if gain > max(best_gain, CLEARLY * noise):
            best, best_gain = rank_share, gain
    return best
