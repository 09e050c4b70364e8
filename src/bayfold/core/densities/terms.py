"""The kinds of term a column can add to the log joint, and the table of two columns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np


@dataclass(frozen=True, eq=False)
class TableTerm:
    """``log_table[code, group]``.

    Attributes
    ----------
    column : int
    log_table : ndarray of shape (n_codes, n_groups)
        Log-probability. Rows of zeros give no evidence.
    merge : ndarray of int or None
        The coarse bin of each fine bin; None if every bin stands for itself.
    log_unit : ndarray of shape (n_codes,) or None
        What turns log-probabilities into log-densities: minus the log-width of a numeric bin. The same for all
        groups, so it matters only for log p(x), and is kept apart so that no unit leaves its rounding in the evidence.
    """

    column: int
    log_table: np.ndarray
    merge: np.ndarray | None = None
    log_unit: np.ndarray | None = None
    kind: str = field(default="table", init=False)

    @property
    def log_density(self) -> np.ndarray:
        """Log-probability of categories, log-density of numbers."""
        return self.log_table if self.log_unit is None else self.log_table + self.log_unit[:, None]

    def scaled(self, weight: float) -> TableTerm:
        """The term with its evidence multiplied."""
        return replace(self, log_table=_times(self.log_table, weight))


@dataclass(frozen=True, eq=False)
class QuadraticTerm:
    """``constant - ((x - mean) inverse_sd)^2 / 2`` per group; ``missing`` where the cell is empty.

    ``log_unit`` belongs to log p(x), not to the evidence, as in a TableTerm.
    """

    column: int
    mean: np.ndarray
    inverse_sd: np.ndarray
    constant: np.ndarray
    missing: np.ndarray
    log_unit: float = 0.0
    kind: str = field(default="quadratic", init=False)

    @property
    def log_constant(self) -> np.ndarray:
        """The constant of the log-density."""
        return self.constant + self.log_unit

    def scaled(self, weight: float) -> QuadraticTerm:
        """The term with its evidence multiplied."""
        return replace(
            self,
            inverse_sd=self.inverse_sd * np.sqrt(weight),
            constant=_times(self.constant, weight),
            missing=_times(self.missing, weight),
        )


@dataclass(frozen=True, eq=False)
class InterpolatedTerm:
    """A curve per group, given at equally spaced nodes from ``low`` to ``high``.

    ``log_nodes`` has the shape (n_nodes, n_groups); ``missing`` counts where the cell is empty. ``log_unit`` belongs
    to log p(x), not to the evidence, as in a TableTerm.
    """

    column: int
    low: float
    high: float
    log_nodes: np.ndarray
    missing: np.ndarray
    log_unit: float = 0.0
    kind: str = field(default="interpolated", init=False)

    @property
    def log_density(self) -> np.ndarray:
        """Log-density at the nodes."""
        return self.log_nodes + self.log_unit

    def scaled(self, weight: float) -> InterpolatedTerm:
        """The term with its evidence multiplied."""
        return replace(
            self,
            log_nodes=_times(self.log_nodes, weight),
            missing=_times(self.missing, weight),
        )


@dataclass(frozen=True, eq=False)
class CurveTerm:
    """A curve per group, given at one place within each fine bin and linear between places.

    ``log_nodes`` has the shape (n_bins, n_groups) and ``places``, increasing, the shape (n_bins,); ``missing``
    counts where the cell is empty. The code of a cell finds the places next to it, so they need no equal spacing.
    """

    column: int
    places: np.ndarray
    log_nodes: np.ndarray
    missing: np.ndarray
    kind: str = field(default="curve", init=False)

    def scaled(self, weight: float) -> CurveTerm:
        """The term with its evidence multiplied."""
        return replace(
            self,
            log_nodes=_times(self.log_nodes, weight),
            missing=_times(self.missing, weight),
        )


@dataclass(frozen=True, eq=False)
class ExponentialTerm:
    """Mixtures of truncated exponentials, one per group, over intervals that all groups share.

    ``low`` and ``high`` bound the domain, beyond which its ends count; ``cuts``, from 0 to 1, bound the intervals
    within it; ``coefficients`` have the shape (n_intervals, n_basis, n_groups) and belong to densities in units of the
    domain. A missing cell says nothing. ``weight`` multiplies the log-density. ``log_unit`` belongs to log p(x), not to
    the evidence, as in a TableTerm.
    """

    column: int
    low: float
    high: float
    cuts: np.ndarray
    coefficients: np.ndarray
    weight: float = 1.0
    log_unit: float = 0.0
    kind: str = field(default="exponential", init=False)

    def scaled(self, weight: float) -> ExponentialTerm:
        """The term with its evidence multiplied."""
        return replace(self, weight=self.weight * weight)


@dataclass(frozen=True, eq=False)
class PairTerm:
    """``log_table[merge_a[code of a], merge_b[code of b], group]``.

    Attributes
    ----------
    columns : tuple of int
        The two columns, a before b.
    merges : tuple of ndarray of int
        The coarse bin of each code; bin 0 gives no evidence.
    log_table : ndarray of shape (n_coarse_a, n_coarse_b, n_groups)
    counts : ndarray of the same shape
        Weight of the training rows.
    """

    columns: tuple[int, int]
    merges: tuple[np.ndarray, np.ndarray]
    log_table: np.ndarray
    counts: np.ndarray
    kind: str = field(default="pair", init=False)


def _times(log_values: np.ndarray, weight: float) -> np.ndarray:
    # a weight of zero silences an impossible value too: infinity times zero would not be a number
    return log_values * weight if weight > 0 else np.zeros_like(log_values)


Term = TableTerm | QuadraticTerm | InterpolatedTerm | CurveTerm | ExponentialTerm
