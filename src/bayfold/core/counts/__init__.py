"""The statistics, all monoids: joint counts, a sample of rows and, for models that want them, pairs."""

from bayfold.core.counts.joint import JointCounts
from bayfold.core.counts.labelled_rows import LabelledRows
from bayfold.core.counts.layout import CodeLayout
from bayfold.core.counts.row_hashes import RowHashes
from bayfold.core.counts.sample import RowSample
from bayfold.core.counts.statistics import Statistics
from bayfold.core.counts.words import WordCounts, WordTable
