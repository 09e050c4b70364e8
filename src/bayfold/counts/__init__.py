"""The two statistics, both monoids: joint counts and a sample of rows."""

from bayfold.counts.joint import JointCounts
from bayfold.counts.layout import CodeLayout
from bayfold.counts.sample import RowSample, RowWords
from bayfold.counts.statistics import Statistics

__all__ = ["CodeLayout", "JointCounts", "RowSample", "RowWords", "Statistics"]
