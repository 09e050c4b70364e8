"""Trees with naive Bayes leaves."""

from bayfold.families.trees import trees_file  # says what model files may hold
from bayfold.families.trees.estimator import NaiveBayesTreeClassifier

__all__ = ["NaiveBayesTreeClassifier"]
