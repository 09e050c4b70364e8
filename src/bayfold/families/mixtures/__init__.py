"""Mixtures of naive Bayes components by EM."""

from bayfold.families.mixtures import mixtures_file  # says what model files may hold
from bayfold.families.mixtures.estimator import NaiveBayesMixture

__all__ = ["NaiveBayesMixture"]
