"""Mixtures of truncated exponentials as kinds of term: groups share their intervals, or each group has its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from bayfold.core.densities.terms import Form, Packing
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import RowBlock
from bayfold.errors import cannot_export
from bayfold.families.mte import kernels
from bayfold.families.mte.curves import Mixtures


class DensityTerm(ABC):
    """What terms of densities on a bounded domain share.

    ``low`` and ``high`` bound the domain, beyond which its ends count; ``weight`` multiplies the log-density.
    """

    low: float
    high: float
    weight: float

    @abstractmethod
    def density(self, z: np.ndarray) -> np.ndarray:
        """Densities at coordinates within the domain, of shape (len(z), n_groups)."""

    def scaled(self, weight: float) -> Self:
        """The term with its evidence multiplied."""
        return replace(self, weight=self.weight * weight)  # type: ignore[type-var]

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


@dataclass(frozen=True, eq=False)
class ExponentialTerm(DensityTerm):
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

    def density(self, z: np.ndarray) -> np.ndarray:
        """Densities at coordinates within the domain, of shape (len(z), n_groups)."""
        return self.mixtures.density(z)

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


EXPONENTIAL = ("exponential", "own exponential")
"""The kinds of terms that are densities of numbers."""


@dataclass(frozen=True, eq=False)
class OwnExponentialTerm(DensityTerm):
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
        first = int(self.offsets[g])
        last = int(self.offsets[g + 1])
        own = np.ascontiguousarray(self.coefficients[first - g : last - g - 1, :, None])
        cuts = self.cuts[first:last]
        return ExponentialTerm(
            self.column, self.low, self.high, cuts, own, self.weight, self.log_unit
        )

    def density(self, z: np.ndarray) -> np.ndarray:
        """Densities at coordinates within the domain, of shape (len(z), n_groups)."""
        groups = [self.of_group(g).mixtures.density(z) for g in range(self.n_groups)]
        return np.concatenate(groups, axis=1)

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
