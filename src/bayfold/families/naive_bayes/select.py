"""Dropping the columns without which held-out rows are predicted as well.

Backward elimination on held-out evidence: the column that brings least evidence goes if, with all other
weights refitted, held-out rows are no more surprising than they ever were. (A nat of tolerance, which one parameter is
worth by Akaike's criterion, drops far too much from small tables.)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bayfold.core.scoring import Calibration, Dropped
from bayfold.core.scoring.held_out import HeldOut
from bayfold.families.naive_bayes.weights import find_loss

PATIENCE = 3
"""So many of the weakest columns are tried before the search ends."""

Fit = Callable[[HeldOut], Calibration]


def select_columns(held_out: HeldOut, fit: Fit) -> Calibration:
    """Weights of the columns worth keeping, with the steps that led there; the others get zero.

    Parameters
    ----------
    held_out : HeldOut
    fit : callable
        From held-out evidence to weights.
    """
    kept = np.arange(held_out.places.shape[1])
    best = fit(held_out)
    total, least = held_out.weights.sum(), find_loss(held_out, best)[0]
    trace: list[Dropped] = []
    while len(kept) > 1:
        step = _drop_one(held_out, fit, kept, best, least)
        if step is None:
            break
        place, fitted, now = step
        trace.append(Dropped(int(kept[place]), float(best.weights[place]), now / total))
        kept, best, least = np.delete(kept, place), fitted, min(least, now)
    weights = np.zeros(held_out.places.shape[1])
    weights[kept] = best.weights
    return Calibration(weights, best.intercept, tuple(trace))


def _drop_one(
    held_out: HeldOut, fit: Fit, kept: np.ndarray, best: Calibration, most: float
) -> tuple[int, Calibration, float] | None:
    """The place of a column that can go, with the weights and the loss without it; None if none can."""
    size = np.abs(held_out.evidence).mean(axis=1)
    brought = np.array([size[held_out.places[:, j]].mean() for j in kept]) * best.weights
    for place in np.argsort(brought, kind="stable")[:PATIENCE].tolist():
        rest = np.delete(kept, place)
        without = held_out.take_columns(rest)
        fitted = fit(without)
        now = find_loss(without, fitted)[0]
        if now <= most:
            return place, fitted, now
    return None
