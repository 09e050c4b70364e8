"""What the boosting kernel is given, by name; no kernel here, so that importing it does not import numba."""

from __future__ import annotations

from typing import Any, NamedTuple


class CodeRows(NamedTuple):
    """Rows and what their codes are: labels from 0, weights, codes per column, and which columns are ordered."""

    codes: Any
    labels: Any
    weights: Any
    n_codes: Any
    ordered: Any


class BoostRules(NamedTuple):
    """How trees are grown: what they are drawn from, the size of steps, and whether they join two columns."""

    row_share: float
    most_rows: int
    n_drawn: int
    rate: float
    ridge: float
    largest_step: float
    two_columns: bool
