"""Class decomposition: classes split into clusters, each a class of its own, and put together again."""

from bayfold.learners.decomposition.folds import deal_by_class
from bayfold.learners.decomposition.search import AccuracySearch
from bayfold.learners.decomposition.subclasses import Subclasses

__all__ = ["AccuracySearch", "Subclasses", "deal_by_class"]
