"""The plain fit: schema, fold, density; and scoring of tables."""

from bayfold.learners.calibrate import derive_calibrated
from bayfold.learners.derive import Settings, derive_model, log_priors
from bayfold.learners.fit import learn_statistics
from bayfold.learners.predictor import Predictor

__all__ = [
    "Predictor",
    "Settings",
    "derive_calibrated",
    "derive_model",
    "learn_statistics",
    "log_priors",
]
