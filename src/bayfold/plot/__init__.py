"""Pictures of models and of what their probabilities are worth. Needs matplotlib: ``pip install "bayfold[plot]"``."""

from bayfold.plot.distribution import plot_calibration, plot_distribution
from bayfold.plot.evidence import plot_evidence
from bayfold.plot.explanation import plot_explanation
from bayfold.plot.interaction import plot_interaction
from bayfold.plot.mixture import plot_mixture
from bayfold.plot.model import plot_model
from bayfold.plot.nomogram import plot_nomogram
from bayfold.plot.reliability import plot_reliability
from bayfold.plot.tree import plot_tree

__all__ = [
    "plot_calibration",
    "plot_distribution",
    "plot_evidence",
    "plot_explanation",
    "plot_interaction",
    "plot_mixture",
    "plot_model",
    "plot_nomogram",
    "plot_reliability",
    "plot_tree",
]
