"""Mixtures of truncated exponentials whose groups have intervals of their own, as a kind of term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core.densities.terms import Form, Packing
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import RowBlock
from bayfold.errors import cannot_export
from bayfold.families.mte.curves import Mixtures
from bayfold.families.mte.term import ExponentialTerm, PackedExponentials

EXPONENTIAL = ("exponential", "own exponential")
"""The kinds of terms that are densities of numbers."""


@dataclass(frozen=True, eq=False)
class OwnExponentialTerm:
    """Mixtures of truncated exponentials, one per group, each over intervals of its own.

    The intervals of group g lie between ``cuts[offsets[g]:offsets[g + 1]]``, from 0 to 1; ``coefficients`` have the
    shape (n_cuts - n_groups, n_basis), group after group. Otherwise as an ExponentialTerm.
    """

    column: int
    low: float
    high: float
    cuts: np.ndarray
    offsets: np.ndarray
    coefficients: np.ndarray
    weight: float = 1.0
    log_unit: float = 0.0
    kind: str = field(default="own exponential", init=False)
    merge: None = field(default=None, init=False)

    @classmethod
    def join(
        cls, column: int, low: float, high: float, fitted: Sequence[Mixtures], log_unit: float
    ) -> OwnExponentialTerm:
        """The term of mixtures of one group each."""
        return cls(
            column,
            low,
            high,
            np.concatenate([mixture.cuts for mixture in fitted]),
            np.cumsum([0, *(len(mixture.cuts) for mixture in fitted)]).astype(np.int64),
            np.concatenate([mixture.coefficients[:, :, 0] for mixture in fitted]),
            log_unit=log_unit,
        )

    @property
    def n_groups(self) -> int:
        """Groups, each with a density."""
        return len(self.offsets) - 1

    def of_group(self, g: int) -> ExponentialTerm:
        """The term of one group alone."""
        first, last = int(self.offsets[g]), int(self.offsets[g + 1])
        own = np.ascontiguousarray(self.coefficients[first - g : last - g - 1, :, None])
        cuts = self.cuts[first:last]
        return ExponentialTerm(
            self.column, self.low, self.high, cuts, own, self.weight, self.log_unit
        )

    def density(self, z: np.ndarray) -> np.ndarray:
        """Densities at coordinates within the domain, of shape (len(z), n_groups)."""
        groups = [self.of_group(g).mixtures.density(z) for g in range(self.n_groups)]
        return np.concatenate(groups, axis=1)

    def scaled(self, weight: float) -> OwnExponentialTerm:
        """The term with its evidence multiplied."""
        return replace(self, weight=self.weight * weight)

    def tabulate(self, centres: np.ndarray | None) -> np.ndarray:
        """The log-densities at the centres."""
        assert centres is not None
        z = np.nan_to_num((centres - self.low) / (self.high - self.low))
        table = self.weight * np.log(self.density(z))
        table[:FIRST_BIN] = 0.0
        return table

    def form(self, packing: Packing) -> Form:
        """None that an export knows: the logarithm of a sum of exponentials is no table."""
        raise cannot_export("MTERegressor")

    @classmethod
    def pack(cls, terms: Sequence[OwnExponentialTerm], packing: Packing) -> PackedByGroup:
        """Group by group, all columns together."""
        groups = range(terms[0].n_groups)
        return PackedByGroup(
            [ExponentialTerm.pack([term.of_group(g) for term in terms], packing) for g in groups]
        )


@dataclass(frozen=True, eq=False)
class PackedByGroup:
    """Mixtures of several columns for each group."""

    groups: list[PackedExponentials]

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add the log-densities at each row's numbers."""
        own = np.empty((len(scores), 1))
        for g, packed in enumerate(self.groups):
            own[:] = 0.0
            packed.add_scores(block, own)
            scores[:, g] += own[:, 0]
