"""Both statistics of the same rows, added side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayfold.core.counts.joint import JointCounts
from bayfold.core.counts.sample import RowSample
from bayfold.core.schema import Schema


@dataclass(frozen=True, eq=False)
class Statistics:
    """All a model is derived from.

    Attributes
    ----------
    counts : JointCounts
    sample : RowSample
    """

    counts: JointCounts = field(default_factory=JointCounts.zero)
    sample: RowSample = field(default_factory=RowSample.zero)

    @classmethod
    def zero(cls) -> Statistics:
        """The statistics of no rows: the identity of ``+``."""
        return cls()

    @property
    def schema(self) -> Schema | None:
        """The schema of the counts; None for zero."""
        return self.counts.schema

    @property
    def groups(self) -> np.ndarray:
        """Sorted labels of the groups."""
        return self.counts.groups

    def __add__(self, other: Any) -> Statistics:
        """Statistics of the rows of both."""
        if isinstance(other, int) and other == 0:  # where sum() starts
            return self
        if not isinstance(other, Statistics):
            return NotImplemented
        return Statistics(self.counts + other.counts, self.sample + other.sample)

    __radd__ = __add__
