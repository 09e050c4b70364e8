"""scikit-learn estimators: thin classes over the layers below."""

from bayfold.estimators.aode import AveragedOneDependenceClassifier
from bayfold.estimators.boosted import BoostedNaiveBayesClassifier
from bayfold.estimators.discretizer import MDLDiscretizer
from bayfold.estimators.naive_bayes import NaiveBayesClassifier
from bayfold.estimators.tree import NaiveBayesTreeClassifier

__all__ = [
    "AveragedOneDependenceClassifier",
    "BoostedNaiveBayesClassifier",
    "MDLDiscretizer",
    "NaiveBayesClassifier",
    "NaiveBayesTreeClassifier",
]
