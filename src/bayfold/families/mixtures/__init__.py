"""Mixtures of naive Bayes components by EM."""

from bayfold.families.mixtures import files as files  # says what model files may hold
from bayfold.families.mixtures.estimator import NaiveBayesMixture

__all__ = ["NaiveBayesMixture"]
