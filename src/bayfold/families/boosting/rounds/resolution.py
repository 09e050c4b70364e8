"""How finely numeric columns are seen: by a few bins at first, by all of them where the data pay for it.

Few bins of many rows each are less apt to follow noise and faster to scan; what is finer than they are, they miss. So
boosting begins with few bins, except in long tables and in columns whose fine bins alone say clearly more to rows they
were not counted on, and goes on with all bins where the first rounds leave much to learn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayfold.core.counts.fold_counts import count_in_folds, count_outside_folds
from bayfold.core.discretize import set_special_apart
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS
from bayfold.core.long_arrays import cut_pieces, sum_rows
from bayfold.core.schema.edges import find_quantile_cuts
from bayfold.families.boosting.kernels.inputs import EQUAL
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows

FEW_BINS = 32
"""On thousands of rows 64 to 254 bins lost up to 1 % of the log-loss (waveform), or gained as much (spambase)."""

LEAST_GAIN = 2.0
"""Nats that fine bins must gain, which chance and rounding seldom do."""

PARTS = 8
"""Each part of the rows is told what the others say; an eighth less makes little difference."""

PRIOR_ROWS = (0.3, 1.0, 3.0, 10.0)
"""Rows of the prior that the counts of a bin may be mixed with."""

ROWS_PER_BIN = 20
"""So many rows pay for a fine bin: 254 of 660 rows (vowel) cost six times the time and lost 5 % of the log-loss."""

ROWS_WITH_COPIES = 1_000_000
"""Beyond so many rows nobody looks for copies among them: they pay for all bins unless each comes 200 times."""

SLOPE_BINS = 128
"""Bins of a numeric column, at least, wherever rows have as many values: a slope is told by the middles of bins. With
32 the log-loss of a logistic regression on vehicle was .51 instead of .42, with 128 as without bins; on wine .067
instead of .050; on ten other tables, and with 254, there was little difference."""

RANGE_SHARE = 0.25
"""How far more than ``SLOPE_BINS`` bins follow values rather than ranks. Where columns tell of a long tail of a number
(the made flights of ``benchmarks.full_size``) the relative RMSE was 27.0 % with a quarter, 27.1 with a half and
33.0 with none; on twelve other tables a quarter was lower by .1 than none in the mean."""

MANY_ROWS = 20_000
"""From here on more bins lost nothing anywhere (benchmarks/additive_notes.md)."""


@dataclass(frozen=True, eq=False)
class Coarsening:
    """The coarse code of each fine code, column by column; both in the same order.

    Attributes
    ----------
    merges : list of ndarray of int
    """

    merges: list[np.ndarray]

    @cached_property
    def n_codes(self) -> np.ndarray:
        """Coarse codes of each column."""
        return np.array([int(merge[-1]) + 1 for merge in self.merges], np.int64)

    def coarsen(self, codes: np.ndarray) -> np.ndarray:
        """Coarse codes of coded rows; the same array where nothing is coarser."""
        if all(merge[-1] == len(merge) - 1 for merge in self.merges):
            return codes
        coarse = np.empty(codes.shape, codes.dtype)
        for piece in cut_pieces(len(codes)):
            for k, merge in enumerate(self.merges):
                coarse[piece, k] = merge.astype(codes.dtype)[codes[piece, k]]
        return coarse

    def refine(self, splits: np.ndarray) -> np.ndarray:
        """Splits (column, kind, cut) of coarse codes as splits of fine ones that send every row the same way."""
        fine = splits.copy()
        column, kind, cut = (splits[..., k] for k in range(3))
        threshold = kind != EQUAL
        fine[..., 2] = np.where(threshold, self._first_codes[column, cut * threshold], cut)
        return fine

    @cached_property
    def _first_codes(self) -> np.ndarray:
        """The first fine code of each coarse one, column by column."""
        first = np.zeros((len(self.merges), int(self.n_codes.max(initial=1))), np.int64)
        for k, merge in enumerate(self.merges):
            codes = np.arange(merge[-1] + 1)
            first[k, codes] = np.searchsorted(merge, codes)
        return first


@dataclass(frozen=True, eq=False)
class View(Coarsening):
    """Rows as one model sees them.

    Attributes
    ----------
    codes : ndarray of shape (n_rows, n_columns)
        Coarse codes of all rows.
    """

    codes: np.ndarray


def look_alike(codes: np.ndarray, merging: Coarsening, n_models: int) -> list[View]:
    """The same view for all models."""
    return [View(merging.merges, merging.coarsen(codes))] * n_models


def look_apart(
    codes: np.ndarray,
    n_codes: np.ndarray,
    ordered: np.ndarray,
    n_special: np.ndarray,
    n_models: int,
    seed: int,
) -> list[View]:
    """Each model sees numeric columns by few bins that begin where chance has it: their average is smooth."""
    views = []
    for k in range(n_models):
        begins = np.random.default_rng([seed, k]).uniform(size=len(n_codes))
        merges = [
            set_special_apart(merge_neighbours(n - k, begin), k) if is_ordered else np.arange(n)
            for n, k, begin, is_ordered in zip(
                n_codes.tolist(), n_special.tolist(), begins, ordered, strict=True
            )
        ]
        views.append(View(merges, Coarsening(merges).coarsen(codes)))
    return views


def merge_neighbours(n_codes: int, begin: float) -> np.ndarray:
    """The coarse code of each fine code: few bins of as many fine ones each, the first of them a part of one.

    >>> merge_neighbours(2 + 128, 0.5)[:12]
    array([0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4])
    """
    merge = np.arange(n_codes)
    n_bins = n_codes - FIRST_BIN
    if n_bins > FEW_BINS:
        middles = (np.arange(n_bins) + 0.5) / n_bins
        merge[FIRST_BIN:] = FIRST_BIN + np.floor(FEW_BINS * middles + begin).astype(np.int64)
        merge[FIRST_BIN:] -= merge[FIRST_BIN] - FIRST_BIN
    return merge


def count_fine_bins(n_rows: float) -> int:
    """Most bins of a numeric column that trees may tell apart on so many rows, copies left aside.

    >>> [count_fine_bins(n_rows) for n_rows in (100, 2_000, 1_000_000)]
    [32, 100, 254]
    """
    return int(np.clip(n_rows / ROWS_PER_BIN, FEW_BINS, NARROW_BINS))


def merge_for_trees(
    rows: DistinctRows,
    n_codes: np.ndarray,
    ordered: np.ndarray,
    n_special: np.ndarray,
    max_bins: int,
) -> Coarsening:
    """The bins that trees may cut at: so many of a numeric column, or all that it has."""
    merges = []
    for k in range(len(n_codes)):
        merge = np.arange(n_codes[k])
        if ordered[k] and n_codes[k] - n_special[k] - FIRST_BIN > max_bins:
            weights = np.bincount(rows.codes[:, k], rows.weights, n_codes[k])
            merge = merge_fine_bins(weights, max_bins, n_special[k])
        merges.append(merge)
    return Coarsening(merges)


def choose_coarsening(
    rows: DistinctRows,
    n_codes: np.ndarray,
    ordered: np.ndarray,
    n_special: np.ndarray,
    prior: np.ndarray,
) -> Coarsening:
    """Few bins for the first rounds, but where fine ones pay at once."""
    merges = []
    are_few = sum_rows(rows.weights) < MANY_ROWS
    for k in range(len(n_codes)):
        merge = np.arange(n_codes[k])
        if ordered[k] and n_codes[k] - n_special[k] - FIRST_BIN > FEW_BINS and are_few:
            weights = np.bincount(rows.codes[:, k], rows.weights, n_codes[k])
            coarse = merge_fine_bins(weights, n_special=n_special[k])
            if not _pays(rows, rows.codes[:, k], coarse, prior):
                merge = coarse
        merges.append(merge)
    return Coarsening(merges)


def merge_fine_bins(weights: np.ndarray, n_bins: int = FEW_BINS, n_special: int = 0) -> np.ndarray:
    """The coarse code of each code: bins of nearly equal weight, and the last codes each alone if they are special.

    >>> merge_fine_bins(np.append([0.0, 0.0], np.ones(128)))[:12]
    array([0, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4])
    """
    merge = np.arange(len(weights))
    end = len(weights) - n_special
    bins = weights[FIRST_BIN:end]
    if bins.sum() == 0:
        return merge
    starts = np.zeros(len(bins), np.int64)
    starts[find_quantile_cuts(bins, n_bins)] = 1
    merge[FIRST_BIN:end] = FIRST_BIN + np.cumsum(starts)
    return set_special_apart(merge[:end], n_special)


def _pays(rows: DistinctRows, fine: np.ndarray, merge: np.ndarray, prior: np.ndarray) -> bool:
    """Whether fine bins of one column alone say more than coarse ones, to rows they were not counted on.

    Trees pool bins and these are not pooled, so they lose wherever the truth is smooth: by 30 to 170 nats on waveform,
    where coarse bins are better, and they gain on hypothyroid, where fine bins halve the log-loss.
    """
    inside = _count_parts(rows, fine, len(merge), len(prior))
    held = np.nonzero(inside)
    weights = inside[held]
    coarse = np.add.reduceat(inside, np.searchsorted(merge, np.arange(merge[-1] + 1)), axis=1)
    part, code, group = held
    gains = _log_shares(inside, (part, code, group), weights, prior)
    gains -= _log_shares(coarse, (part, merge[code], group), weights, prior)
    return bool(weights @ gains > LEAST_GAIN)


def _count_parts(rows: DistinctRows, codes: np.ndarray, n_codes: int, n_groups: int) -> np.ndarray:
    """The weight of each part of the rows by code and group."""
    n_folds = len(rows.folds) - 1
    n_parts = min(n_folds, PARTS)
    part_of = np.repeat(np.arange(n_folds) % n_parts, np.diff(rows.folds))
    shape = n_parts, n_codes, n_groups
    return count_in_folds(codes, rows.labels, part_of, rows.weights, shape)


def _log_shares(
    inside: np.ndarray, held: tuple[np.ndarray, ...], weights: np.ndarray, prior: np.ndarray
) -> np.ndarray:
    """Log of the share of the group, for some cells of (part, code, group), among the rows of the other parts.

    Mixed with as many rows of the prior as surprise least.
    """
    part, code, group = held
    outside = count_outside_folds(inside)[held]
    total = count_outside_folds(inside.sum(axis=2))[part, code]
    found = [np.log((outside + m * prior[group]) / (total + m)) for m in PRIOR_ROWS]
    return found[int(np.argmax([weights @ log_share for log_share in found]))]
