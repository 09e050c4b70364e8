"""The first pass: what the columns hold, how many rows there are, and some of them.

Its sums also show whether the second pass has seen the same rows. Nothing is read or hashed for that, and no order of
rows matters: the weight of every category, and the range of every column of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.joint import JointCounts
from bayfold.core.counts.labelled_rows import LabelledRows
from bayfold.core.counts.row_hashes import LARGEST_HASH, hash_label
from bayfold.core.counts.sums import Sum
from bayfold.core.counts.survey.labels import LabelCollector, LabelSummary
from bayfold.core.counts.survey.numbers import NumberCollector, NumberSummary
from bayfold.core.counts.survey.raw_rows import Candidates, RawRows
from bayfold.core.frames import Table
from bayfold.core.frames.columns import number_column
from bayfold.core.frames.labels import label_of, lend_cells
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NominalColumn, NumericColumn
from bayfold.core.schema.given import hide_special


@dataclass(frozen=True)
class Tally(Sum):
    """Rows and weights, for checks that only all rows together can be put to.

    Attributes
    ----------
    n_rows : int
        All that were read.
    n_unlabelled : int
        Those without a target.
    n_counted : int
        Those with a target and a weight above zero.
    weight : float
        Of those.
    largest : float
        The largest weight.
    """

    n_rows: int = 0
    n_unlabelled: int = 0
    n_counted: int = 0
    weight: float = 0.0
    largest: float = 0.0

    @classmethod
    def of_counted(cls, n_rows: int) -> Tally:
        """Of rows that all count, once each."""
        return cls(n_rows, 0, n_rows, float(n_rows), 1.0 if n_rows else 0.0)

    @classmethod
    def of(cls, known: np.ndarray, weights: np.ndarray | None) -> Tally:
        """Of rows with or without a known target."""
        n_known = int(np.count_nonzero(known))
        n_unlabelled = len(known) - n_known
        if weights is None:
            return cls(len(known), n_unlabelled, n_known, float(n_known), 1.0 if n_known else 0.0)
        counted = weights[known]
        n_counted = int((counted > 0).sum())
        largest = float(weights.max(initial=0.0))
        return cls(len(known), n_unlabelled, n_counted, float(counted.sum()), largest)

    def _plus(self, other: Tally) -> Tally:
        return Tally(
            self.n_rows + other.n_rows,
            self.n_unlabelled + other.n_unlabelled,
            self.n_counted + other.n_counted,
            self.weight + other.weight,
            max(self.largest, other.largest),
        )


ROWS_AT_ONCE = 1 << 17
"""Of all columns before the next: their hashes, a megabyte, stay near a core. A quarter as many, in four times
as many calls of kernels, took an eighth more time."""


@dataclass(frozen=True)
class SurveyLimits:
    """The largest hashes of what a survey still wants.

    Attributes
    ----------
    row : int
    number : dict of int to int
        By column; any hash where there is none.
    """

    row: int = LARGEST_HASH
    number: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Survey(Sum):
    """What is known of all rows after one pass; a ``WholeTable`` to whoever infers a schema.

    Attributes
    ----------
    tally : Tally
    columns : tuple of NumberSummary or LabelSummary
        Empty for no rows.
    zones : tuple of str or None
        Of each column, as in ``Column``.
    target : NumberSummary or None
        Of a numeric target.
    sample : RawRows
    """

    tally: Tally = field(default_factory=Tally)
    columns: tuple[NumberSummary | LabelSummary, ...] = ()
    zones: tuple[str | None, ...] = ()
    target: NumberSummary | None = None
    sample: RawRows = field(default_factory=RawRows)

    def _plus(self, other: Survey) -> Survey:
        tally = self.tally + other.tally
        if not self.columns or not other.columns:
            return replace(self if self.columns else other, tally=tally)
        pairs = zip(self.columns, other.columns, strict=True)
        columns = tuple(a + b for a, b in pairs)
        target = None if self.target is None else self.target + other.target
        sample = self.sample + other.sample
        return Survey(tally, columns, self.zones, target, sample)

    def labels(self, column: int) -> tuple[list[str], np.ndarray]:
        """The labels of a column, and the weight of each."""
        summary = self.columns[column]
        assert isinstance(summary, LabelSummary)
        return list(summary.weight_of), np.array([*summary.weight_of.values()])

    def numbers(self, column: int) -> NumberSummary:
        """The numbers of a column."""
        summary = self.columns[column]
        assert isinstance(summary, NumberSummary)
        return summary

    @property
    def limits(self) -> SurveyLimits:
        """What whoever adds to this need not look for."""
        numbers = enumerate(self.columns)
        of_column = {j: c.threshold for j, c in numbers if isinstance(c, NumberSummary)}
        return SurveyLimits(self.sample.threshold, of_column)

    def find_infinite(self) -> list[int]:
        """The columns with infinite cells."""
        numeric = [(j, c) for j, c in enumerate(self.columns) if isinstance(c, NumberSummary)]
        return [j for j, c in numeric if c.low == -np.inf or c.high == np.inf]

    def to_rows(self) -> LabelledRows:
        """All rows where they are few, otherwise a sample whose table knows that it is one."""
        rows = self.sample.in_order()
        pairs = zip(rows.table.columns, self.zones, strict=True)
        # a column without a known cell may have lost its type
        columns = tuple(replace(c, zone=z) if z != c.zone else c for c, z in pairs)  # type: ignore[type-var]
        whole = None if self.sample.is_whole else self
        table = Table(columns, rows.n_rows, rows.table.names, whole=whole)
        return replace(rows, table=table)


def survey_rows(
    rows: LabelledRows,
    nominal: frozenset[int],
    tally: Tally,
    limits: SurveyLimits | None = None,
    special: Mapping[int, Sequence[float]] | None = None,
) -> Survey:
    """The survey of rows that all count.

    Parameters
    ----------
    rows : LabelledRows
    nominal : frozenset of int
        Columns that hold labels whatever their type.
    tally : Tally
        Of these rows and of those that do not count.
    limits : SurveyLimits, optional
        Of a survey that this will be added to.
    special : mapping of int to sequence of float, optional
        Special codes of columns of numbers: they are in no range and among no values.
    """
    if not rows.n_rows:
        return Survey(tally)
    limits = limits or SurveyLimits()
    columns = rows.table.columns
    apart = hide_special(rows.table, special or {}).columns
    labels: dict[int, LabelCollector] = {}
    numbers: dict[int, NumberCollector] = {}
    for j, column in enumerate(columns):
        if j in nominal or column.kind == "nominal":
            labels[j] = LabelCollector(column)
        else:
            numbers[j] = NumberCollector(column, limits.number.get(j, LARGEST_HASH))
    target = None
    if rows.target is not None:
        target = NumberCollector(number_column("target", rows.target))
    others = [*numbers.values(), *([] if target is None else [target])]
    candidates = _go_through(rows, list(labels.values()), others, limits.row)
    for j in numbers:
        if apart[j] is not columns[j]:  # rows were hashed with their special codes
            numbers[j] = NumberCollector(apart[j], limits.number.get(j, LARGEST_HASH))
            numbers[j].add(0, rows.n_rows, np.zeros(rows.n_rows, np.uint64))
    found = {j: collector.summary() for j, collector in (labels | numbers).items()}
    return Survey(
        tally,
        tuple(found[j] for j in range(len(columns))),
        tuple(column.zone for column in columns),
        None if target is None else target.summary(),
        RawRows.of(rows, candidates, limits.row),
    )


def _go_through(
    rows: LabelledRows,
    labels: list[LabelCollector],
    numbers: list[NumberCollector],
    threshold: int,
) -> Candidates:
    """Show all cells to the collectors, and hash the rows; those with hashes up to the threshold."""
    hashes = np.empty(min(ROWS_AT_ONCE, rows.n_rows), np.uint64)
    places = np.empty(len(hashes), np.int64)
    groups = lend_cells(rows.group_of.astype(np.int32, copy=False))
    found: list[Candidates] = []
    # 1 and 1.0 are one group: a target becomes float where some of it is missing
    words = np.array([hash_label("group", label_of(g)) for g in rows.groups], np.uint64)
    for start in range(0, rows.n_rows, ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, rows.n_rows)
        own = hashes[: stop - start]
        weights = None if rows.weights is None else rows.weights[start:stop]
        kernels.begin_hashes(groups[start:stop], words, own)
        # labels first: their words are combined without mixing, numbers are mixed in behind them
        for of_labels in labels:
            of_labels.add(start, stop, weights, own)
        for of_numbers in numbers:
            of_numbers.add(start, stop, own)
        small = places[: kernels.mix_and_find(own, np.uint64(threshold), places)]
        found.append(Candidates(small + start, own[small]))
    return Candidates.join(found)


LAST_DIGITS = 1e-9
"""Weights with fractions are added in another order on a cluster, where 12 digits agree."""


def find_changed_column(survey: Survey, counts: JointCounts) -> str | None:
    """The first column that the counts of all rows know other cells of than the survey; None if there is none."""
    assert counts.schema is not None
    for j, (summary, column) in enumerate(zip(survey.columns, counts.schema.columns, strict=True)):
        if isinstance(summary, LabelSummary) and isinstance(column, NominalColumn):
            same = _are_same_labels(summary, column, counts.tables[j])
        elif isinstance(summary, NumberSummary) and isinstance(column, NumericColumn):
            place = counts.schema.numeric_position[j]
            found = counts.minimum[place], counts.maximum[place]
            same = found == (summary.low, summary.high)
        else:
            continue  # no cell was known: there is nothing to compare
        if not same:
            return column.name
    return None


def _are_same_labels(summary: LabelSummary, column: NominalColumn, table: np.ndarray) -> bool:
    counted = table[FIRST_BIN : FIRST_BIN + len(column.categories)].sum(axis=1)
    known = np.zeros(len(counted))
    for label, code in column.code_of.items():
        known[code - FIRST_BIN] += summary.weight_of.get(label, 0.0)
    if not summary.is_whole:  # a label that the survey let go of may be counted, and is not known
        counted = np.where(known > 0.0, counted, 0.0)
    return bool(np.allclose(counted, known, rtol=LAST_DIGITS, atol=0.0))
