"""The shape of errors, found from errors or from bounds on them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from bayfold.core.scoring.located import SHAPE_PARTS, ErrorShape

LEAST_STEP = 1e-6
"""Least distance of two quantiles of the shape, in spreads: a density is finite."""

LEAST_MASS = 1e-12
"""Between the bounds of a row: what rounding leaves of nothing is not divided by."""

SHAPE_CELLS = 400
"""Cells that the mass of rows is dealt to: several for each part of the shape."""

NARROW = 0.05
EVEN = 0.1
"""Of the other beginning: the part of the way between its bounds that most of a row's mass lies in, and the share of
the mass that lies evenly after all, because what has none never gets any."""

LEAST_LIKELIER = 1e-6
"""Nats: where both beginnings are equally likely, errors are as small as they can be."""

ROWS_BEYOND = 2.0
MOST_BEYOND = 0.25
"""Rows in the outermost part of the shape, so that its length is known, and its largest level."""

MOST_SKEW = 0.5
SKEW_DIGITS = 1e-6
"""How far a side of the shape may be stretched to balance means, and how exactly that is found."""

KNOWN_WITHIN = 1e-3
"""Spreads: bounds of an error that is known, as far as others are dealt by it."""

CELL_POINTS = 3
"""Points that the mass of a cell is put at."""

SHAPE_STEPS = 5
"""Of expectation maximisation: twenty and a hundred were no better on eight discrete targets, and on two values worse
(hungarian: relative RMSE 75.8 % without, 74.6, 74.9, 75.3)."""


def find_shape(errors: np.ndarray, weights: np.ndarray) -> ErrorShape:
    """The weighted empirical distribution of some errors, which one more error would leave as it is.

    >>> find_shape(np.array([-1.0, 0.0, 1.0]), np.ones(3)).ppf(np.array([0.25, 0.5, 0.75])).round(4)
    array([-1.,  0.,  1.])
    """
    order = np.argsort(errors, kind="stable")
    ordered = errors[order]
    w = weights[order]
    total = w.sum()
    # the next error lies beyond all others with probability 1 / (n + 1) on either side
    level = (np.cumsum(w) - w / 2 + 0.5) / (total + 1.0)
    levels = find_levels(total)
    nodes = np.interp(levels, level, ordered)
    lower = _measure_tail(nodes[1] - ordered, w)
    upper = _measure_tail(ordered - nodes[-2], w)
    return _make_shape(levels, nodes, lower, upper)


def _measure_tail(beyond: np.ndarray, weights: np.ndarray) -> float:
    """How far the errors beyond a node lie from it in the mean."""
    is_beyond = beyond > 0
    return float(weights[is_beyond] @ beyond[is_beyond]) / max(float(weights @ is_beyond), 1e-300)


def find_levels(n_rows: float) -> np.ndarray:
    """Levels of quantiles at equal steps; the outermost are halved as long as two rows lie beyond, or left out.

    >>> find_levels(400.0)[:3], find_levels(30.0)[:3]
    (array([0.   , 0.005, 0.01 ]), array([0.  , 0.07, 0.08]))
    """
    least = min(ROWS_BEYOND / (n_rows + 1.0), MOST_BEYOND)
    n_halves = int(np.log2(max(1.0 / (SHAPE_PARTS * least), 1.0)))
    tail = 0.5 ** np.arange(n_halves, 0, -1) / SHAPE_PARTS
    inner = np.arange(1, SHAPE_PARTS) / SHAPE_PARTS
    inner = inner[(inner >= least) & (inner <= 1.0 - least)]
    return np.concatenate([[0.0], tail, inner, 1.0 - tail[::-1], [1.0]])


def balance_shape(shape: ErrorShape, find_excess: Callable[[ErrorShape], float]) -> ErrorShape:
    """The shape stretched on one side and shrunk on the other, until predicted means have no excess over the targets.

    One shape for all rows is not the truth, and means of a bounded or a skewed target feel it first. Quantiles move in
    proportion to how far out they are, so that tails, which means hang on, move most.
    """

    def skew(share: float) -> ErrorShape:
        return ErrorShape(shape.nodes * (1.0 + share * np.sign(shape.nodes)), shape.levels)

    low, high = -MOST_SKEW, MOST_SKEW
    at_low, at_high = (find_excess(skew(share)) for share in (low, high))
    if not at_low < 0 < at_high:
        return shape if not at_low < at_high else skew(low if at_low >= 0 else high)
    return skew(brentq(lambda share: find_excess(skew(share)), low, high, xtol=SKEW_DIGITS))


def _make_shape(levels: np.ndarray, nodes: np.ndarray, lower: float, upper: float) -> ErrorShape:
    """The shape with these quantiles inside, and tails of these mean lengths."""
    nodes = nodes.copy()
    nodes[0] = nodes[1] - 2 * lower
    nodes[-1] = nodes[-2] + 2 * upper
    steps = np.maximum(np.diff(nodes), LEAST_STEP)
    return ErrorShape(np.append(0.0, np.cumsum(steps)) + nodes[0], levels)


def find_shape_between(low: np.ndarray, high: np.ndarray, weights: np.ndarray) -> ErrorShape:
    """The distribution of errors of which only bounds are known: each row's lies between two.

    A discrete target stands for all numbers of its cell. The mass of each row begins spread between its bounds, evenly
    or most of it in the middle, and is dealt anew in proportion to what all rows together have there (expectation
    maximisation); of the two beginnings the likelier one is kept. For two values the probabilities thus follow the
    truth of rows with like scores, as isotonic regression has it; where there is no noise, they are next to certain.

    >>> shape = find_shape_between(np.array([-1.0, 0.0]), np.array([0.0, 1.0]), np.ones(2))
    >>> shape.ppf(np.array([0.25, 0.5, 0.75])).round(4) + 0.0
    array([-0.5138,  0.    ,  0.5138])
    """
    is_known = high <= low
    reach = np.where(is_known, KNOWN_WITHIN, 0.0)
    edges, mass = deal_between(low - reach, high + reach, weights)
    bounded = ~is_known
    between = _Between(edges, low[bounded], high[bounded])
    dealt = mass * between.add_up(weights[bounded] / between.find_mass(mass))
    # of a cell its thirds, so that errors lie within it
    parts = (np.arange(CELL_POINTS) + 0.5) / CELL_POINTS
    points = (edges[:-1, None] + np.diff(edges)[:, None] * parts).ravel()
    points = np.append(points, low[is_known])
    masses = np.append(np.repeat(dealt / CELL_POINTS, CELL_POINTS), weights[is_known])
    return find_shape(points, masses)


def deal_between(
    low: np.ndarray, high: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Edges of cells, and the mass of each: see ``find_shape_between``."""
    middle = (low + high) / 2
    half = NARROW * (high - low) / 2
    bounds = np.unique(np.concatenate([low, middle - half, middle + half, high]))
    edges = np.unique(np.quantile(bounds, np.linspace(0.0, 1.0, SHAPE_CELLS + 1)))
    between = _Between(edges, low, high)
    even = _spread_out(edges, low, high, weights)
    narrow = _spread_out(edges, middle - half, middle + half, weights)
    narrow = EVEN * even + (1 - EVEN) * narrow
    narrow, even = (between.deal(mass, weights) for mass in (narrow, even))
    gain = weights @ np.log(between.find_mass(even) / between.find_mass(narrow))
    return edges, even if gain > LEAST_LIKELIER else narrow


def _spread_out(
    edges: np.ndarray, low: np.ndarray, high: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The mass of cells where each row's weight lies evenly between its bounds."""
    return np.diff(edges) * _Between(edges, low, high).add_up(weights / (high - low))


class _Between:
    """How much of each cell lies between the bounds of each row, for densities that are level within a cell."""

    def __init__(self, edges: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        self._n_cells = len(edges) - 1
        self._ends = [self._locate(edges, bound) for bound in (low, high)]

    def _locate(self, edges: np.ndarray, bound: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cell of each bound, and the share of it that lies below."""
        place = np.interp(bound, edges, np.arange(len(edges)))
        cell = np.minimum(place.astype(np.int64), self._n_cells - 1)
        return cell, place - cell

    def find_mass(self, mass: np.ndarray) -> np.ndarray:
        """The mass between the bounds of each row."""
        below = np.append(0.0, np.cumsum(mass))
        lower, upper = (below[cell] + share * mass[cell] for cell, share in self._ends)
        return np.maximum(upper - lower, LEAST_MASS)

    def deal(self, mass: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The mass after some steps of expectation maximisation."""
        for _ in range(SHAPE_STEPS):
            mass = mass * self.add_up(weights / self.find_mass(mass))
        return mass

    def add_up(self, numbers: np.ndarray) -> np.ndarray:
        """For each cell, the sum of the rows' numbers, each times the share of the cell between the row's bounds."""
        found = np.zeros(self._n_cells)
        for sign, (cell, share) in zip((1.0, -1.0), self._ends, strict=True):
            begun = np.cumsum(np.bincount(cell, numbers, self._n_cells))
            found += sign * (begun - np.bincount(cell, numbers * share, self._n_cells))
        return np.maximum(found, 0.0)
