"""The statistics, all monoids: joint counts, a sample of rows and, for models that want them, pairs."""

from bayfold.counts.joint import JointCounts
from bayfold.counts.layout import CodeLayout
from bayfold.counts.sample import RowSample, RowWords
from bayfold.counts.statistics import Statistics

__all__ = ["CodeLayout", "JointCounts", "RowSample", "RowWords", "Statistics"]
