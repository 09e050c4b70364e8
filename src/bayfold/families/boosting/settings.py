"""What additive boosting is told."""

from __future__ import annotations

from dataclasses import dataclass

from bayfold.base.progress import Callback

HOW_LEFT_OUT = "training rows by the model that left them out, which they told when to stop"
"""How rows are held out, in a summary."""


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
    coarse_first : bool
        Whether the first rounds see numeric columns by few bins.
    linear : bool
        Whether some models may begin with a linear one.
    group_weights : object
        As ``class_weight`` of the estimator.
    seed : int
    n_threads : int
    callback : callable or None
    """

    interactions: int = 2
    n_rounds: int = 2000
    learning_rate: float = 0.1
    early_stopping: bool = True
    patience: int = 30
    n_models: int | None = None
    validation_fraction: float = 0.125
    max_pairs: int | None = None
    coarse_first: bool = True
    linear: bool = True
    group_weights: object = None
    seed: int = 0
    n_threads: int = 1
    callback: Callback | None = None
