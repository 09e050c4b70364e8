"""Trees with naive Bayes leaves."""

from bayfold.families.trees.estimator import NaiveBayesTreeClassifier

__all__ = ["NaiveBayesTreeClassifier"]
