"""The naive Bayes classifier."""

from bayfold.families.naive_bayes import naive_bayes_file  # says what model files may hold
from bayfold.families.naive_bayes.discretizer import MDLDiscretizer
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier

__all__ = ["MDLDiscretizer", "NaiveBayesClassifier"]
