"""Distinct rows of small codes, for learners that go over the rows many times.

Equal rows are one row with their summed weight, in an order that depends on their content alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayfold.core.counts import RowHashes
from bayfold.core.counts.equal_rows import collapse_equal_rows
from bayfold.core.counts.folds import Deal, GivenUnits
from bayfold.core.counts.units import mix_units
from bayfold.errors import DataWarning, ignore_warnings
from bayfold.families.trees.binning import BinnedRows
from bayfold.families.trees.splits import HeldOutRows


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Distinct coded rows with their weights.

    Attributes
    ----------
    rows : BinnedRows
    group_of : ndarray of int32
    given : ndarray
        Summed weight of the equal rows, as it was given.
    n_groups : int
    said : GivenUnits or None
        What was said of rows that depend on each other: equal rows of different units are not one.
    of_group : ndarray or None
        What the given weights of each group are multiplied by; None for one.
    """

    rows: BinnedRows
    group_of: np.ndarray
    given: np.ndarray
    n_groups: int
    said: GivenUnits | None = None
    of_group: np.ndarray | None = None

    @cached_property
    def factors(self) -> np.ndarray:
        """What the given weight of each group is multiplied by."""
        return np.ones(self.n_groups) if self.of_group is None else self.of_group

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each row."""
        return self.given * self.factors[self.group_of]

    @cached_property
    def totals(self) -> np.ndarray:
        """The given weight of each group."""
        return np.bincount(self.group_of, self.given, minlength=self.n_groups)

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.totals @ self.factors)

    def scaled(self, factor: float | np.ndarray) -> WeightedRows:
        """The same rows with all weights multiplied, or those of each group."""
        return replace(self, of_group=factor * self.factors)

    def __add__(self, other: WeightedRows) -> WeightedRows:
        """Those of both."""
        return replace(
            self,
            rows=self.rows.joined(other.rows),
            group_of=np.concatenate([self.group_of, other.group_of]),
            given=np.concatenate([self.given, other.given]),
        )

    def sorted_by(self, row_hashes: RowHashes) -> WeightedRows:
        """The rows in the order of their hashes under other hash functions; those alike stay in theirs."""
        order = np.argsort(_hash_rows(self.rows, self.group_of, row_hashes), kind="stable")
        return replace(
            self,
            rows=self.rows.take(order),
            group_of=self.group_of[order],
            given=self.given[order],
            said=None if self.said is None else self.said.take(order),
        )

    def hold_out(self, group_ranks: np.ndarray) -> HeldOutRows | None:
        """Which rows are inside and outside the folds of units or times; None where single rows can be left out."""
        if self.said is None:
            return None
        places = np.arange(len(self.weights), dtype=np.uint64)  # in an order by content
        deal = Deal(places, self.group_of, group_ranks, LEFT_OUT_FOLDS)
        with ignore_warnings(DataWarning):  # few units are told about where their scale is fitted
            inside, outside = self.said.hold_out(deal, np.ones(len(places)))
        return HeldOutRows(inside > 0, outside > 0)


LEFT_OUT_FOLDS = 5
"""Folds of units by which splits are judged, where single rows cannot be left out: each takes another count."""


def collapse_rows(
    rows: BinnedRows,
    group_of: np.ndarray,
    weights: np.ndarray | None,
    row_hashes: RowHashes,
    said: GivenUnits | None = None,
) -> WeightedRows:
    """Sort rows by content and add up the weights of equal ones, of a unit and a time if they have some."""
    hashes = _hash_rows(rows, group_of, row_hashes)
    if said is not None:
        hashes = mix_units(hashes, said.units, said.time)
    equal = collapse_equal_rows(hashes, weights)
    first = equal.first
    return WeightedRows(
        rows.take(first),
        np.ascontiguousarray(group_of[first], np.int32),
        equal.weights,
        len(row_hashes.group_hashes),
        None if said is None else said.take(first),
    )


def _hash_rows(rows: BinnedRows, group_of: np.ndarray, row_hashes: RowHashes) -> np.ndarray:
    hashes = row_hashes.hash_codes(rows.codes, row_hashes.group_hashes[group_of])
    return (
        hashes
        if rows.split_codes is rows.codes
        else row_hashes.hash_codes(rows.split_codes, hashes)
    )
