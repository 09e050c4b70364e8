"""Which hashes rows may have to belong to a sample: of all rows, and of the rows of each group."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.schema import Schema

RARE_ROWS = 1_000
"""Rows that are kept of every class where there are as many: the log-odds of a rare class are then known to .03."""

RARE_ERRORS = 6.0
"""Standard errors by which a guess is above what is wanted of a class: hardly ever is another look at the rows due."""


class SampleLimits(NamedTuple):
    """Hashes up to which rows may belong to a sample: of any group, and of some groups."""

    threshold: int = LARGEST_HASH
    of_groups: dict[Any, int] | None = None

    def of(self, groups: np.ndarray) -> np.ndarray:
        """The limit of each group."""
        own = {} if self.of_groups is None else self.of_groups
        usual = LARGEST_HASH if self.of_groups is not None else self.threshold
        return np.array(
            [max(self.threshold, own.get(g, usual)) for g in groups.tolist()], np.uint64
        )


NO_LIMITS = SampleLimits()


def guess_limits(group_of: np.ndarray, groups: np.ndarray, size: int, n_rare: int) -> SampleLimits:
    """Hashes below which enough rows are expected, if all rows differ.

    Parameters
    ----------
    group_of, groups : ndarray
    size : int
        How many rows are wanted in all.
    n_rare : int
        How many are wanted of every group at least; 0 if none has rows of its own.
    """
    threshold = guess_threshold(len(group_of), size)
    if not n_rare or threshold == LARGEST_HASH:
        return SampleLimits(threshold)
    n_rows = np.bincount(group_of, minlength=len(groups)).tolist()
    wanted = n_rare + RARE_ERRORS * float(np.sqrt(n_rare))
    limits = [LARGEST_HASH if n <= wanted else int(LARGEST_HASH * (wanted / n)) for n in n_rows]
    return SampleLimits(threshold, dict(zip(groups.tolist(), limits, strict=True)))


def count_rare(schema: Schema, n_groups: int, size: int) -> int:
    """How many rows are kept of every group at least: none of cells of a target, and none of texts, which are long.

    Of many groups fewer, so that no sample has more than twice as many rows as it should.
    """
    if schema.target is not None or schema.text:
        return 0
    return min(RARE_ROWS, size // max(n_groups, 1))


def guess_threshold(n_rows: int, size: int) -> int:
    """A hash below which a quarter more than the wanted rows are expected, if all rows differ."""
    wanted = 1.25 * size
    return LARGEST_HASH if n_rows <= wanted else int(LARGEST_HASH * (wanted / n_rows))
