"""Bandwidths with the largest leave-one-out likelihood of a column given the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayfold.core.counts.target_axis import TargetAxis
from bayfold.core.engine.reduce import on_one_thread
from bayfold.families.regression import kernels
from bayfold.families.regression.bin_kernels import (
    BinKernel,
    find_merged_starts,
    gaussian,
    merge_places,
)
from bayfold.families.regression.sampled_rows import find_own

MULTIPLIERS = np.array([0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.22, 0.33, 0.5, 0.75, 1.1])
"""Candidate widths in units of n^(-1/6) of the range, a factor of 1.5 apart."""

RATE = -1 / 6
"""Bandwidths shrink like n^(-1/6), at which the density of two variables comes out right in the end."""

FEW_ROWS = 400.0
"""Up to so many rows the target's cells are taken as they are, beyond they are merged to 128."""

MOST_TURNS = 3
"""One bandwidth after the other is chosen at most so often; two turns nearly always end it."""

LEAST_TARGET_DENSITY = 1e-12
"""Of the target itself, where nobody is near."""


FoldTables = tuple[np.ndarray, np.ndarray]
"""What is counted inside a fold, and outside."""


def find_candidates(n_rows: float, least: float = 0.0) -> np.ndarray:
    """Bandwidths to choose from, in units of the range."""
    return np.maximum(MULTIPLIERS * max(n_rows, 2.0) ** RATE, least)


class CoarseTarget:
    """The target's cells as bandwidths are chosen by them, the same for all columns.

    Parameters
    ----------
    axis : TargetAxis
    """

    def __init__(self, axis: TargetAxis) -> None:
        n_cells = len(axis.places)
        few = axis.weights.sum() <= FEW_ROWS
        nobody = np.zeros(n_cells, bool)
        self._starts = np.arange(n_cells) if few else find_merged_starts(n_cells, nobody)
        self.places = merge_places(axis.places, axis.weights, self._starts)
        self.least_width = axis.least_width
        self._near: dict[float, np.ndarray] = {}

    def merge(self, counts: np.ndarray) -> np.ndarray:
        """Counts by cell, the last axis, as counts by merged cell."""
        return np.add.reduceat(counts, self._starts, axis=1)

    def near(self, width: float) -> np.ndarray:
        """How far a row in each cell counts in every other."""
        if width not in self._near:
            self._near[width] = gaussian(self.places, self.places, width)
        return self._near[width]


def choose_widths(
    choices: list[BinKernel],
    counts: np.ndarray,
    target: CoarseTarget,
    n_units: np.ndarray | None = None,
    folds: Sequence[FoldTables] = (),
) -> tuple[BinKernel, tuple[float, float]]:
    """The kernel of a column and its bandwidths, along the column and along the target.

    Parameters
    ----------
    choices : list of BinKernel
    counts : ndarray of shape (n_bins, n_cells)
    target : CoarseTarget
    n_units : ndarray of shape (n_bins, n_cells), optional
        How many rows can be left out one by one, where these are not the counts.
    folds : sequence of pairs of ndarray
        The same counts inside and outside each fold, where single rows cannot be left out.
    """
    merged = target.merge(counts)
    units = None if n_units is None else target.merge(n_units)
    parts = [(target.merge(inside), target.merge(outside)) for inside, outside in folds]
    searches = [_Search(kernel, merged, units, target, parts) for kernel in choices]
    with on_one_thread():
        found = [search.climb() for search in searches]
    best = 0
    if len(choices) > 1:
        # densities and probabilities do not compare, but what they tell about the target does
        gains = [
            search.score(*at, minus_marginal=True)
            for search, at in zip(searches, found, strict=True)
        ]
        best = int(np.argmax(gains))
    return choices[best], searches[best].widths(*found[best])


class _Search:
    """The best pair of bandwidths of one kernel."""

    def __init__(
        self,
        kernel: BinKernel,
        counts: np.ndarray,
        n_units: np.ndarray | None,
        target: CoarseTarget,
        folds: Sequence[FoldTables],
    ) -> None:
        self.kernel, counted = kernel.coarsen(counts)
        own = find_own(counted, None if n_units is None else kernel.coarsen(n_units)[1])
        self.target = target
        n_rows = float(counts.sum())
        self.along_x = self.kernel.limit_widths(find_candidates(n_rows))
        self.along_y = find_candidates(n_rows, target.least_width)
        pairs = [(kernel.coarsen(inside)[1], kernel.coarsen(rest)[1]) for inside, rest in folds]
        nothing = np.zeros_like(own)
        self._judged = [
            _Judged.of(inside, rest, nothing, self.kernel.pseudo_rows) for inside, rest in pairs
        ]
        self._judged = self._judged or [_Judged.of(counted, counted, own, self.kernel.pseudo_rows)]
        self._spread: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
        self._known: dict[tuple[int, int], float] = {}

    def climb(self) -> tuple[int, int]:
        """One bandwidth after the other is chosen until neither changes."""
        a = len(self.along_x) // 2
        b = len(self.along_y) // 2
        for _ in range(MOST_TURNS):
            before = a, b
            b = self._find_top([(a, k) for k in range(len(self.along_y))])[1]
            a = self._find_top([(k, b) for k in range(len(self.along_x))])[0]
            if (a, b) == before:
                break
        return a, b

    def widths(self, a: int, b: int) -> tuple[float, float]:
        """A pair of bandwidths."""
        return float(self.along_x[a]), float(self.along_y[b])

    def _find_top(self, pairs: list[tuple[int, int]]) -> tuple[int, int]:
        """Of candidates in a row the best: every other one, then those beside the best of them."""
        top = max(range(0, len(pairs), 2), key=lambda k: self._score_once(pairs[k]))
        return max(pairs[max(top - 1, 0) : top + 2], key=self._score_once)

    def _score_once(self, pair: tuple[int, int]) -> float:
        if pair not in self._known:
            self._known[pair] = self.score(*pair)
        return self._known[pair]

    def score(self, a: int, b: int, minus_marginal: bool = False) -> float:
        """The log-likelihood of the column's bins, each from all rows but one of its own.

        With ``minus_marginal``, less that of the bins alone: what is gained by knowing the target.
        """
        if a not in self._spread:
            width = float(self.along_x[a])
            self._spread[a] = [self.kernel.spread(judged.counts, width) for judged in self._judged]
        near = self.target.near(float(self.along_y[b]))
        score = 0.0
        for judged, spread in zip(self._judged, self._spread[a], strict=True):
            score += judged.score(*spread, near)
            if minus_marginal:
                score -= judged.score(*spread, np.ones_like(near))
        return score


@dataclass(frozen=True, eq=False)
class _Judged:
    """Rows whose bins are judged, and the counts of those that they are judged by.

    Attributes
    ----------
    counts : ndarray of shape (n_bins, n_cells)
    bins, cells : ndarray of int
        Places that hold a row.
    weights, own : ndarray
        Of all rows in each place, and of one of them, which is left out of the counts.
    pseudo_rows : float
    """

    counts: np.ndarray
    bins: np.ndarray
    cells: np.ndarray
    weights: np.ndarray
    own: np.ndarray
    pseudo_rows: float

    @classmethod
    def of(
        cls, inside: np.ndarray, counts: np.ndarray, own: np.ndarray, pseudo_rows: float
    ) -> _Judged:
        """From tables by bin and cell."""
        bins, cells = np.nonzero(inside)
        return cls(counts, bins, cells, inside[bins, cells], own[bins, cells], pseudo_rows)

    def score(self, by_bin: np.ndarray, heights: np.ndarray, near: np.ndarray) -> float:
        """The log-likelihood of the bins."""
        marginal = self.counts.sum(axis=0) @ near
        return kernels.score_bins_left_out(
            by_bin,
            near,
            marginal,
            heights,
            self.bins,
            self.cells,
            self.weights,
            self.own,
            self.pseudo_rows * find_bin_shares(self.counts),
            self.pseudo_rows,
        )


def find_bin_shares(counts: np.ndarray) -> np.ndarray:
    """The share of each bin, also of bins without a row."""
    of_bin = counts.sum(axis=1)
    return (of_bin + 1.0) / (of_bin.sum() + len(of_bin))


def choose_target_width(
    axis: TargetAxis, own: np.ndarray, folds: Sequence[FoldTables] = ()
) -> float:
    """The bandwidth with the largest log-likelihood of the target itself, of rows left out one by one or by folds.

    In each cell of the axis a row weighs ``own``; of each fold there are the weights of its cells inside and outside.
    """
    cells = axis.places
    candidates = find_candidates(axis.weights.sum(), axis.least_width)
    scores = []
    for width in candidates:
        spread = gaussian(cells, cells, width)
        near_by = [(inside, outside @ spread) for inside, outside in folds]
        near_by = near_by or [(axis.weights, axis.weights @ spread - own)]
        found = [
            inside @ np.log(np.maximum(near, 0.0) / width + LEAST_TARGET_DENSITY)
            for inside, near in near_by
        ]
        scores.append(sum(found))
    return float(candidates[int(np.argmax(scores))])
