"""The two statistics, both monoids: joint counts and a sample of rows."""

from bayfold.counts.joint import JointCounts
from bayfold.counts.sample import RowSample, RowWords
from bayfold.counts.statistics import Statistics

__all__ = ["JointCounts", "RowSample", "RowWords", "Statistics"]
