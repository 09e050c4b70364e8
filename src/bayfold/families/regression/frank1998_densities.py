"""The kernel densities of Frank, Trigg, Holmes and Witten (1998), from rows.

Target and numeric columns are in units of their training range. Bandwidths are ``c / sqrt(n)``, c from 0.4 to 0.8 by
leave-one-out cross-entropy: of the joint density of column and target for numeric columns, of the density of the
target within each category for nominal ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from bayfold.families.regression import kernels

CONSTANTS = np.array([0.4, 0.5, 0.6, 0.7, 0.8])
"""The paper's candidates for C in the bandwidth C / sqrt(n)."""

LOG_NEGLIGIBLE = np.log(1e-6)
"""A column whose density is below this everywhere on the grid is left out for that row, and never floored."""

NODE_WIDTHS_BEYOND = 7.0
"""Bandwidths beyond the column's range at which its density is negligible everywhere."""

NODES_PER_WIDTH = 6.0
"""A Gaussian is linear between nodes a sixth of its width apart to within 0.4 % of its height."""

MOST_NODES = 1024
"""Bounds a table at 1,024 x 100 points; reached only where the width is below 1/170 of the range."""

SCORED_POINTS = 2000
"""Rows whose leave-one-out score chooses a width: the choice is among five."""

IMPOSSIBLE = -700.0
"""Log-density where even the nearest row is too far for a number."""


@dataclass(frozen=True, eq=False)
class Points:
    """Weighted rows: a column beside the target, both in units of their range."""

    x: np.ndarray
    y: np.ndarray
    weights: np.ndarray

    @property
    def n_rows(self) -> float:
        """Total weight."""
        return float(self.weights.sum())


def choose_joint_widths(points: Points) -> tuple[float, float]:
    """Bandwidths of a numeric column and of the target beside it."""
    widths = CONSTANTS / np.sqrt(points.n_rows)
    scores = score_widths(points, widths, widths)
    a, b = np.unravel_index(_first_best(scores.ravel()), scores.shape)
    return float(widths[a]), float(widths[b])


def choose_frank1998_width(y: np.ndarray, weights: np.ndarray) -> float:
    """Bandwidth of the target alone; a single row has the widest."""
    total = float(weights.sum())
    widths = CONSTANTS / np.sqrt(total)
    if total <= 1.0:
        return float(widths[-1])
    alone = Points(y, np.zeros(len(y)), weights)
    return float(widths[_first_best(score_widths(alone, widths, np.ones(1))[:, 0])])


def score_widths(points: Points, along_x: np.ndarray, along_y: np.ndarray) -> np.ndarray:
    """Leave-one-out log-likelihood of points for every pair of bandwidths, up to a constant.

    Of many points only some are scored, evenly spread along x: the choice is the same.
    """
    x, y, weights = _collapse(points)
    scored = np.zeros(len(x), bool)
    scored[:: max(len(x) // SCORED_POINTS, 1)] = True
    scores = np.zeros((len(along_x), len(along_y)))
    kernels.score_joint_widths(x, y, weights, scored, along_x, along_y, scores)
    return scores - weights[scored].sum() * np.log(np.outer(along_x, along_y))


def _collapse(points: Points) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points in increasing order, those in one place as one with their summed weight."""
    order = np.lexsort((points.y, points.x))
    x = points.x[order]
    y = points.y[order]
    other = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))[: len(x)]
    starts = np.flatnonzero(other)
    return x[starts], y[starts], np.add.reduceat(points.weights[order], starts)


def _first_best(scores: np.ndarray) -> int:
    """The first of scores equal up to rounding, so that the order of rows does not decide."""
    slack = 1e-9 * np.abs(scores).max()
    return int(np.flatnonzero(scores >= scores.max() - slack)[0])


def log_density(at: np.ndarray, y: np.ndarray, weights: np.ndarray, width: float) -> np.ndarray:
    """Log of the kernel density of the target, far from all rows too."""
    z = (at[:, None] - y) / width
    log_sum = logsumexp(-0.5 * z * z, b=weights, axis=1)
    return log_sum - np.log(weights.sum() * width * np.sqrt(2 * np.pi))


def estimate_numeric_with(
    points: Points, at_x: np.ndarray, grid: np.ndarray, widths: tuple[float, float]
) -> np.ndarray:
    """Log p(x | y) of shape (len(at_x), len(grid)): the joint density over that of the target, with one bandwidth.

    Rows whose every entry is negligible are zero: no evidence.
    """
    along_y, shift = _along_target(points, grid, widths[1])
    nobody = np.full(len(at_x), -1)
    joint = np.zeros((len(grid), len(at_x)))
    arrays = points.x, points.y, points.weights
    kernels.smooth_points(*arrays, at_x, grid, nobody, *widths, shift, joint)
    return _log_conditional(joint, (along_y @ points.weights)[:, None], widths[0])


def estimate_numeric_without(
    points: Points, rows: np.ndarray, grid: np.ndarray, widths: tuple[float, float]
) -> np.ndarray:
    """Log p(x | y) at some of the points, each from all points but itself, or but one of several in its place."""
    along_y, shift = _along_target(points, grid, widths[1])
    weights = points.weights[rows]
    alone = weights <= 1.0
    joint = np.zeros((len(grid), len(rows)))
    arrays = points.x, points.y, points.weights
    left_out = np.where(alone, rows, -1)
    kernels.smooth_points(*arrays, points.x[rows], grid, left_out, *widths, shift, joint)
    own = along_y[:, rows]
    joint -= np.where(alone, 0.0, own)
    marginal = (along_y @ points.weights)[:, None] - own * np.minimum(weights, 1.0)
    return _log_conditional(joint, marginal, widths[0])


def _along_target(points: Points, grid: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """What each point adds at each place of the grid, as a share of what the nearest one adds, and the shift to it."""
    distance = (grid[:, None] - points.y) / width
    shift = 0.5 * (distance**2).min(axis=1)
    return np.exp(shift[:, None] - 0.5 * distance**2), shift


def _log_conditional(joint: np.ndarray, marginal: np.ndarray, width: float) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        log_p = np.log(np.maximum(joint, 0.0)) - np.log(np.maximum(marginal, 0.0))
    log_p = np.nan_to_num(log_p - np.log(width * np.sqrt(2 * np.pi)), nan=IMPOSSIBLE, posinf=0.0)
    log_p = np.maximum(log_p, IMPOSSIBLE)
    log_p[:, log_p.max(axis=0) < LOG_NEGLIGIBLE] = 0.0
    return np.ascontiguousarray(log_p.T)


def find_nodes(width: float) -> tuple[float, float, int]:
    """From where to where, in units of the range, and how many nodes an interpolated table has."""
    margin = NODE_WIDTHS_BEYOND * width
    wanted = NODES_PER_WIDTH * (1 + 2 * margin) / width
    return -margin, 1 + margin, int(np.clip(np.ceil(wanted), 2, MOST_NODES)) + 1


@dataclass(frozen=True, eq=False)
class CategoryDensities:
    """A density of the target for every category of a column.

    Attributes
    ----------
    log_joint : ndarray of shape (n_categories, n_grid)
        Log of the category's share times its density.
    widths : ndarray of shape (n_categories,)
    total : float
        Weight of all rows.
    """

    log_joint: np.ndarray
    widths: np.ndarray
    total: float

    def log_table(self) -> np.ndarray:
        """Log p(v | y) by Bayes' rule; categories without a row, or negligible everywhere, are zero."""
        log_p = self.log_joint - logsumexp(self.log_joint, axis=0)
        log_p[log_p.max(axis=1) < LOG_NEGLIGIBLE] = 0.0
        return np.maximum(log_p, IMPOSSIBLE)

    def log_without(
        self, categories: np.ndarray, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        """Log p(v | y) of some rows, each from all rows but itself."""
        width = self.widths[categories][:, None]
        z = (grid - y[:, None]) / width
        scale = self.total * width * np.sqrt(2 * np.pi)
        own = np.exp(-0.5 * z * z) * np.minimum(weights, 1.0)[:, None] / scale
        joint = np.exp(self.log_joint)
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = np.maximum(joint[categories] - own, 0.0)
            log_p = np.log(rest / np.maximum(joint.sum(axis=0) - own, 1e-300))
        log_p = np.maximum(np.nan_to_num(log_p, nan=IMPOSSIBLE), IMPOSSIBLE)
        log_p[log_p.max(axis=1) < LOG_NEGLIGIBLE] = 0.0
        return log_p


def estimate_categories(
    categories: np.ndarray, n_categories: int, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
) -> CategoryDensities:
    """The densities of the target within each category of a column."""
    log_joint = np.full((n_categories, len(grid)), -np.inf)
    widths = np.ones(n_categories)
    for v in range(n_categories):
        rows = categories == v
        if rows.any():
            widths[v] = choose_frank1998_width(y[rows], weights[rows])
            share = np.log(weights[rows].sum() / weights.sum())
            log_joint[v] = share + log_density(grid, y[rows], weights[rows], float(widths[v]))
    return CategoryDensities(log_joint, widths, float(weights.sum()))
