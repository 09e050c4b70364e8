"""The weights of rows while they are boosted, here or where the rows are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from bayfold.core import kernels as bayfold_kernels
from bayfold.core.engine.kept_rows import KeptRows, Largest, RowsHere, round_to_grid
from bayfold.families.adaboost import kernels
from bayfold.families.trees.binning import CodePlaces
from bayfold.families.trees.growing import GrowingPart, keep_here
from bayfold.families.trees.rows import WeightedRows

LEAST_ROW_WEIGHT = 1e-8
"""Least weight of a row; weights sum to the number of rows."""


@dataclass(eq=False)
class BoostedPart(GrowingPart):
    """Some of the rows, or all, with the weights that boosting gives them.

    Attributes
    ----------
    wrong : ndarray of bool
        The rows that the last model puts into another group.
    log_factors : ndarray
        Of confidence-rated boosting.
    """

    wrong: np.ndarray = field(default_factory=lambda: np.empty(0, np.bool_))
    log_factors: np.ndarray = field(default_factory=lambda: np.empty(0))

    def copied(self) -> Self:
        """A part that may be changed while this one stays."""
        log_factors = self.log_factors.copy()
        return replace(super().copied(), wrong=self.wrong.copy(), log_factors=log_factors)

    @property
    def floor(self) -> float:
        """The least factor: no row is forgotten."""
        return max(LEAST_ROW_WEIGHT, self.grid)

    def count(self, places: CodePlaces) -> np.ndarray:
        """Weighted counts of (code, group), the codes of all columns numbered through."""
        data = self.data
        n_groups = data.n_groups
        counts = np.zeros(places.total_codes * n_groups)
        offsets = places.starts * n_groups
        args = data.rows.codes, data.group_of, self.weights, offsets, n_groups, counts
        bayfold_kernels.count_codes(*args)
        return counts.reshape(1, -1, n_groups)

    def mark_wrong(self, voter: Any) -> float:
        """Mark the rows that a model puts into another group, and give their weight."""
        if len(self.wrong) != len(self.factors):
            self.wrong = np.empty(len(self.factors), np.bool_)
        return float(voter.mark_wrong(self.data, self.weights, self.wrong))

    def reweigh(self, if_wrong: float, if_right: float) -> float:
        """Multiply the weights of wrong and of right rows, and give their sum."""
        kernels.reweigh_rows(self.factors, self.wrong, if_wrong, if_right, self.floor)
        return self._find_total()

    def rescale(self, ratio: float) -> None:
        """Multiply all weights."""
        self.factors *= ratio
        round_to_grid(self.factors, self.grid)

    def lower(self, voter: Any) -> Largest:
        """Take what a model gives the group of each row from the logarithm of its weight; the largest that is left."""
        if not len(self.log_factors):
            self.log_factors = np.log(self.factors)
        self.log_factors -= own_scores(voter.score(self.data.rows), self.data.group_of)
        return Largest(float(self.log_factors.max(initial=-np.inf)))

    def raise_to(self, largest: float) -> float:
        """Weights from their logarithms, the largest of which becomes one; their sum."""
        self.log_factors -= largest
        self.factors = np.exp(self.log_factors)
        return self._find_total()

    def lift(self, ratio: float) -> float:
        """Multiply all weights, lift them to the floor, and give their sum."""
        self.factors *= ratio
        np.maximum(self.factors, self.floor, out=self.factors)
        return self._find_total()

    def draw(self, rng: np.random.RandomState, total: float) -> None:
        """How often each row is in a bootstrap sample; rows not drawn get the floor."""
        data = self.data
        drawn = rng.multinomial(max(round(total), 1), data.weights / data.weights.sum())
        self.factors = np.maximum(drawn / data.given, self.floor)
        self.rescale(total / self._find_total())

    def _find_total(self) -> float:
        round_to_grid(self.factors, self.grid)
        # not by BLAS, whose threads wait for each other on a busy machine
        return float(np.einsum("i,i->", self.data.given, self.factors))


def own_scores(scores: np.ndarray, group_of: np.ndarray) -> np.ndarray:
    """The centred score of each row's own group."""
    if scores.shape[1] == 1:
        return np.where(group_of == 1, 0.5, -0.5) * scores[:, 0]
    return scores[np.arange(len(scores)), group_of]


@dataclass(frozen=True, eq=False)
class RowWeights:
    """The weights of all rows, which add up to what they did at first.

    Attributes
    ----------
    rows : KeptRows
        Of ``BoostedPart``.
    total : float
    """

    rows: KeptRows
    total: float

    @classmethod
    def of(cls, data: WeightedRows) -> RowWeights:
        """Of rows of this process."""
        return cls(keep_here(data, BoostedPart), data.total)

    def find_error(self, voter: Any) -> float:
        """Mark the rows that a model gets wrong; their share of the weight."""
        return self.rows.step("mark_wrong", voter) / self.total

    def update(self, error: float) -> None:
        """Half of the weight to the wrong rows, half to the right ones, none below the floor."""
        found = self.rows.step("reweigh", 0.5 / error, 0.5 / (1.0 - error))
        self.rows.update("rescale", self.total / found)

    def lower(self, voter: Any) -> None:
        """Less weight for rows of which a model is sure and right, more where it is wrong."""
        largest = self.rows.step("lower", voter)
        found = self.rows.step("raise_to", largest.value)
        found = self.rows.step("lift", self.total / found)
        self.rows.update("rescale", self.total / found)

    def draw(self, rng: np.random.RandomState) -> None:
        """The weights of a bootstrap sample."""
        assert isinstance(self.rows, RowsHere)  # otherwise refused before anything is read
        self.rows.part.draw(rng, self.total)
