"""Pictures of models and of what their probabilities are worth. Needs matplotlib: ``pip install "bayfold[plot]"``."""

from bayfold.plot.evidence import plot_evidence
from bayfold.plot.reliability import plot_reliability
from bayfold.plot.tree import plot_tree

__all__ = ["plot_evidence", "plot_reliability", "plot_tree"]
