"""What every estimator shares: reading and checking X, y and weights, learning in parts, answers, progress."""

from bayfold.base import derived_file  # says what model files may hold
