"""Class decomposition: naive Bayes on classes that are split into clusters."""

from bayfold.families.decomposition import decomposition_file  # says what model files may hold
from bayfold.families.decomposition.estimator import ClassDecompositionClassifier

__all__ = ["ClassDecompositionClassifier"]
