"""What the standard errors of a model's weights of evidence follow from, beside the counts of its training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class CountErrors:
    """Of a model whose terms are smoothed counts.

    Attributes
    ----------
    kind : str
    strength : float
        As of ``Smoothing``.
    share : float
        Effective rows per counted row: 1 where there are no copies.
    """

    kind: str
    strength: float
    share: float = 1.0


@dataclass(frozen=True, eq=False)
class ShiftErrors:
    """Of a model of a numeric target, beside what rows in bins say.

    Attributes
    ----------
    weights : ndarray of shape (n_columns,)
        How far columns are believed.
    relative : ndarray of the same shape
        Standard errors of these weights, as shares of them.
    """

    weights: np.ndarray
    relative: np.ndarray


@dataclass(frozen=True, eq=False)
class LeftOutShare:
    """How much the rows that were left out are of all.

    Attributes
    ----------
    total : float
        Weight of all rows.
    weights : ndarray
        Of those left out.
    unit_of : ndarray of int or None
        Their units, where rows belong to units.
    """

    total: float
    weights: np.ndarray
    unit_of: np.ndarray | None

    def find_times(self, slopes: np.ndarray) -> float:
        """Effective rows per row that was left out.

        Rows of a unit that are off to the same side are fewer than they look: the squared sums of units, beside the
        sum of squares, say by how much.
        """
        times = self.total / max(float(self.weights.sum()), 1e-300)
        if self.unit_of is None:
            return times
        together = sum(float((np.bincount(self.unit_of, own) ** 2).sum()) for own in slopes.T)
        return times / max(together / max(float((slopes**2).sum()), 1e-300), 1.0)


@dataclass(frozen=True, eq=False)
class LeftOutErrors:
    """Of tables that were fitted together, by rows that some of the models have left out.

    Attributes
    ----------
    information : tuple of ndarray of shape (n_codes, n_scores)
        Of each column: the summed second derivatives of the loss of the rows with a code by their score.
    residuals : tuple of ndarray of the same shapes
        The summed slopes: what the score of all these rows should move by, times the information.
    times : float
        Rows per row that was left out.
    """

    information: tuple[np.ndarray, ...]
    residuals: tuple[np.ndarray, ...]
    times: float

    @classmethod
    def of(
        cls,
        slopes: np.ndarray,
        bends: np.ndarray,
        codes: Mapping[int, np.ndarray],
        n_codes: Sequence[int],
        seen: LeftOutShare,
    ) -> LeftOutErrors:
        """Summed over rows.

        Parameters
        ----------
        slopes, bends : ndarray of shape (n_rows, n_scores)
            Minus the first and the second derivatives of the loss of each row by its scores, times its weight.
        codes : mapping of int to ndarray
            Of these rows, by column.
        n_codes : sequence of int
            Of all columns.
        seen : LeftOutShare
        """
        found: list[tuple[np.ndarray, ...]] = []
        for sums in (bends, slopes):
            tables = [np.zeros((n, sums.shape[1])) for n in n_codes]
            for j, own in codes.items():
                for k, column in enumerate(sums.T):
                    tables[j][:, k] = np.bincount(own, column, n_codes[j])
            found.append(tuple(tables))
        return cls(found[0], found[1], seen.find_times(slopes))
