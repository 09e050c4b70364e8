"""Additive boosting: tables of one and two columns, fitted together."""

from bayfold.families.boosting import boosting_file  # says what model files may hold
from bayfold.families.boosting.estimator import BoostedNaiveBayesClassifier
from bayfold.families.boosting.numbers.answers import CollapsedRegressor
from bayfold.families.boosting.regressor import BoostedNaiveBayesRegressor

__all__ = ["BoostedNaiveBayesClassifier", "BoostedNaiveBayesRegressor", "CollapsedRegressor"]
