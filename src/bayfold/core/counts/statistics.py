"""The statistics of the same rows, added side by side."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from bayfold.core.counts.joint import JointCounts
from bayfold.core.counts.sample import RowSample
from bayfold.core.counts.sums import Sum
from bayfold.core.counts.words import WordCounts
from bayfold.core.schema import Schema


@dataclass(frozen=True, eq=False)
class Statistics(Sum):
    """All a model is derived from.

    Attributes
    ----------
    counts : JointCounts
    sample : RowSample
    words : WordCounts
        Of the columns of text, if there are any.
    """

    counts: JointCounts = field(default_factory=JointCounts.zero)
    sample: RowSample = field(default_factory=RowSample.zero)
    words: WordCounts = field(default_factory=WordCounts.zero)

    @property
    def schema(self) -> Schema | None:
        """The schema of the counts; None for zero."""
        return self.counts.schema

    @property
    def groups(self) -> np.ndarray:
        """Sorted labels of the groups."""
        return self.counts.groups

    def _plus(self, other: Self) -> Self:
        return replace(
            self,
            counts=self.counts + other.counts,
            sample=self.sample + other.sample,
            words=self.words + other.words,
        )
