"""What each class was split into, and how posteriors of subclasses become posteriors of classes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, eq=False)
class Subclasses:
    """Subclasses in the order of their classes.

    Attributes
    ----------
    of_row : ndarray of int
        The subclass of each training row.
    class_of : ndarray of int
        The class of each subclass.
    cluster_of : ndarray of int
        The number of each subclass within its class.
    """

    of_row: np.ndarray
    class_of: np.ndarray
    cluster_of: np.ndarray

    @classmethod
    def number(cls, group_of: np.ndarray, clusters: np.ndarray) -> Subclasses:
        """Number the pairs of class and cluster that occur.

        >>> Subclasses.number(np.array([0, 1, 1]), np.array([0, 5, 2])).of_row
        array([0, 2, 1])
        """
        n_clusters = int(clusters.max()) + 1
        pairs, of_row = np.unique(group_of * n_clusters + clusters, return_inverse=True)
        class_of = pairs // n_clusters
        first = np.searchsorted(class_of, class_of)
        return cls(of_row, class_of, np.arange(len(pairs)) - first)

    def forget_rows(self) -> Subclasses:
        """The subclasses themselves: a fitted model needs no training row, and grows with none."""
        return replace(self, of_row=self.of_row[:0].copy())

    @property
    def is_split(self) -> bool:
        """Whether some class has more than one cluster."""
        return bool((self.cluster_of > 0).any())

    def read_out(self, probability: np.ndarray, readout: str) -> np.ndarray:
        """Posteriors of classes from those of subclasses: their sum, or the largest of them made to add up to one."""
        starts = np.flatnonzero(np.diff(self.class_of, prepend=-1))
        if readout == "sum":
            return np.add.reduceat(probability, starts, axis=1)
        largest = np.maximum.reduceat(probability, starts, axis=1)
        return largest / largest.sum(axis=1, keepdims=True)
