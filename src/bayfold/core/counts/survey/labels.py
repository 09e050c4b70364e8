"""The labels of a column with their weights."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.sample import LARGEST_HASH, find_word
from bayfold.core.counts.sums import Sum
from bayfold.core.frames import Column

MOST_LABELS = 1 << 18
"""Four times as many as there are codes; more would take more memory than the rest of a fit, and a label of which
there are so many is seldom seen again."""


@dataclass(frozen=True, eq=False)
class LabelSummary(Sum):
    """The weight of every label while there are at most ``MOST_LABELS``.

    Of more, those with the smallest hashes stay, whose weights are exact: what stays does not depend on the order in
    which rows come.

    Attributes
    ----------
    weight_of : dict of str to float
    threshold : int
        Every label seen whose hash is at most this is here.
    """

    weight_of: dict[str, float] = field(default_factory=dict)
    threshold: int = LARGEST_HASH

    @classmethod
    def of(cls, column: Column, weights: np.ndarray, row_hashes: np.ndarray) -> LabelSummary:
        """Of the cells of a column, which go into the hashes of their rows."""
        indices, labels = column.labels()
        words = [find_word("category", column.name, label) for label in labels]
        words.append(find_word("missing", column.name))
        totals = np.zeros(len(words))
        indices = np.require(indices, np.int32, ["C", "W"])
        kernels.count_labels(indices, weights, np.array(words, np.uint64), totals, row_hashes)
        return cls(dict(zip(labels, totals.tolist(), strict=False)))._within_limit()

    def _plus(self, other: LabelSummary) -> LabelSummary:
        united = dict(self.weight_of)
        for label, weight in other.weight_of.items():
            united[label] = united.get(label, 0.0) + weight
        threshold = min(self.threshold, other.threshold)
        if threshold < LARGEST_HASH:
            united = {label: w for label, w in united.items() if _hash(label) <= threshold}
        return LabelSummary(united, threshold)._within_limit()

    def _within_limit(self) -> LabelSummary:
        if len(self.weight_of) <= MOST_LABELS:
            return self
        hashes = {label: _hash(label) for label in self.weight_of}
        threshold = sorted(hashes.values())[MOST_LABELS - 1]
        kept = {label: w for label, w in self.weight_of.items() if hashes[label] <= threshold}
        return LabelSummary(kept, threshold)


def _hash(label: str) -> int:
    return find_word("label", label)
