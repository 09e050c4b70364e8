"""Elkan (1997): boosting and naive Bayesian learning."""

from papers.elkan1997.run import PAPER

__all__ = ["PAPER"]
