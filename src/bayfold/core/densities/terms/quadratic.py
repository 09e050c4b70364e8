"""A parabola per group: the logarithm of a normal density."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.terms.forms import ParabolaForm
from bayfold.core.densities.terms.protocol import Packing, multiply
from bayfold.core.kernels.encode import MISSING, UNSEEN
from bayfold.core.schema import RowBlock


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
    merge: None = field(default=None, init=False)

    @property
    def log_constant(self) -> np.ndarray:
        """The constant of the log-density."""
        return self.constant + self.log_unit

    def scaled(self, weight: float) -> QuadraticTerm:
        """The term with its evidence multiplied."""
        return replace(
            self,
            inverse_sd=self.inverse_sd * np.sqrt(weight),
            constant=multiply(self.constant, weight),
            missing=multiply(self.missing, weight),
        )

    def tabulate(self, centres: np.ndarray | None) -> np.ndarray:
        """The parabolas at the centres."""
        assert centres is not None
        z = (centres[:, None] - self.mean) * self.inverse_sd
        table = self.constant - 0.5 * z * z
        table[MISSING] = self.missing
        table[UNSEEN] = 0.0
        return table

    def form(self, packing: Packing) -> ParabolaForm:
        """The parameters of all groups."""
        missing = packing.weigh(self.missing)
        return ParabolaForm(self.mean, self.inverse_sd, self.constant, missing)

    @classmethod
    def pack(cls, terms: Sequence[QuadraticTerm], packing: Packing) -> PackedQuadratics:
        """The parameters of all groups, column by column."""
        constants = [term.constant if packing.centred else term.log_constant for term in terms]
        return PackedQuadratics(
            packing.numeric_positions(terms),
            np.array([term.mean for term in terms]),
            np.array([term.inverse_sd for term in terms]),
            np.array(constants),
            np.array([term.missing for term in terms]),
            packing.centred,
        )


@dataclass(frozen=True, eq=False)
class PackedQuadratics:
    """Parabolas of several columns: arrays of shape (n_columns, n_groups)."""

    columns: np.ndarray
    mean: np.ndarray
    inverse_sd: np.ndarray
    constant: np.ndarray
    missing: np.ndarray
    centred: bool

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add the parabolas at each row's numbers."""
        kernels.score_quadratics(
            block.values,
            self.columns,
            self.mean,
            self.inverse_sd,
            self.constant,
            self.missing,
            self.centred,
            scores,
        )
