"""Naive Bayes for a numeric target by kernel densities, and classes through regression."""

from bayfold.families.regression import regression_file  # says what model files may hold
from bayfold.families.regression.estimator import NaiveBayesRegressor
from bayfold.families.regression.via_regression import ViaRegressionClassifier

__all__ = ["NaiveBayesRegressor", "ViaRegressionClassifier"]
