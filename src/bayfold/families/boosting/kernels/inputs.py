"""What the boosting kernel is given and what it writes, by name; no kernel here, so that numba is not imported."""

from __future__ import annotations

from typing import Any, NamedTuple

# kinds of split
BELOW = 0  # code < cut goes left, missing cells with it
BELOW_KNOWN = 1  # code < cut goes left, missing cells go right
EQUAL = 2  # code == cut goes left
NO_SPLIT = 3  # everything goes left

# what is minimised
LOG_LOSS = 0  # of groups
SQUARED = 1  # error of a number
LOG_RATE = 2  # deviance of a positive mean, whose log is the score

DESCEND = -2  # the rows of a node are wanted by its children

BYTE_CODES = 256  # of a byte

ROWS_MOVED_AT_ONCE = 1 << 12
"""Their codes and scores stay in the second-level cache, and beside them the routes of a tree cost little."""


class CodeRows(NamedTuple):
    """Rows and what their codes are: labels from 0 or numeric targets (the other is empty), weights, codes per column,
    which columns are ordered, the weight of all rows, and which two columns may be on one path (all, if it is empty).

    A rate needs two more: what each row's error is divided by (its exposure, in units of the dispersion), and the power
    of the mean that the variance grows with (1 Poisson, 2 gamma, between them Tweedie).
    """

    codes: Any
    labels: Any
    targets: Any
    weights: Any
    n_codes: Any
    ordered: Any
    total: float
    exposures: Any
    power: float
    allowed: Any


class BoostRules(NamedTuple):
    """How trees are grown: by which loss, what they are drawn from, the size of steps, whether they join two
    columns, and how many bins both keep at least where they are looked at together.
    """

    loss: int

    row_share: float
    most_rows: int
    n_drawn: int
    rate: float
    ridge: float
    largest_step: float
    stretch: float
    two_columns: bool
    third_level: bool
    pair_bins: int
