"""scikit-learn estimators: thin classes over the layers below."""

from bayfold.estimators.aode import AveragedOneDependenceClassifier
from bayfold.estimators.discretizer import MDLDiscretizer
from bayfold.estimators.imputer import NaiveBayesImputer
from bayfold.estimators.mte_regressor import MTERegressor
from bayfold.estimators.naive_bayes import NaiveBayesClassifier
from bayfold.estimators.naive_bayes_regressor import NaiveBayesRegressor
from bayfold.estimators.via_regression import ViaRegressionClassifier

__all__ = [
    "AveragedOneDependenceClassifier",
    "MDLDiscretizer",
    "MTERegressor",
    "NaiveBayesClassifier",
    "NaiveBayesImputer",
    "NaiveBayesRegressor",
    "ViaRegressionClassifier",
]
