"""Additive boosting: tables of one and two columns, fitted together."""

from bayfold.families.boosting import files as files  # says what model files may hold
from bayfold.families.boosting.estimator import BoostedNaiveBayesClassifier

__all__ = ["BoostedNaiveBayesClassifier"]
