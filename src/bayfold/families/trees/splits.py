"""Which column each part of a growing tree tests next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts.confirm import confirm_columns
from bayfold.families.trees import kernels
from bayfold.families.trees.binning import Binning

NO_GAIN = 1e-9
"""Gains are differences of sums: what is smaller than this is rounding."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Rows on their way down: a row may be in several parts, with a part of its weight in each."""

    rows: np.ndarray
    parts: np.ndarray
    weights: np.ndarray

    def where(self, chosen: np.ndarray) -> Entries:
        """Some of the entries."""
        return Entries(self.rows[chosen], self.parts[chosen], self.weights[chosen])


@dataclass(frozen=True, eq=False)
class Frontier:
    """The parts that may be split: entries, what was counted in them, and which tests are open to them.

    Attributes
    ----------
    entries : Entries
    counts : ndarray of shape (n_parts, n_entries, n_groups)
        In the bins of the tests.
    is_open : ndarray of bool of shape (n_parts, n_columns)
        Columns that may be tested.
    is_used : ndarray of bool of shape (n_parts, n_columns)
        Columns tested above.
    """

    entries: Entries
    counts: np.ndarray
    is_open: np.ndarray
    is_used: np.ndarray


@dataclass(frozen=True, eq=False)
class Splits:
    """Column (-1: none) and cut of every part's test."""

    column: np.ndarray
    cut: np.ndarray


@dataclass(frozen=True, eq=False)
class Children:
    """The parts that splits open, numbered through.

    Attributes
    ----------
    first_entry, child_of_code : ndarray
        ``child_of_code[first_entry[p] + code]`` is the child of part p for a code of its column, or -1.
    first_child, n_children : ndarray
        Of each part.
    parent, share : ndarray
        Of each child: its part, and its share of the part's rows with a known cell.
    entries : Entries
    """

    first_entry: np.ndarray
    child_of_code: np.ndarray
    first_child: np.ndarray
    n_children: np.ndarray
    parent: np.ndarray
    share: np.ndarray
    entries: Entries


def weigh_tests(
    frontier: Frontier, binning: Binning, is_ordered: np.ndarray, least: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gain, gain ratio and cut of every column in every part; NaN where it cannot be tested."""
    shape = frontier.is_open.shape
    gain, ratio, cut = np.empty(shape), np.empty(shape), np.empty(shape, np.int64)
    kernels.weigh_tests(
        frontier.counts,
        binning.starts,
        binning.n_codes,
        is_ordered,
        frontier.is_open,
        least,
        gain,
        ratio,
        cut,
    )
    return gain, ratio, cut


def find_refuted(counts: np.ndarray, binning: Binning) -> np.ndarray:
    """Which nominal columns rows left out of the counts do not confirm, in every part."""
    return ~binning.is_ordered & ~confirm_columns(counts, binning.starts, binning.n_codes)


def choose_by_gain_ratio(gain: np.ndarray, ratio: np.ndarray, cut: np.ndarray) -> Splits:
    """The largest gain ratio among the tests whose gain is at least average (Quinlan 1993)."""
    allowed = gain > NO_GAIN
    n_allowed = allowed.sum(axis=1)
    average = np.where(allowed, gain, 0.0).sum(axis=1) / np.maximum(n_allowed, 1)
    candidate = allowed & (gain >= average[:, None] - NO_GAIN)
    column = np.where(candidate, ratio, -np.inf).argmax(axis=1)
    chosen = np.where(n_allowed > 0, column, -1)
    return Splits(chosen, cut[np.arange(len(cut)), column])


def open_children(
    frontier: Frontier, splits: Splits, binning: Binning, tests: np.ndarray
) -> Children:
    """The children of all split parts and the entries that go to them."""
    column = splits.column
    sizes = np.where(column >= 0, binning.n_codes[column], 0)
    first_entry = np.append(0, np.cumsum(sizes)[:-1])
    child_of_code = np.full(int(sizes.sum()), -1)
    weight = np.zeros(int(sizes.sum()))
    n_open = kernels.open_children(
        frontier.counts,
        binning.starts,
        binning.n_codes,
        column,
        splits.cut,
        first_entry,
        child_of_code,
        weight,
    )
    parent = _parents(column, sizes, child_of_code, n_open)
    n_children = np.bincount(parent, minlength=len(column))
    first_child = np.append(0, np.cumsum(n_children)[:-1])
    of_parent = np.bincount(parent, weight[:n_open], minlength=len(column))
    share = weight[:n_open] / of_parent[parent]
    links = first_entry, child_of_code, first_child, n_children
    entries = _route(frontier.entries, column, links, share, tests)
    return Children(*links, parent, share, entries)


def _parents(
    column: np.ndarray, sizes: np.ndarray, child_of_code: np.ndarray, n_open: int
) -> np.ndarray:
    """The part each child belongs to."""
    part_of_entry = np.repeat(np.arange(len(column)), sizes)
    parent = np.zeros(n_open, np.int64)
    leads_down = child_of_code >= 0
    parent[child_of_code[leads_down]] = part_of_entry[leads_down]
    return parent


def _route(
    entries: Entries,
    column: np.ndarray,
    links: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    share: np.ndarray,
    tests: np.ndarray,
) -> Entries:
    first_entry, child_of_code, _, n_children = links
    rows, parts = entries.rows, entries.parts
    n_entries = kernels.count_routed(
        tests, rows, parts, column, first_entry, child_of_code, n_children
    )
    routed = Entries(
        np.empty(n_entries, np.int64), np.empty(n_entries, np.int64), np.empty(n_entries)
    )
    kernels.route_entries(
        tests,
        rows,
        parts,
        entries.weights,
        column,
        *links,
        share,
        routed.rows,
        routed.parts,
        routed.weights,
    )
    return routed


def count_entries(
    codes: np.ndarray,
    entries: Entries,
    group_of: np.ndarray,
    binning: Binning,
    n_parts: int,
    n_groups: int,
) -> np.ndarray:
    """Weighted counts of (part, column and code, group)."""
    counts = np.zeros((n_parts, binning.n_entries, n_groups))
    kernels.count_parts(
        codes, entries.rows, entries.parts, entries.weights, group_of, binning.starts, counts
    )
    return counts
