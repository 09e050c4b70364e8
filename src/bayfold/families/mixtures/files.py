"""What model files hold of mixtures."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.schema import Schema
from bayfold.core.scoring.predictor import Predictor
from bayfold.families.mixtures.estimator import NaiveBayesMixture
from bayfold.persist import register_estimator

register_estimator(
    NaiveBayesMixture,
    _predictor=Predictor,
    schema_=Schema,
    counts_=JointCounts,
    n_components_=int,
    weights_=np.ndarray,
    held_out_log_likelihood_=dict[int, float],
    log_likelihoods_=np.ndarray,
    converged_=bool,
    n_iter_=int,
)
