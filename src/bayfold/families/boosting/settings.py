"""What additive boosting is told: its settings and its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.base.progress import Callback
from bayfold.core.frames import Table


@dataclass(frozen=True)
class BoostSettings:
    """The parameters of ``BoostedNaiveBayesClassifier``, checked.

    Attributes
    ----------
    interactions : int
        Columns an additive table may speak of together, 1 or 2.
    n_rounds : int
    learning_rate : float
    early_stopping : bool
    patience : int
    n_models : int or None
        Cross-fitted models; None for a number that suits the number of rows.
    validation_fraction : float
        Left out by each model, where that is less than its share of all folds.
    max_pairs : int or None
    seed : int
    callback : callable or None
    """

    interactions: int = 2
    n_rounds: int = 1000
    learning_rate: float = 0.1
    early_stopping: bool = True
    patience: int = 30
    n_models: int | None = None
    validation_fraction: float = 0.125
    max_pairs: int | None = None
    seed: int = 0
    callback: Callback | None = None


@dataclass(frozen=True, eq=False)
class BoostRows:
    """Rows to learn from: a table with the group and weight of each row."""

    table: Table
    groups: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray | None = None
    n_threads: int = 1
