"""One weight for all columns and an intercept for each group, by Newton's method.

The loss is convex and its second derivatives are few where groups are few: a handful of steps do what twenty of a
search without them would.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dsyrk

from bayfold.core import kernels as core_kernels
from bayfold.core.engine.blas import on_one_thread
from bayfold.core.scoring import Calibration
from bayfold.core.scoring.held_out import HeldOut
from bayfold.families.naive_bayes import kernels

GROUPS_FOR_NEWTON = 128
"""Second derivatives of more groups take longer than all steps of a search without them."""

LAST_GAIN = 1e-4
"""A step that lowers the loss by no larger share of it is the last: what it leaves is some ten times the square, which
is as close as the search of several weights ends."""

STEPS_TO_GIVE_UP = 12
"""Usually four or five are taken. Where evidence is so large that the loss hardly bends, steps go too far again and
again: a search without second derivatives does better there."""

ROWS_TO_GUESS, STEPS_TO_GUESS = 250, 4
"""Rows, and steps along one weight, after which a search of all rows goes on from the right size."""


def guess_temperature(held_out: HeldOut, begin: Calibration, pull: float) -> Calibration:
    """About the weight with which held-out rows are least surprising if the intercepts stay where they are.

    Parameters
    ----------
    held_out : HeldOut
        Of one column, with an entry for each row in their order, and three groups or more.
    begin : Calibration
        Where the search begins, and what the result is drawn to.
    pull : float
        How much.
    """
    some = held_out.thin(ROWS_TO_GUESS)
    share = some.weights.sum() / max(held_out.weights.sum(), 1e-300)
    rows = some.evidence[some.places[:, 0]], begin.intercept, some.group_of.astype(np.int64)
    weight = one = float(begin.weights[0])
    for _ in range(STEPS_TO_GUESS):
        _, slope, bend = core_kernels.judge_factor(*rows, some.weights, weight)
        slope += 2 * pull * share * (weight - one)
        bend += 2 * pull * share
        if not bend > 0:  # rows without weight
            break
        weight = max(weight - slope / bend, weight / 4)
    return Calibration(np.array([weight]), begin.intercept)


def fit_temperature(held_out: HeldOut, begin: Calibration, pull: np.ndarray) -> Calibration | None:
    """The weight, not negative, and the intercepts with which held-out rows are least surprising; None if not found.

    Parameters
    ----------
    held_out : HeldOut
        Of one column, with an entry for each row in their order, and three groups or more.
    begin : Calibration
        Where the search begins, and what the result is drawn to.
    pull : ndarray of shape (1 + n_groups,)
        How much, for the weight and for each intercept.
    """
    centre = np.append(begin.weights, begin.intercept)
    rows = _Rows(held_out)
    at, last, least = centre, centre, np.inf
    with on_one_thread():
        for _ in range(STEPS_TO_GIVE_UP):
            loss, slope, bend = rows.find_loss(at)
            apart = at - centre
            loss += pull @ (apart * apart)
            if loss > least:  # too far
                at = (at + last) / 2
                continue
            slope += 2 * pull * apart
            bend[np.diag_indices_from(bend)] += 2 * pull
            step = np.linalg.solve(bend, slope)
            if at[0] == 0 and step[0] > 0:  # the weight stays where it is
                step = np.append(0.0, np.linalg.solve(bend[1:, 1:], slope[1:]))
            part = min(1.0, at[0] / step[0]) if step[0] > 0 else 1.0  # not below zero
            at, last, least = at - part * step, at, loss
            at[0] = max(at[0], 0.0)
            if part == 1.0 and slope @ step <= 2 * LAST_GAIN * loss:
                return Calibration(at[:1], at[1:])
    return None


class _Rows:
    """Held-out rows, with what does not depend on weight and intercept."""

    def __init__(self, held_out: HeldOut) -> None:
        self.evidence, self.group_of = held_out.evidence, held_out.group_of
        self.weights = held_out.weights
        n_rows, n_groups = self.evidence.shape
        of_truth = self.evidence[np.arange(n_rows), self.group_of]
        in_groups = np.bincount(self.group_of, self.weights, n_groups)
        self.truth = np.append(self.weights @ of_truth, in_groups)
        # in double precision: the order of rows, which hangs on columns that tell nothing, must not show
        self.roots = np.empty((n_rows, 1 + n_groups))
        self.moments = np.empty((3, n_groups))

    def find_loss(self, at: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The log-loss, its gradient and its second derivatives by weight and intercepts."""
        rows = self.evidence, self.group_of, self.weights
        loss = kernels.expect_evidence(*rows, at[0], at[1:], self.roots, self.moments)
        shares, products, squares = self.moments
        half = dsyrk(-1.0, self.roots.T)  # half of the symmetric products, in half of the time
        bend = half + np.triu(half, 1).T
        bend[np.diag_indices_from(bend)] += np.append(squares.sum(), shares)
        bend[0, 1:] += products
        bend[1:, 0] += products
        return float(loss), np.append(products.sum(), shares) - self.truth, bend
