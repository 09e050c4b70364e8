"""The three kinds of term a column can add to the log joint."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class TableTerm:
    """``log_table[code, group]``.

    Attributes
    ----------
    column : int
    log_table : ndarray of shape (n_codes, n_groups)
        Log-probability, or log-density for a numeric column. Rows of zeros give no evidence.
    merge : ndarray of int or None
        The coarse bin of each fine bin; None if every bin stands for itself.
    """

    column: int
    log_table: np.ndarray
    merge: np.ndarray | None = None
    kind: str = field(default="table", init=False)


@dataclass(frozen=True, eq=False)
class QuadraticTerm:
    """``constant - ((x - mean) inverse_sd)^2 / 2`` per group; ``missing`` where the cell is empty."""

    column: int
    mean: np.ndarray
    inverse_sd: np.ndarray
    constant: np.ndarray
    missing: np.ndarray
    kind: str = field(default="quadratic", init=False)


@dataclass(frozen=True, eq=False)
class InterpolatedTerm:
    """A curve per group, given at equally spaced nodes from ``low`` to ``high``.

    ``log_nodes`` has the shape (n_nodes, n_groups); ``missing`` counts where the cell is empty.
    """

    column: int
    low: float
    high: float
    log_nodes: np.ndarray
    missing: np.ndarray
    kind: str = field(default="interpolated", init=False)


Term = TableTerm | QuadraticTerm | InterpolatedTerm
