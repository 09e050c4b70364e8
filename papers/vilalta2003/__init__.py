"""Vilalta and Rish (2003): classes decomposed into clusters."""

from papers.vilalta2003.run import PAPER

__all__ = ["PAPER"]
