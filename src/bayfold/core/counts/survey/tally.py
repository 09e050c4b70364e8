"""How many rows there are and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts.sums import Sum


@dataclass(frozen=True)
class Tally(Sum):
    """Rows and weights, for checks that only all rows together can be put to.

    Attributes
    ----------
    n_rows : int
        All that were read.
    n_unlabelled : int
        Those without a target.
    n_counted : int
        Those with a target and a weight above zero.
    weight : float
        Of those.
    largest : float
        The largest weight.
    """

    n_rows: int = 0
    n_unlabelled: int = 0
    n_counted: int = 0
    weight: float = 0.0
    largest: float = 0.0

    @classmethod
    def of_counted(cls, n_rows: int) -> Tally:
        """Of rows that all count, once each."""
        return cls(n_rows, 0, n_rows, float(n_rows), 1.0 if n_rows else 0.0)

    @classmethod
    def of(cls, known: np.ndarray, weights: np.ndarray | None) -> Tally:
        """Of rows with or without a known target."""
        n_known = int(np.count_nonzero(known))
        n_unlabelled = len(known) - n_known
        if weights is None:
            return cls(len(known), n_unlabelled, n_known, float(n_known), 1.0 if n_known else 0.0)
        counted = weights[known]
        n_counted = int((counted > 0).sum())
        largest = float(weights.max(initial=0.0))
        return cls(len(known), n_unlabelled, n_counted, float(counted.sum()), largest)

    def _plus(self, other: Tally) -> Tally:
        return Tally(
            self.n_rows + other.n_rows,
            self.n_unlabelled + other.n_unlabelled,
            self.n_counted + other.n_counted,
            self.weight + other.weight,
            max(self.largest, other.largest),
        )
