"""Parts of the rows, each of which is told what the categories of a column say by the rows of the others alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.families.boosting.distinct_rows import DistinctRows

LEAST_PARTS = 8
"""An eighth of the rows less: the counts are nearly those of the whole table."""
MOST_PARTS = 16
"""As many as there are models: in tables of very many folds several make up a part."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows of a part are told of by the others alone.

    Attributes
    ----------
    part_of : ndarray of uint8
    n_parts : int
    per_fold : int
        The parts of a fold stand next to each other; where folds are many, several share a part.
    """

    part_of: np.ndarray
    n_parts: int
    per_fold: int

    def of_fold(self, fold: int) -> np.ndarray:
        """The first part that holds rows of a fold, and the one behind the last."""
        first = fold * self.per_fold % self.n_parts
        return np.array([first, first + self.per_fold])


def deal_parts(rows: DistinctRows) -> Parts:
    """Deal the rows of every fold to parts."""
    n_folds = len(rows.folds) - 1
    per_fold = -(-LEAST_PARTS // n_folds)
    n_shared = min(n_folds, MOST_PARTS)
    fold_of = (np.arange(n_folds) % n_shared).astype(np.uint8)
    part_of = np.repeat(fold_of * np.uint8(per_fold), np.diff(rows.folds))
    if per_fold > 1:
        # the rows of a fold stand in the order of a hash, so their positions are as good as random
        part_of += (np.arange(rows.n_rows) % per_fold).astype(np.uint8)
    return Parts(part_of, n_shared * per_fold, per_fold)
