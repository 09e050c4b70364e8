"""AdaBoost of naive Bayes and of trees with naive Bayes leaves."""

from bayfold.families.adaboost import adaboost_file  # says what model files may hold
from bayfold.families.adaboost.estimator import AdaBoostNaiveBayesClassifier

__all__ = ["AdaBoostNaiveBayesClassifier"]
