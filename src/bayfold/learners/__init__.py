"""The plain fit: schema, fold, density; and scoring of tables."""

from bayfold.learners.calibrate import derive_calibrated
from bayfold.learners.derive import Settings, derive_model, log_priors
from bayfold.learners.fit import learn_statistics
from bayfold.learners.fold_counts import find_centres
from bayfold.learners.one_dependence import (
    PairSettings,
    coarsen_schema,
    derive_one_dependence,
    learn_pairs,
)
from bayfold.learners.one_dependence_calibrate import calibrate_one_dependence
from bayfold.learners.predictor import Predictor

__all__ = [
    "PairSettings",
    "Predictor",
    "Settings",
    "calibrate_one_dependence",
    "coarsen_schema",
    "derive_calibrated",
    "derive_model",
    "derive_one_dependence",
    "find_centres",
    "learn_pairs",
    "learn_statistics",
    "log_priors",
]
