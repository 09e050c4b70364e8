"""Pictures of models. Needs matplotlib: ``pip install "bayfold[plot]"``."""

from bayfold.plot.tree import plot_tree

__all__ = ["plot_tree"]
