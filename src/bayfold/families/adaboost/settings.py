"""What AdaBoost is told."""

from __future__ import annotations

from dataclasses import dataclass, field

from bayfold.base.progress import Callback
from bayfold.families.trees.grower import TreeSettings


@dataclass(frozen=True)
class AdaBoostSettings:
    """The parameters of ``AdaBoostNaiveBayesClassifier``, checked.

    Attributes
    ----------
    tree : TreeSettings
        What is boosted; a tree of depth 0 is plain naive Bayes.
    n_rounds : int
    learning_rate : float
        Of the confidence-rated kind.
    restarts : bool
        Of AdaBoost.M1.
    group_weights : object
        As ``class_weight`` of the estimator.
    seed : int
    callback : callable or None
    n_threads : int
    """

    tree: TreeSettings = field(default_factory=lambda: TreeSettings(max_depth=0))
    n_rounds: int = 100
    learning_rate: float = 0.1
    restarts: bool = True
    group_weights: object = None
    seed: int = 0
    callback: Callback | None = None
    n_threads: int = 1
