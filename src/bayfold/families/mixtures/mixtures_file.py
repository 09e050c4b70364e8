"""What model files hold of mixtures."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.schema import Schema
from bayfold.core.scoring.predictor import Predictor
from bayfold.families.mixtures.estimator import NaiveBayesMixture
from bayfold.persist import check_counted, expect, register_estimator
from bayfold.persist.checks import expect_counts, expect_finite


def check_mixture(mixture: NaiveBayesMixture) -> None:
    """Counts of the model's components."""
    model = mixture._predictor.model
    check_counted(model, mixture.counts_)
    expect(mixture.schema_ == model.schema, "the schema")
    expect(mixture.n_features_in_ == len(model.schema.columns), "the number of columns")
    expect(mixture.n_components_ == model.n_groups, "the components")
    expect_counts(mixture.weights_, (model.n_groups,), "the weights of components")
    expect_finite(mixture.log_likelihoods_, (None,), "the likelihoods")


register_estimator(
    NaiveBayesMixture,
    check_mixture,
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
