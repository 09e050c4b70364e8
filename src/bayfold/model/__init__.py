"""The naive Bayes equation once: log joint, evidence, readout. Pure functions of terms."""

from bayfold.model.contrast import centre_groups
from bayfold.model.distribution import Distribution, GridDistribution
from bayfold.model.naive_bayes import Calibration, Dropped, NaiveBayesModel
from bayfold.model.readout import log_probabilities, probabilities
from bayfold.model.scorer import Scorer

__all__ = [
    "Calibration",
    "Distribution",
    "Dropped",
    "GridDistribution",
    "NaiveBayesModel",
    "Scorer",
    "centre_groups",
    "log_probabilities",
    "probabilities",
]
