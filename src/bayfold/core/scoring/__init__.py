"""The naive Bayes equation once: log joint, evidence, readout. Pure functions of terms."""

from bayfold.core.densities import centre_groups
from bayfold.core.scoring.distribution import Distribution, GridDistribution
from bayfold.core.scoring.naive_bayes import Calibration, Dropped, NaiveBayesModel, Scorer
from bayfold.core.scoring.readout import log_probabilities, probabilities
