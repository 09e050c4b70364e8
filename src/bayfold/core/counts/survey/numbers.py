"""What the numbers of a column are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.counts.sums import Sum
from bayfold.core.frames import Column
from bayfold.core.frames.columns import lend_numbers
from bayfold.core.kernels.encode import NARROW_BINS

MOST_VALUES = NARROW_BINS + 1
"""One more than a column of few values may have: who finds so many knows that there are too many."""

SLOTS = 1024
"""Of the hash table: a power of two, four times the values or more."""


@dataclass(frozen=True, eq=False)
class NumberSummary(Sum):
    """The range of a column's numbers, and its distinct ones while there are few.

    Attributes
    ----------
    low, high : float
    hashes : ndarray of uint64
        In increasing order.
    numbers : ndarray
        The number of each hash; the ``MOST_VALUES`` smallest hashes are kept.
    """

    low: float = np.inf
    high: float = -np.inf
    hashes: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    numbers: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def threshold(self) -> int:
        """Numbers with a larger hash are not kept."""
        return int(self.hashes[-1]) if len(self.hashes) >= MOST_VALUES else LARGEST_HASH

    @property
    def values(self) -> np.ndarray:
        """The numbers kept, in increasing order."""
        return np.sort(self.numbers)

    def _plus(self, other: NumberSummary) -> NumberSummary:
        hashes = self.hashes
        numbers = self.numbers
        if not np.array_equal(hashes, other.hashes):
            hashes = np.concatenate([hashes, other.hashes])
            hashes, numbers = _keep_smallest(hashes, np.concatenate([numbers, other.numbers]))
        low = min(self.low, other.low)
        high = max(self.high, other.high)
        return NumberSummary(low, high, hashes, numbers)


class NumberCollector:
    """Goes through the cells of a column, some rows at a time.

    Parameters
    ----------
    column : Column
    threshold : int
        Numbers with a larger hash are known not to be wanted.
    """

    def __init__(self, column: Column, threshold: int = LARGEST_HASH) -> None:
        self._read = lend_numbers(column)
        self._slots = np.full(SLOTS, np.nan)
        self._known = np.zeros(SLOTS, np.uint64)
        self._span = np.array([np.inf, -np.inf])
        self._state = np.array([0, threshold], np.uint64)

    def add(self, start: int, stop: int, row_hashes: np.ndarray) -> None:
        """Look at the cells of some rows, which go into the hashes of these."""
        values = self._read(start, stop)
        kernels.collect_values(
            values, MOST_VALUES, self._slots, self._known, self._state, self._span, row_hashes
        )

    def summary(self) -> NumberSummary:
        """What was found in the rows so far."""
        used = ~np.isnan(self._slots)
        found = _keep_smallest(self._known[used], self._slots[used])
        return NumberSummary(self._span[0], self._span[1], *found)


def _keep_smallest(hashes: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    kept, first = np.unique(hashes, return_index=True)
    return kept[:MOST_VALUES], numbers[first[:MOST_VALUES]]
