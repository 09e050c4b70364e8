"""Averaged one-dependence estimators: every column in turn is the parent of the others."""

from bayfold.families.aode import aode_file  # says what model files may hold
from bayfold.families.aode.estimator import AveragedOneDependenceClassifier

__all__ = ["AveragedOneDependenceClassifier"]
