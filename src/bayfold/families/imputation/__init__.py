"""Filling the gaps of a table."""

from bayfold.families.imputation import imputation_file  # says what model files may hold
from bayfold.families.imputation.estimator import NaiveBayesImputer

__all__ = ["NaiveBayesImputer"]
