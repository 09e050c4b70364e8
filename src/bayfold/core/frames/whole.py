"""What is known of all rows where a table holds only some of them."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Numbers(Protocol):
    """What the numbers of a column are, over all rows."""

    @property
    def low(self) -> float:
        """The smallest; infinity where there is none."""

    @property
    def high(self) -> float:
        """The largest; minus infinity where there is none."""

    @property
    def values(self) -> np.ndarray:
        """Distinct finite numbers in increasing order: all, or of more than 254 the 255 with the smallest hashes."""


class WholeTable(Protocol):
    """All rows of a table that was too long to be held."""

    @property
    def target(self) -> Numbers | None:
        """Of a numeric target."""

    def labels(self, column: int) -> tuple[list[str], np.ndarray]:
        """The labels of a column, and the weight of each."""

    def numbers(self, column: int) -> Numbers:
        """The numbers of a column."""
