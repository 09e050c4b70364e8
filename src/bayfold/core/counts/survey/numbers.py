"""What the numbers of a column are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.sample import LARGEST_HASH
from bayfold.core.counts.sums import Sum
from bayfold.core.frames import Column
from bayfold.core.frames.columns import cells_as_kept
from bayfold.core.kernels.codes import NARROW_BINS

MOST_VALUES = NARROW_BINS + 1
"""One more than a column of few values may have: who finds so many knows that there are too many."""

SLOTS = 1024
"""Of the hash table: a power of two, four times the values or more."""


NUMBERS_AT_ONCE = 1 << 15
"""As floats they stay in the second-level cache, and their memory is there already from the ones before."""


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

    @classmethod
    def of(
        cls,
        column: Column,
        row_hashes: np.ndarray,
        threshold: int = LARGEST_HASH,
    ) -> NumberSummary:
        """Of the cells of a column, which go into the hashes of their rows.

        Numbers with a hash above the threshold are known not to be wanted.
        """
        slots, known = np.full(SLOTS, np.nan), np.zeros(SLOTS, np.uint64)
        span, state = np.array([np.inf, -np.inf]), np.array([0, threshold], np.uint64)
        is_short = cells_as_kept(column, 0, 0).dtype == np.float32
        space = np.empty(
            min(len(row_hashes), NUMBERS_AT_ONCE), np.float32 if is_short else np.float64
        )
        for start in range(0, len(row_hashes), NUMBERS_AT_ONCE):
            hashes = row_hashes[start : start + NUMBERS_AT_ONCE]
            values = space[: len(hashes)]
            values[:] = cells_as_kept(column, start, start + len(hashes))
            kernels.collect_values(values, MOST_VALUES, slots, known, state, span, hashes)
        used = ~np.isnan(slots)
        return cls(span[0], span[1], *_keep_smallest(known[used], slots[used]))

    @property
    def threshold(self) -> int:
        """Numbers with a larger hash are not kept."""
        return int(self.hashes[-1]) if len(self.hashes) >= MOST_VALUES else LARGEST_HASH

    @property
    def values(self) -> np.ndarray:
        """The numbers kept, in increasing order."""
        return np.sort(self.numbers)

    def _plus(self, other: NumberSummary) -> NumberSummary:
        hashes, numbers = self.hashes, self.numbers
        if not np.array_equal(hashes, other.hashes):
            hashes = np.concatenate([hashes, other.hashes])
            hashes, numbers = _keep_smallest(hashes, np.concatenate([numbers, other.numbers]))
        low, high = min(self.low, other.low), max(self.high, other.high)
        return NumberSummary(low, high, hashes, numbers)


def _keep_smallest(hashes: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    kept, first = np.unique(hashes, return_index=True)
    return kept[:MOST_VALUES], numbers[first[:MOST_VALUES]]
