"""Mixtures of truncated exponentials, and learning from incomplete data with them."""

from bayfold.families.mte import mte_file  # says what model files may hold
from bayfold.families.mte.density import MTEDensity
from bayfold.families.mte.estimator import MTERegressor

__all__ = ["MTEDensity", "MTERegressor"]
