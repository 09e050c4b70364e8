"""Trees with naive Bayes leaves."""

from bayfold.families.trees import files as files  # says what model files may hold
from bayfold.families.trees.estimator import NaiveBayesTreeClassifier

__all__ = ["NaiveBayesTreeClassifier"]
