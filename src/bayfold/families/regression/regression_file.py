"""What model files hold of regression by kernel densities, and of classes through regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.base.derived_file import OF_LEARNING, SUMMED, check_summed
from bayfold.families.regression.estimator import NaiveBayesRegressor
from bayfold.families.regression.predictor import RegressionPredictor
from bayfold.families.regression.via_regression import ViaRegressionClassifier
from bayfold.persist import expect, register, register_estimator
from bayfold.persist.checks import count_scores, expect_counts, expect_labels


def check_via_regression(model: ViaRegressionClassifier) -> None:
    """A regressor for each class, or one for two, all of the same columns."""
    n_classes = len(model.classes_)
    expect_labels(model.classes_, n_classes, "the classes")
    expect_counts(model.class_count_, (n_classes,), "the counts of classes")
    expect(len(model.regressors_) == count_scores(n_classes), "the regressors")
    for regressor in model.regressors_:
        known = hasattr(regressor, "predict") and hasattr(regressor, "n_features_in_")
        expect(known and regressor.n_features_in_ == model.n_features_in_, "a regressor")


register(RegressionPredictor)
register_estimator(
    NaiveBayesRegressor, check_summed, dropped=OF_LEARNING, **SUMMED, _predictor=RegressionPredictor
)
register_estimator(
    ViaRegressionClassifier,
    check_via_regression,
    classes_=np.ndarray,
    class_count_=np.ndarray,
    regressors_=list[Any],
)
