"""scikit-learn estimators: thin classes over the layers below."""

from bayfold.estimators.aode import AveragedOneDependenceClassifier
from bayfold.estimators.boosted import BoostedNaiveBayesClassifier
from bayfold.estimators.decomposition import ClassDecompositionClassifier
from bayfold.estimators.discretizer import MDLDiscretizer
from bayfold.estimators.mixture import NaiveBayesMixture
from bayfold.estimators.naive_bayes import NaiveBayesClassifier
from bayfold.estimators.naive_bayes_regressor import NaiveBayesRegressor
from bayfold.estimators.tree import NaiveBayesTreeClassifier
from bayfold.estimators.via_regression import ViaRegressionClassifier

__all__ = [
    "AveragedOneDependenceClassifier",
    "BoostedNaiveBayesClassifier",
    "ClassDecompositionClassifier",
    "MDLDiscretizer",
    "NaiveBayesClassifier",
    "NaiveBayesMixture",
    "NaiveBayesRegressor",
    "NaiveBayesTreeClassifier",
    "ViaRegressionClassifier",
]
