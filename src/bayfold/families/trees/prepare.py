"""From a training table or a source to coded rows, for learners that go over the rows many times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayfold import errors
from bayfold.base.sources.fit import SourceFit
from bayfold.core.counts import JointCounts, LabelledRows, RowHashes, RowSample, Statistics
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.fold_counts import count_folds
from bayfold.core.counts.folds import GivenUnits
from bayfold.core.engine.kept_rows import KeptRows, RowsHere, StartPart
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.schema import Schema
from bayfold.core.scoring.derive import find_group_factors
from bayfold.families.trees.binning import Binning, RowBinner
from bayfold.families.trees.explain import count_leaf_codes
from bayfold.families.trees.grower import TreeGrower, TreeSettings
from bayfold.families.trees.growing import GrowingPart, MakePart, find_weight_grid, keep_here
from bayfold.families.trees.rows import LEFT_OUT_FOLDS, WeightedRows, collapse_rows
from bayfold.families.trees.splits import HeldOutRows

SAME_SUM = 1e-9
"""Relative difference of two sums of the same weights, at most: fractions are rounded in another order."""


@dataclass(frozen=True)
class CodingPlan:
    """How columns are to be coded.

    Attributes
    ----------
    fine_splits : bool
        Whether trees split numeric columns at their fine bins instead of the MDL bins.
    prune : bool
        Whether columns of many values that rows left out do not confirm are silent.
    copies_count : bool
        Whether copies of a row are rows like others, as for a learner that holds nothing out and is wanted as it is
        written.
    group_weights : object
        As ``class_weight`` of an estimator.
    """

    fine_splits: bool = False
    prune: bool = False
    copies_count: bool = False
    group_weights: object = None

    def find_factors(self, coding: Coding) -> np.ndarray:
        """What the given weights of each group are multiplied by."""
        return coding.share * find_group_factors(coding.counts, self.group_weights)


@dataclass(frozen=True, eq=False)
class Coding:
    """How training rows are coded, and what was counted in them.

    Attributes
    ----------
    binner : RowBinner
    counts : JointCounts
        Of the rows as they were given.
    share : float
        Effective rows per weight.
    unit : float
        The weight that is left out at once: as much as the largest weight of copies, so that no copy stays behind, and
        honest repeats do.
    sample : RowSample
        Some of the rows, as they were given.
    """

    binner: RowBinner
    counts: JointCounts
    share: float
    unit: float
    sample: RowSample

    @classmethod
    def of(cls, statistics: Statistics, plan: CodingPlan, is_dependent: bool = False) -> Coding:
        """Cut numeric columns by MDL; where rows depend on each other, folds of units confirm columns."""
        counts = statistics.counts
        sample = statistics.sample.even
        share = unit = 1.0
        if not plan.copies_count:
            units = find_units(counts, sample.block(), sample.group_of, sample.weights)
            share = units.share
            unit = share * float((sample.weights / units.units).max())
        folds = count_folds(sample, counts, LEFT_OUT_FOLDS) if is_dependent and plan.prune else None
        leaves = Binning.mdl(counts.scaled(share), plan.prune, folds)
        binner = RowBinner(leaves, Binning(leaves.schema) if plan.fine_splits else leaves)
        return cls(binner, counts, share, unit, sample)

    def find_count_hashes(self) -> CountHashes:
        """By which rows are ordered, whatever they are called."""
        sample = self.sample
        block = sample.block()
        found = CountHashes(self.counts, block, sample.group_of, sample.weights)
        found.learn_rows(block, sample.group_of, sample.weights)
        return found

    @property
    def effective(self) -> JointCounts:
        """Counts in which copies of a row count once."""
        return self.counts.scaled(self.share)

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.counts.groups)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Training rows that were coded, weighted so that copies of a row count once."""

    rows: KeptRows
    coding: Coding
    total: float
    held_out: HeldOutRows | None = None

    @classmethod
    def of(cls, data: WeightedRows, coding: Coding, kind: type[GrowingPart]) -> Prepared:
        """Rows of this process."""
        held_out = None
        if data.said is not None:
            held_out = data.hold_out(coding.find_count_hashes().rank_groups())
        return cls(keep_here(data, kind), coding, data.total, held_out)

    def close(self) -> None:
        """Let the rows go."""
        self.rows.close()

    def unit_shares(self) -> np.ndarray | None:
        """Share of the weight of each row that is left out at once; None where rows are not here."""
        if not isinstance(self.rows, RowsHere):
            return None
        unit = self.coding.unit
        return unit / np.maximum(self.coding.share * self.rows.part.data.given, unit)


def prepare_rows(
    rows: LabelledRows,
    schema: Schema,
    *,
    plan: CodingPlan,
    kind: type[GrowingPart] = GrowingPart,
    n_threads: int = 1,
) -> Prepared:
    """Count once, cut numeric columns by MDL, and code the rows."""
    said = None if plan.copies_count else GivenUnits.of_dependent(rows)
    statistics = learn_statistics(rows, schema, n_threads=n_threads)
    coding = Coding.of(statistics, plan, said is not None)
    binned = coding.binner.bin_table(rows.table, n_threads)
    row_hashes = RowHashes(coding.binner.leaves.schema, rows.groups)
    data = collapse_rows(binned, rows.group_of, rows.weights, row_hashes, said)
    # bootstrap samples are drawn by position: no name may decide them
    data = data.sorted_by(coding.find_count_hashes()).scaled(plan.find_factors(coding))
    return Prepared.of(data, coding, kind)


def prepare_source(
    fit: SourceFit,
    nominal: frozenset[int],
    infer: Callable[[LabelledRows], Schema],
    *,
    plan: CodingPlan,
    kind: type[GrowingPart] = GrowingPart,
) -> Prepared:
    """The same of rows that stay where they are: what they hold, what is counted in them, and their codes.

    Parameters
    ----------
    fit : SourceFit
    nominal : frozenset of int
        Columns that hold labels whatever their type.
    infer : callable
        From rows to their schema.
    plan, kind
        As for ``prepare_rows``.
    """
    survey = fit.look(nominal)
    rows = survey.to_rows()
    if len(rows.groups) < 2:
        raise errors.single_class(rows.groups.tolist()[0])
    statistics = fit.count(learn_statistics, infer(rows), Statistics.zero(), survey)
    coding = Coding.of(statistics, plan)
    of_group = plan.find_factors(coding)
    grid = find_weight_grid(coding.counts.totals, of_group)
    start = StartPart(MakePart(kind, of_group, grid))
    total = float(coding.counts.totals @ of_group)
    prepared = Prepared(fit.keep(CodeWhereRowsAre(coding.binner), start, survey), coding, total)
    _check_kept(prepared)
    return prepared


def _check_kept(prepared: Prepared) -> None:
    """Refuse rows that are not those that were counted, as of a query that draws anew each time."""
    leaves = prepared.coding.binner.leaves
    counted = count_leaf_codes(leaves, prepared.coding.counts)
    kept = prepared.rows.reduce("count_given", leaves.places)
    differs = ~np.isclose(kept, counted, rtol=SAME_SUM, atol=SAME_SUM * counted.max())
    if differs.any():
        prepared.close()
        column = int(np.searchsorted(leaves.starts, np.flatnonzero(differs)[0], side="right")) - 1
        raise errors.column_changed(leaves.schema.names[column])


def make_grower(prepared: Prepared, settings: TreeSettings) -> TreeGrower:
    """What grows trees on the rows."""
    binner = prepared.coding.binner
    return TreeGrower(
        prepared.rows,
        prepared.coding.n_groups,
        leaves=binner.leaves,
        split_binning=binner.splits,
        settings=settings,
        unit_shares=prepared.unit_shares(),
        held_out=prepared.held_out,
    )


@dataclass(frozen=True, eq=False)
class CodeWhereRowsAre:
    """Codes rows where they are."""

    binner: RowBinner

    def __call__(self, rows: LabelledRows) -> WeightedRows:
        """The codes, groups and weights of some rows."""
        weights = rows.find_weights()
        groups = np.ascontiguousarray(rows.group_of, np.int32)
        binned = self.binner.bin_table(rows.table)
        return WeightedRows(binned, groups, weights, len(rows.groups))
