"""Mixtures of truncated exponentials as a kind of term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core.densities.terms import Form, Packing
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import RowBlock
from bayfold.errors import cannot_export
from bayfold.families.mte import kernels
from bayfold.families.mte.curves import Mixtures


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
    merge: None = field(default=None, init=False)

    @property
    def mixtures(self) -> Mixtures:
        """The densities in units of the domain."""
        # of one layout, by which rounding differs: pickles and files keep another
        return Mixtures(self.cuts, np.ascontiguousarray(self.coefficients))

    def scaled(self, weight: float) -> ExponentialTerm:
        """The term with its evidence multiplied."""
        return replace(self, weight=self.weight * weight)

    def tabulate(self, centres: np.ndarray | None) -> np.ndarray:
        """The log-densities at the centres."""
        assert centres is not None
        z = np.nan_to_num((centres - self.low) / (self.high - self.low))
        table = self.weight * np.log(self.mixtures.density(z))
        table[:FIRST_BIN] = 0.0
        return table

    def form(self, packing: Packing) -> Form:
        """None that an export knows: the logarithm of a sum of exponentials is no table."""
        raise cannot_export("MTERegressor")

    @classmethod
    def pack(cls, terms: Sequence[ExponentialTerm], packing: Packing) -> PackedExponentials:
        """Uncentred: one score per group is needed to tell pieces of a target apart."""
        low = np.array([term.low for term in terms])
        # the density is the sum divided by the width of the interval
        flat = [term.coefficients / np.diff(term.cuts)[:, None, None] for term in terms]
        return PackedExponentials(
            packing.numeric_positions(terms),
            low,
            1.0 / (np.array([term.high for term in terms]) - low),
            np.array([term.weight for term in terms]),
            np.cumsum([0, *(len(term.cuts) - 1 for term in terms)]).astype(np.int64),
            np.concatenate([term.cuts[:-1] for term in terms]),
            np.concatenate([1.0 / np.diff(term.cuts) for term in terms]),
            np.concatenate(flat),
        )


@dataclass(frozen=True, eq=False)
class PackedExponentials:
    """Mixtures of several columns; the intervals of column k lie between two of the offsets."""

    columns: np.ndarray
    low: np.ndarray
    scale: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray
    starts: np.ndarray
    inverse_widths: np.ndarray
    coefficients: np.ndarray

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add the log-densities at each row's numbers."""
        kernels.score_exponentials(
            block.values,
            self.columns,
            self.low,
            self.scale,
            self.weights,
            self.offsets,
            self.starts,
            self.inverse_widths,
            self.coefficients,
            scores,
        )
