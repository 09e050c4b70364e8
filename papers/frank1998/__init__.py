"""Frank, Trigg, Holmes and Witten (1998): naive Bayes for regression."""

from papers.frank1998.run import PAPER

__all__ = ["PAPER"]
