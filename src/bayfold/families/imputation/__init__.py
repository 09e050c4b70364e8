"""Filling the gaps of a table."""

from bayfold.families.imputation.estimator import NaiveBayesImputer

__all__ = ["NaiveBayesImputer"]
