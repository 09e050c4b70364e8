"""What all ways of boosting share: their settings, and what an ensemble can be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.frames import Table
from bayfold.core.scoring import NaiveBayesModel
from bayfold.families.trees.grower import TreeSettings

Callback = Callable[[int, int, float], Any]
"""Called after some rounds with the rounds so far, the most there will be, and the loss or error now (NaN: none)."""


@dataclass(frozen=True)
class BoostSettings:
    """The parameters of ``BoostedNaiveBayesClassifier``, checked.

    Attributes
    ----------
    method : str
    tree : TreeSettings
        What AdaBoost boosts; a tree of depth 0 is plain naive Bayes.
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
    restarts : bool
    max_pairs : int or None
    seed : int
    callback : callable or None
    """

    method: str = "additive"
    tree: TreeSettings = field(default_factory=lambda: TreeSettings(max_depth=0))
    interactions: int = 2
    n_rounds: int = 1000
    learning_rate: float = 0.1
    early_stopping: bool = True
    patience: int = 30
    n_models: int | None = None
    validation_fraction: float = 0.125
    restarts: bool = True
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


class Ensemble(Protocol):
    """A boosted model.

    Attributes
    ----------
    log_prior : ndarray of shape (n_groups,)
    model : NaiveBayesModel or None
        The sum of all rounds as one model of tables; None where votes do not add up to one.
    counts : JointCounts or None
        What the tables of the model were counted from.
    learnt : dict
        The schema as ``schema_``, and what else is worth knowing, by attribute name of the estimator.
    """

    log_prior: np.ndarray
    learnt: dict[str, Any]

    @property
    def model(self) -> NaiveBayesModel | None:
        """See the class."""

    @property
    def counts(self) -> JointCounts | None:
        """See the class."""

    def score(
        self, table: Table, *, readout: Callable | None = None, n_threads: int = 1
    ) -> np.ndarray:
        """Scores of shape (n_rows, n_scores), one for two groups, or what ``readout`` makes of them."""

    def staged_scores(self, table: Table, n_threads: int = 1) -> Iterator[np.ndarray]:
        """Scores after each round."""
