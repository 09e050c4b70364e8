"""What model files hold of regression by kernel densities, and of classes through regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.base.files import FOLDED, OF_LEARNING
from bayfold.families.regression.estimator import NaiveBayesRegressor
from bayfold.families.regression.predictor import RegressionPredictor
from bayfold.families.regression.via_regression import ViaRegressionClassifier
from bayfold.persist import register, register_estimator

register(RegressionPredictor)
register_estimator(
    NaiveBayesRegressor, dropped=OF_LEARNING, **FOLDED, _predictor=RegressionPredictor
)
register_estimator(ViaRegressionClassifier, classes_=np.ndarray, regressors_=list[Any])
