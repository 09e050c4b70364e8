"""Fernández, Nielsen and Salmerón (2008): naive Bayes regression from incomplete data."""

from papers.fernandez2008.run import PAPER

__all__ = ["PAPER"]
