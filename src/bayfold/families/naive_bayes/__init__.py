"""The naive Bayes classifier."""

from bayfold.families.naive_bayes import files as files  # says what model files may hold
from bayfold.families.naive_bayes.discretizer import MDLDiscretizer
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier

__all__ = ["MDLDiscretizer", "NaiveBayesClassifier"]
