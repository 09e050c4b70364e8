"""The labels of a column with their weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from operator import add

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.row_hashes import LARGEST_HASH, hash_label
from bayfold.core.counts.sums import Sum
from bayfold.core.frames import Column, Strings
from bayfold.core.frames.labels import lend_cells
from bayfold.core.label_cache import cached_per_labels

MOST_LABELS = 1 << 18
"""Four times as many as there are codes; more would take more memory than the rest of a fit, and a label of which
there are so many is seldom seen again."""


TURNS = 4
"""Tables in which labels are counted by turns: as many as ``count_equal_labels`` takes."""

MOST_CHARACTERS = 1 << 24
"""Of all labels together: whole texts are labels too until all rows have been seen. As many categories as there are
codes may have 256 characters each."""


@dataclass(frozen=True, eq=False)
class LabelSummary(Sum):
    """The weight of every label while there are at most ``MOST_LABELS`` of ``MOST_CHARACTERS`` together.

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

    @property
    def is_whole(self) -> bool:
        """Whether every label that was seen is here."""
        return self.threshold == LARGEST_HASH

    def _plus(self, other: LabelSummary) -> LabelSummary:
        united = _add_weights(self.weight_of, other.weight_of)
        threshold = min(self.threshold, other.threshold)
        if threshold < LARGEST_HASH:
            is_kept = (_hash_labels(list(united)) <= np.uint64(threshold)).tolist()
            united = dict(compress(united.items(), is_kept))
        return LabelSummary(united, threshold).within_limit()

    def within_limit(self) -> LabelSummary:
        """The same while it is small enough, otherwise what stays of it."""
        labels = list(self.weight_of)
        if len(labels) <= MOST_LABELS and sum(map(len, labels)) <= MOST_CHARACTERS:
            return self
        lengths = np.fromiter(map(len, labels), np.int64, len(labels))
        hashes = _hash_labels(labels)
        order = np.argsort(hashes)
        affordable = int(np.searchsorted(np.cumsum(lengths[order]), MOST_CHARACTERS, side="right"))
        kept = order[: max(min(affordable, MOST_LABELS), 1)]
        weight_of = {labels[k]: self.weight_of[labels[k]] for k in np.sort(kept).tolist()}
        return LabelSummary(weight_of, int(hashes[kept[-1]]))


class LabelCollector:
    """Goes through the cells of a column, some rows at a time.

    Parameters
    ----------
    column : Column
    """

    def __init__(self, column: Column) -> None:
        indices, self._labels = column.labels()
        self._indices = lend_cells(indices.astype(np.int32, copy=False))
        self._words = _find_words(column.name, self._labels)
        self._totals = np.zeros(len(self._words))
        self._counts = np.zeros((TURNS, len(self._words)), np.uint32)

    def add(
        self, start: int, stop: int, weights: np.ndarray | None, row_hashes: np.ndarray
    ) -> None:
        """Count the cells of some rows, of weight one without weights, which go into the hashes of these."""
        indices = self._indices[start:stop]
        if weights is None:
            kernels.count_equal_labels(indices, self._words, self._counts, row_hashes)
        else:
            kernels.count_labels(indices, weights, self._words, self._totals, row_hashes)

    def summary(self) -> LabelSummary:
        """The labels of the rows so far, and what they weigh."""
        totals = self._totals + self._counts.sum(axis=0)
        weight_of = dict(zip(self._labels, totals.tolist(), strict=False))
        return LabelSummary(weight_of).within_limit()


def _add_weights(first: dict[str, float], second: dict[str, float]) -> dict[str, float]:
    """The weight of each label in both together."""
    if list(first) == list(second):  # most often, where labels are few beside rows
        return dict(zip(first, map(add, first.values(), second.values()), strict=True))
    united = dict(first)
    for label, weight in second.items():
        united[label] = united.get(label, 0.0) + weight
    return united


def _find_words(name: str, labels: list[str]) -> np.ndarray:
    """The word of each label, and behind them that of a missing cell."""
    words = _hash_labels(labels) ^ np.uint64(hash_label("category", name))
    kernels.mix_hashes(words)
    return np.append(words, np.uint64(hash_label("missing", name)))


@cached_per_labels
def _hash_labels(labels: list[str]) -> np.ndarray:
    """A hash of each label by its bytes, all at once: in columns of text there are as many labels as rows."""
    return Strings.of_texts(labels).hash_cells(np.arange(len(labels)))
