"""Whether other rows come from where the training rows came from: column by column, from the counts of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.stats import chi2

from bayfold.core.counts.sums import Sum
from bayfold.core.discretize import merge_equal_frequency
from bayfold.core.evidence.bins import name_numbers, name_special
from bayfold.core.evidence.records import Records
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn

DRIFT_BINS = 10
"""Of numbers, with equally many training rows in each: the custom for population stability."""

FEWEST_EXPECTED = 5.0
"""Rows expected in a bin of the smaller table: with fewer, chi-square is no approximation (Cochran 1954)."""

SCORE = "(score)"
RARE = "(rare)"


@dataclass(frozen=True, eq=False)
class DriftCounts(Sum):
    """How often each code of each column occurs in some rows, and how many rows have a score in each bin.

    Attributes
    ----------
    tables : tuple of ndarray
        One entry per code; empty for no rows.
    scores : ndarray
        Rows between the edges of scores.
    n_rows : int
    """

    tables: tuple[np.ndarray, ...] = ()
    scores: np.ndarray = field(default_factory=lambda: np.zeros(0))
    n_rows: int = 0

    def _plus(self, other: DriftCounts) -> DriftCounts:
        if not self.tables:
            return other
        tables = tuple(a + b for a, b in zip(self.tables, other.tables, strict=True))
        return DriftCounts(tables, self.scores + other.scores, self.n_rows + other.n_rows)


def compare_counts(
    columns: Sequence[ColumnSchema],
    before: DriftCounts,
    after: DriftCounts,
    score_edges: np.ndarray | None,
    level: float,
) -> Records:
    """Records of column, psi, p, p_holm, drifted, bins and moved, worst first.

    ``p`` is of a chi-square test in which both tables have the same shares, ``p_holm`` is corrected for all columns by
    Holm's method, so that a comparison of equal tables has a false alarm at the given level. ``psi`` is the population
    stability index over the same bins, with half a row added to each. ``moved`` is the bin whose share changed most.
    """
    names = [column.name for column in columns]
    merged = [
        _merge_column(*found) for found in zip(columns, before.tables, after.tables, strict=True)
    ]
    if score_edges is not None:
        names.append(SCORE)
        bounds = np.concatenate([[-np.inf], score_edges, [np.inf]])
        labels = [f"{low:.4g} to {high:.4g}" for low, high in pairwise(bounds)]
        merged.append((labels, before.scores, after.scores))
    pooled = [_pool_rare(*found) for found in merged]
    log_p = np.array([_test_shares(old, new) for _, old, new in pooled])
    psi = np.array([find_psi(old, new) for _, old, new in pooled])
    adjusted = adjust_by_holm(np.exp(log_p))
    order = np.lexsort((-psi, log_p))
    return Records(
        {
            "column": np.array(names, object)[order],
            "psi": psi[order],
            "p": np.exp(log_p)[order],
            "p_holm": adjusted[order],
            "drifted": (adjusted < level)[order],
            "bins": np.array([len(old) for _, old, _ in pooled])[order],
            "moved": np.array([_name_move(*found) for found in pooled], object)[order],
        }
    )


Binned = tuple[list[str], np.ndarray, np.ndarray]
"""Labels of bins, and the rows in each before and after."""


def _merge_column(column: ColumnSchema, before: np.ndarray, after: np.ndarray) -> Binned:
    """A column in the bins it is compared in; missing and unseen cells apart."""
    labels = ["(missing)", "(unseen)"]
    if isinstance(column, NominalColumn):
        labels += [*column.categories, *(["(other)"] if column.has_other else [])]
        return labels, before, after
    end = column.first_special if isinstance(column, NumericColumn) else len(before)
    merge = merge_equal_frequency(before[FIRST_BIN:end], DRIFT_BINS)
    n_bins = int(merge[-1]) + 1 if len(merge) else 0
    if isinstance(column, NumericColumn):
        lower, upper = column.bin_bounds()
        for k in range(n_bins):
            inside = np.flatnonzero(merge == k)
            labels.append(name_numbers(column, lower[inside[0]], upper[inside[-1]]))
        labels += map(name_special, column.special)
    else:
        labels += ["(text)"] * n_bins
    old, new = (
        np.concatenate(
            [table[:FIRST_BIN], np.bincount(merge, table[FIRST_BIN:end], n_bins), table[end:]]
        )
        for table in (before, after)
    )
    return labels, old, new


def _pool_rare(labels: list[str], before: np.ndarray, after: np.ndarray) -> Binned:
    """The same with bins of few rows in one, and without those that have none."""
    total = before + after
    both = total.sum()
    smaller = min(before.sum(), after.sum())
    expected = total * smaller / max(both, 1e-300)
    order = np.argsort(expected, kind="stable")
    gathered = np.cumsum(expected[order])
    n_rare = int((expected < FEWEST_EXPECTED).sum())
    while (
        0 < n_rare < len(order)
        and gathered[n_rare - 1] < FEWEST_EXPECTED
        and gathered[n_rare - 1] > 0
    ):
        n_rare += 1  # the least of the others, so that they are enough together
    rare = order[:n_rare]
    kept = np.setdiff1d(np.arange(len(labels)), rare)
    if not total[rare].any():
        return [labels[k] for k in kept], before[kept], after[kept]
    old, new = (np.append(table[kept], table[rare].sum()) for table in (before, after))
    alone = [labels[k] for k in rare if total[k] > 0]
    return [*(labels[k] for k in kept), alone[0] if len(alone) == 1 else RARE], old, new


def _test_shares(before: np.ndarray, after: np.ndarray) -> float:
    """Log-probability of such a difference where the shares are the same."""
    n, m = before.sum(), after.sum()
    if len(before) < 2 or not n or not m:
        return 0.0
    difference = np.sqrt(m / n) * before - np.sqrt(n / m) * after
    return float(chi2.logsf((difference**2 / (before + after)).sum(), len(before) - 1))


def find_psi(before: np.ndarray, after: np.ndarray) -> float:
    """The population stability index: ``sum (q - p) log(q / p)`` over shares p before and q after.

    >>> round(find_psi(np.array([500.0, 500.0]), np.array([600.0, 400.0])), 3)
    0.04
    """
    if len(before) < 2 or not before.sum() or not after.sum():
        return 0.0
    p, q = ((table + 0.5) / (table + 0.5).sum() for table in (before, after))
    return float(((q - p) * np.log(q / p)).sum())


def _name_move(labels: list[str], before: np.ndarray, after: np.ndarray) -> str:
    if not len(labels) or not before.sum() or not after.sum():
        return ""
    p = before / before.sum()
    q = after / after.sum()
    k = int(np.argmax(np.abs(q - p)))
    return f"{labels[k]}: {p[k]:.1%} to {q[k]:.1%}"


def adjust_by_holm(p: np.ndarray) -> np.ndarray:
    """Probabilities p that hold for all comparisons together, after Holm (1979); NaN stays NaN.

    >>> adjust_by_holm(np.array([0.04, np.nan, 0.01])).tolist()
    [0.04, nan, 0.02]
    """
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known], kind="stable")]
    adjusted = np.full(len(p), np.nan)
    raised = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return adjusted
