"""What model files hold of averaged one-dependence estimators."""

from __future__ import annotations

from bayfold.base.files import FOLDED_CLASSIFIER, OF_LEARNING
from bayfold.families.aode.counts import PairCounts, PairLayout, PairStatistics
from bayfold.families.aode.estimator import AveragedOneDependenceClassifier
from bayfold.families.aode.model import OneDependenceModel, OneDependencePredictor
from bayfold.persist import register, register_estimator

register(PairLayout)
register(PairCounts)
register(PairStatistics)
register(OneDependenceModel)
register(OneDependencePredictor, model=OneDependenceModel)
register_estimator(
    AveragedOneDependenceClassifier,
    dropped=OF_LEARNING,
    **FOLDED_CLASSIFIER | {"statistics_": PairStatistics},
    _predictor=OneDependencePredictor,
)
