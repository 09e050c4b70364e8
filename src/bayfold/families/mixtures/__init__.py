"""Mixtures of naive Bayes components by EM."""

from bayfold.families.mixtures.estimator import NaiveBayesMixture

__all__ = ["NaiveBayesMixture"]
