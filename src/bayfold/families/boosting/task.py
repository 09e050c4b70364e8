"""What boosting is given: the rows, the loss, what the models begin with and what they see of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.families.boosting.distinct_rows import DistinctRows
from bayfold.families.boosting.losses import Loss
from bayfold.families.boosting.resolution import Coarsening, View


class ModelStart(Protocol):
    """What models began with, as far as it is part of the model."""

    @property
    def scores(self) -> np.ndarray:
        """Of a row that nothing is known of, of shape (n_scores,)."""

    @property
    def heard(self) -> list[int]:
        """Positions of the columns of many categories that say something."""

    def scaled(self, factor: float) -> Any:
        """The start with what columns say times a factor; ``linear`` is a field of it."""

    def tables(self, counts: JointCounts) -> dict[int, np.ndarray]:
        """What columns add, by their position among the narrow and then the wide codes."""

    def restored(self, columns: np.ndarray, codes: dict[int, np.ndarray]) -> ModelStart:
        """The same where columns, and the codes of some, go back to where they stood: see ``ContentOrder``."""


class Beginning(Protocol):
    """What the models begin with."""

    @property
    def start(self) -> ModelStart:
        """What of it is part of the model."""

    def begin(self, fold: int) -> np.ndarray:
        """What the model that leaves out a fold holds of all rows, of shape (n_rows, n_scores): see ``Loss``."""


@dataclass(frozen=True, eq=False)
class Task:
    """Rows to boost on, and what is to be learnt of them.

    Attributes
    ----------
    rows : DistinctRows
    n_codes : ndarray of int
        Codes of each column.
    ordered : ndarray of bool
        Whether a column is cut at thresholds.
    loss : Loss
    n_drawn : int
        Columns that each tree may choose from.
    coarsening : Coarsening or None
        What the first rounds see of the columns; None for all.
    views : sequence of View
        What each model sees of the columns in all rounds; empty if all see all of them.
    """

    rows: DistinctRows
    n_codes: np.ndarray
    ordered: np.ndarray
    loss: Loss
    n_drawn: int
    coarsening: Coarsening | None = None
    views: Sequence[View] = ()
