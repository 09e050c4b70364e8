"""What model files hold of AdaBoost."""

from __future__ import annotations

import numpy as np

from bayfold.core.schema import Schema
from bayfold.families.adaboost.estimator import AdaBoostNaiveBayesClassifier
from bayfold.families.adaboost.learner import CollapsedEnsemble, VoteEnsemble, VoterRounds
from bayfold.families.adaboost.m1 import Round, TableVoter, TreeVoter
from bayfold.persist import register, register_estimator

register(TableVoter)
register(TreeVoter)
register(Round, voter=TableVoter | TreeVoter)
register(VoteEnsemble)
register(VoterRounds)
register(CollapsedEnsemble, dropped=["rounds"])
register_estimator(
    AdaBoostNaiveBayesClassifier,
    _ensemble=VoteEnsemble | CollapsedEnsemble,
    classes_=np.ndarray,
    schema_=Schema,
    class_count_=np.ndarray,
    round_errors_=np.ndarray,
    round_votes_=np.ndarray,
    round_restarts_=np.ndarray,
    n_rounds_=int,
)
