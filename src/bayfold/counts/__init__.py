"""The statistics, all monoids: joint counts, a sample of rows and, for models that want them, pairs."""

from bayfold.counts.joint import JointCounts
from bayfold.counts.layout import CodeLayout
from bayfold.counts.pairs import PairCounts, PairLayout, PairStatistics, count_pairs
from bayfold.counts.sample import RowSample, RowWords
from bayfold.counts.statistics import Statistics

__all__ = [
    "CodeLayout",
    "JointCounts",
    "PairCounts",
    "PairLayout",
    "PairStatistics",
    "RowSample",
    "RowWords",
    "Statistics",
    "count_pairs",
]
