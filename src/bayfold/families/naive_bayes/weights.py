"""Weights on columns and an intercept that minimise the log-loss of held-out rows.

One weight for all columns and an intercept per group are found by Newton's method: the loss is convex, and where
groups are few a handful of steps does what twenty of a quasi-Newton search would.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.optimize import Bounds, OptimizeResult, minimize

from bayfold.core import kernels as core_kernels
from bayfold.core.engine.reduce import on_one_thread
from bayfold.core.scoring import Calibration
from bayfold.core.scoring.held_out import HeldOut
from bayfold.core.scoring.score_scale import GAIN_BY_CHANCE
from bayfold.families.naive_bayes import kernels

GROUPS_FOR_NEWTON = 128
"""Second derivatives of more groups take longer than all steps of a search without them."""

LAST_GAIN = 1e-4
"""A step that lowers the loss by no larger share of it is the last: what it leaves is some ten times the square, which
is as close as the search of several weights ends."""

STEPS_TO_GIVE_UP = 12
"""Usually four or five are taken. Where evidence is so large that the loss hardly bends, steps go too far again and
again: a search without second derivatives does better there."""

ROWS_TO_GUESS = 250
STEPS_TO_GUESS = 4
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
    evidence = some.evidence[some.places[:, 0]]
    group_of = some.group_of.astype(np.int64)
    weight = one = float(begin.weights[0])
    for _ in range(STEPS_TO_GUESS):
        _, slope, bend = core_kernels.judge_factor(
            evidence, begin.intercept, group_of, some.weights, weight
        )
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
    at = centre
    last = centre
    least = np.inf
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
            # exactly zero at the bound: a rounding above it would end every later step there
            at[0] = max(at[0], 0.0) if part == 1.0 else 0.0
            if part == 1.0 and slope @ step <= 2 * LAST_GAIN * loss:
                return Calibration(at[:1], at[1:])
    return None


class _Rows:
    """Held-out rows, with what does not depend on weight and intercept."""

    def __init__(self, held_out: HeldOut) -> None:
        self.evidence = held_out.evidence
        self.group_of = held_out.group_of
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
        loss = kernels.expect_evidence(
            self.evidence, self.group_of, self.weights, at[0], at[1:], self.roots, self.moments
        )
        shares, products, squares = self.moments
        half = dsyrk(-1.0, self.roots.T)  # half of the symmetric products, in half of the time
        bend = half + np.triu(half, 1).T
        bend[np.diag_indices_from(bend)] += np.append(squares.sum(), shares)
        bend[0, 1:] += products
        bend[1:, 0] += products
        return float(loss), np.append(products.sum(), shares) - self.truth, bend


TEMPERATURE_PULL = 5.0
"""Pull of the temperature towards one: few rows that are told apart without a mistake would make it infinite."""

INTERCEPT_PULL = 0.2
"""Pull of the intercept towards the log prior, for groups of a handful of rows."""

RIDGE_COLUMNS = 4.0
"""Columns that the ridge as it was given counts for, beside those whose weights tell another."""

RIDGE_STEPS = 5
"""A bound on the fits with another ridge; where rows are many the first weights stay."""

CLOSE_WEIGHTS = 0.05
"""Another ridge that moves no weight by more is not fitted with: probabilities change in the third digit."""

LEAST_BEND = 1e-12
"""Of the loss of a row along a parameter: a step in units of less would be longer than any weight."""

FLAT = 1e-7
"""The search ends when a step lowers the mean log-loss by no more, in shares of it: probabilities are then within 4e-4
of those at the very least (nine tables of 150 to 1,000 rows); ten times as much leaves them off by 3e-3."""

NEARLY_FLAT = 1e-5
"""The same for a temperature of many groups that weights are drawn to, and begin at: it is right to some thousandths
then, and what that moves the weights by is less."""

PROMISED = 3e-8
CELLS_FOR_PROMISES = 1 << 22
"""Where so many numbers are read in every step, the search ends as soon as its slope promises no larger gain, again in
shares of the loss: a last step would only confirm it. In these units half the squared slope is what is left to gain
within a factor of two (20, 100 and 1,000 groups); probabilities are then within 1.4e-3 of those at the very least."""

CURVED_ROWS = 1_000
"""Rows that tell well enough how the loss bends: units need to be right to a tenth or so."""

CURVED_CELLS = 1 << 21
FEWEST_CURVED_ROWS = 350
"""Fewer of them where columns and groups are many: numbers that are looked at in some milliseconds. With 350 rows of
50 columns the search takes no further step, with 250 it takes one more (100 and 1,000 groups)."""


def fit_weights(held_out: HeldOut, log_prior: np.ndarray, ridge: float | None) -> Calibration:
    """Weights and intercept that minimise the log-loss of held-out rows.

    Parameters
    ----------
    held_out : HeldOut
    log_prior : ndarray of shape (n_scores,)
        Where the intercept is drawn to: the centred log prior.
    ridge : float or None
        Pull of the weights towards the common temperature; None for the temperature alone.
    """
    begin, drawn_to = _begin(held_out, log_prior, ridge)
    return begin if drawn_to is None else _minimise(held_out, begin, drawn_to, ridge or 0.0)


def _begin(
    held_out: HeldOut, log_prior: np.ndarray, ridge: float | None
) -> tuple[Calibration, Calibration | None]:
    """The temperature, at which the search of weights begins, and what they are drawn to; None if it is all."""
    prior = np.nan_to_num(log_prior, neginf=-700.0, posinf=700.0)
    n_columns = held_out.places.shape[1]
    is_last = ridge is None or n_columns == 1  # the weight of a single column is the temperature
    one = Calibration(np.ones(1), prior)
    temperature = _fit_temperature(held_out.join_columns(), one, is_last)
    common = np.full(n_columns, temperature.weights[0])
    begin = Calibration(common, temperature.intercept)
    return begin, None if is_last else Calibration(common, prior)


def estimate_weights(held_out: HeldOut, log_prior: np.ndarray, ridge: float | None) -> Calibration:
    """The same with the ridge that the weights themselves ask for, by MacKay's rule, and shrunk; ``ridge`` is a guess.

    A ridge is the precision of a Gaussian prior. The weights tell it by how far they are from the common one, and by
    how much of that the rows say: among a hundred columns of noise all weights have to stay where they are.
    """
    begin, drawn_to = _begin(held_out, log_prior, ridge)
    if ridge is None or drawn_to is None:
        begin = _with_common_error(begin, held_out)
        return shrink_weights(held_out, begin, log_prior, np.inf)
    found = _minimise(held_out, begin, drawn_to, ridge)
    some = held_out.thin(CURVED_ROWS)
    rows = held_out.weights.sum() / max(some.weights.sum(), 1e-300)
    first = ridge
    for _ in range(RIDGE_STEPS if len(found.weights) else 0):
        curvature = find_curvature(some, found)[: len(found.weights)] * rows
        apart = found.weights - drawn_to.weights
        told = curvature / (curvature + 2 * ridge)
        squares = RIDGE_COLUMNS / first + 2 * (apart @ apart)
        wanted = (RIDGE_COLUMNS + told.sum()) / squares
        moved = 2 * (wanted - ridge) * apart / (curvature + 2 * wanted)
        ridge = wanted
        if np.abs(moved).max() < CLOSE_WEIGHTS:
            break
        found = _minimise(held_out, found, drawn_to, ridge)
    if len(found.weights):
        found = replace(found, errors=(curvature + 2 * ridge) ** -0.5)
    return shrink_weights(held_out, found, log_prior, ridge)


def shrink_weights(
    held_out: HeldOut, found: Calibration, log_prior: np.ndarray, ridge: float
) -> Calibration:
    """The weights times the slope, between 0 and 1, with which rows of another table should be least surprising.

    Rows that weights were fitted to are less surprising than others, by as many nats as parameters are free: the
    covariance penalty of Mallows, Akaike and Efron. Evidence times a slope gains the slope times that by chance. Where
    nothing helps no more is gained, and zero is left.

    Parameters
    ----------
    held_out : HeldOut
    found : Calibration
        Fitted to these rows.
    log_prior : ndarray of shape (n_scores,)
    ridge : float
        That the weights were fitted with; infinite where all are the same. A parameter of which the ridge says as much
        as the rows is half a free one.
    """
    some = held_out.thin(CURVED_ROWS)
    rows = held_out.weights.sum() / max(some.weights.sum(), 1e-300)
    curvature = rows * find_curvature(some, found)[: len(found.weights)] * (found.weights > 0)
    apart = curvature / (curvature + 2 * ridge)
    together = curvature / (curvature.sum() + 2 * TEMPERATURE_PULL)
    n_free = (apart + (1 - apart) * together).sum()
    if not n_free > 0:
        return found
    scores = held_out.add_up(found.weights)
    joined = HeldOut.of_cells(scores[:, None], held_out.group_of, held_out.weights)
    one = Calibration(np.ones(1), found.intercept)
    prior = np.nan_to_num(log_prior, neginf=-700.0, posinf=700.0)
    none = Calibration(np.zeros(1), prior)
    shrunk = _minimise(joined, one, none, 0.0, NEARLY_FLAT, GAIN_BY_CHANCE * n_free)
    slope = shrunk.weights[0]
    if slope >= 1:
        return found
    errors = None if found.errors is None else slope * found.errors
    return Calibration(slope * found.weights, shrunk.intercept, errors=errors)


def _with_common_error(found: Calibration, held_out: HeldOut) -> Calibration:
    """The same with the standard error of the one weight that all columns have."""
    some = held_out.join_columns().thin(CURVED_ROWS)
    rows = held_out.weights.sum() / max(some.weights.sum(), 1e-300)
    curvature = find_curvature(some, replace(found, weights=found.weights[:1]))[0] * rows
    return replace(
        found, errors=np.full(len(found.weights), (curvature + 2 * TEMPERATURE_PULL) ** -0.5)
    )


def _fit_temperature(joined: HeldOut, one: Calibration, is_last: bool) -> Calibration:
    """One weight for all evidence and the intercept."""
    n_scores = len(one.intercept)
    if n_scores > GROUPS_FOR_NEWTON:
        begin = guess_temperature(joined, one, TEMPERATURE_PULL)
        return _minimise(joined, begin, one, TEMPERATURE_PULL, FLAT if is_last else NEARLY_FLAT)
    found = None
    if n_scores > 1:
        pull = np.append(TEMPERATURE_PULL, np.full(n_scores, INTERCEPT_PULL))
        found = fit_temperature(joined, one, pull)
    return _minimise(joined, one, one, TEMPERATURE_PULL) if found is None else found


def _minimise(
    held_out: HeldOut,
    begin: Calibration,
    drawn_to: Calibration,
    ridge: float,
    flat: float = FLAT,
    charge: float = 0.0,
) -> Calibration:
    """The weights near those of ``drawn_to``, none negative, with which held-out rows are least surprising.

    Parameters are measured in units in which the loss bends equally along each: the search takes a third of the steps.
    What is added to the intercepts of all groups changes no probability. The pull alone would tell how much, so weakly
    that a search spends half of its steps on it; so the pull leaves it open, and the end is what it would ask for.
    """
    n_columns = len(begin.weights)
    prior = drawn_to.intercept
    total = held_out.weights.sum()
    start = np.append(begin.weights, begin.intercept)
    centre = np.append(drawn_to.weights, prior)
    pull = np.append(np.full(n_columns, ridge), np.full(len(prior), INTERCEPT_PULL))
    affordable = CURVED_CELLS // max(n_columns * len(prior), 1)
    some = held_out.thin(min(max(affordable, FEWEST_CURVED_ROWS), CURVED_ROWS))
    curvature = find_curvature(some, begin) * (total / max(some.weights.sum(), 1e-300))
    # where all rows are certain the loss does not bend at all
    unit = np.sqrt(total / np.maximum(curvature + 2 * pull, LEAST_BEND * total))
    bounds = Bounds(np.append(np.zeros(n_columns), np.full(len(prior), -np.inf)))
    last_slope = np.empty(len(start))

    def objective(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        at = parameters * unit
        value, slope = find_loss(held_out, Calibration(at[:n_columns], at[n_columns:]))
        apart = at - centre
        apart[n_columns:] -= _find_common(apart[n_columns:])
        value += pull @ (apart * apart)
        slope += 2 * pull * apart
        value += charge * at[:n_columns].sum()
        slope[:n_columns] += charge
        last_slope[:] = slope * unit / total
        return value / total, last_slope.copy()

    def stop_early(intermediate_result: OptimizeResult) -> None:
        at = intermediate_result.x
        value = intermediate_result.fun
        is_free = (at > bounds.lb) | (last_slope < 0)
        if (last_slope[is_free] ** 2).sum() / 2 <= PROMISED * max(value, 1.0):
            raise StopIteration

    is_long = held_out.places.size * len(prior) >= CELLS_FOR_PROMISES
    with on_one_thread():
        settings = {"jac": True, "method": "L-BFGS-B", "bounds": bounds}
        settings |= {"callback": stop_early} if is_long else {}
        best = minimize(objective, start / unit, options={"ftol": flat}, **settings).x * unit
    intercept = best[n_columns:]
    return Calibration(best[:n_columns], intercept - _find_common(intercept - prior))


def _find_common(apart: np.ndarray) -> float:
    """What all intercepts have been moved by; the odds of two groups are a contrast and have none."""
    return float(apart.mean()) if len(apart) > 1 else 0.0


def find_loss(held_out: HeldOut, found: Calibration) -> tuple[float, np.ndarray]:
    """Log-loss of held-out rows, and its gradient by weights and intercept."""
    gradient = np.empty(len(found.weights) + len(found.intercept))
    group_of = held_out.group_of
    rows = held_out.weights
    weights = found.weights
    if len(found.intercept) == 1:
        loss = kernels.weigh_odds(
            held_out.odds, group_of, rows, weights, found.intercept[0], gradient
        )
    else:
        evidence = held_out.evidence
        loss = kernels.weigh_held_out(
            evidence, held_out.places, group_of, rows, weights, found.intercept, gradient
        )
    return float(loss), gradient


def find_curvature(held_out: HeldOut, found: Calibration) -> np.ndarray:
    """Second derivatives of the log-loss, each by one weight or intercept twice."""
    curvature = np.empty(len(found.weights) + len(found.intercept))
    rows = held_out.weights
    weights = found.weights
    if len(found.intercept) == 1:
        kernels.curve_odds(held_out.odds, rows, weights, found.intercept[0], curvature)
    else:
        evidence = held_out.evidence
        group_of = held_out.group_of
        kernels.curve_held_out(
            evidence, held_out.places, group_of, rows, weights, found.intercept, curvature
        )
    return curvature
