"""What model files hold of the naive Bayes classifier and of the MDL transformer."""

from __future__ import annotations

import numpy as np

from bayfold.base.files import FOLDED_CLASSIFIER, OF_LEARNING
from bayfold.core.counts import JointCounts
from bayfold.core.schema import Coder
from bayfold.core.scoring.predictor import Predictor
from bayfold.families.naive_bayes.discretizer import MDLDiscretizer
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier
from bayfold.persist import register_estimator

register_estimator(
    NaiveBayesClassifier,
    dropped=OF_LEARNING,
    **FOLDED_CLASSIFIER,
    _predictor=Predictor,
    _counts=JointCounts,
)
register_estimator(
    MDLDiscretizer,
    bin_edges_=list[np.ndarray],
    n_bins_=np.ndarray,
    _coder=Coder,
    _bin_of_code=list[np.ndarray],
)
