"""What model files hold of additive boosting."""

from __future__ import annotations

import numpy as np

from bayfold.core.schema import Schema
from bayfold.families.boosting.categories import Belief, Start
from bayfold.families.boosting.cross_fit import CrossFit
from bayfold.families.boosting.estimator import BoostedNaiveBayesClassifier
from bayfold.families.boosting.learner import AdditiveEnsemble, TreeRounds
from bayfold.persist import register, register_estimator

register(Belief)
register(Start)
register(CrossFit)
register(TreeRounds)
register(AdditiveEnsemble, dropped=["rounds"])
register_estimator(
    BoostedNaiveBayesClassifier,
    _ensemble=AdditiveEnsemble,
    classes_=np.ndarray,
    schema_=Schema,
    n_rounds_=int,
    validation_loss_=np.ndarray,
    left_out_share_=float,
)
