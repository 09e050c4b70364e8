"""All models of the library with their defaults beside the peers a user would pick instead, on all datasets."""

from papers.defaults.run import PAPER

__all__ = ["PAPER"]
