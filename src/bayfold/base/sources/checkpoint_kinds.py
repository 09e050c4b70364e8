"""What checkpoints hold of a fit: sums of passes, and what has been copied of the rows."""

from __future__ import annotations

import math

import numpy as np

from bayfold.base.sources.copying import GROUP, TARGET, WEIGHT, ColumnKind, Copy
from bayfold.base.sources.passes import Learnt
from bayfold.core.counts import Statistics
from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.counts.sums import Sum
from bayfold.core.counts.survey import Survey, Tally
from bayfold.core.counts.survey.labels import LabelSummary
from bayfold.core.counts.survey.numbers import NumberSummary
from bayfold.core.counts.survey.raw_rows import RawRows
from bayfold.core.engine import TreeSum
from bayfold.core.engine.row_store import StoredPart
from bayfold.persist import expect, register
from bayfold.persist.arrays import read_dtype
from bayfold.persist.checks import FLOAT, LARGEST_SUM, expect_array, expect_whole

LARGEST_FILE = 1 << 62
"""Bytes of a file of rows; no disk has as many."""


def check_saved_tally(tally: Tally) -> None:
    """Numbers of rows and weights, none negative."""
    numbers = (tally.n_rows, tally.n_unlabelled, tally.n_counted, tally.weight, tally.largest)
    expect(all(0 <= number <= LARGEST_SUM for number in numbers), "the number of rows")


def check_number_summary(summary: NumberSummary) -> None:
    """A number for each hash, in the order of the hashes."""
    expect_array(summary.hashes, np.uint64, (None,), "the numbers of a column")
    expect(bool((summary.hashes[1:] > summary.hashes[:-1]).all()), "the numbers of a column")
    expect_array(summary.numbers, FLOAT, summary.hashes.shape, "the numbers of a column")
    is_known = not math.isnan(summary.low) and not math.isnan(summary.high)
    expect(is_known, "the range of a column")


def check_label_summary(summary: LabelSummary) -> None:
    """Weights that are not negative."""
    expect_whole(summary.threshold, 0, LARGEST_HASH + 1, "the labels of a column")
    fits = all(0 <= weight <= LARGEST_SUM for weight in summary.weight_of.values())
    expect(fits, "the labels of a column")


def check_raw_rows(raw: RawRows) -> None:
    """A hash for each row."""
    n_rows = 0 if raw.rows is None else raw.rows.n_rows
    expect_array(raw.hashes, np.uint64, (n_rows,), "the rows of a survey")
    expect_whole(raw.threshold, 0, LARGEST_HASH + 1, "the rows of a survey")
    expect(all(part.rows is not None and not part.others for part in raw.others), "the rows")
    for part in raw.others:
        assert part.rows is not None
        expect(raw.rows is not None, "the rows of a survey")
        assert raw.rows is not None
        same = len(part.rows.table.columns) == len(raw.rows.table.columns)
        expect(same, "the rows of a survey")


def check_survey(survey: Survey) -> None:
    """As much of each column."""
    n_columns = len(survey.columns)
    expect(len(survey.zones) == n_columns, "the columns of a survey")
    rows = survey.sample.rows
    expect((rows is None) == (n_columns == 0), "the rows of a survey")
    expect(rows is None or len(rows.table.columns) == n_columns, "the rows of a survey")


def check_tree_sum(tree: TreeSum) -> None:
    """A sum for each bit of the number of parts, all of one kind."""
    expect_whole(tree.n_parts, 0, int(LARGEST_SUM), "the sums so far")
    expect(len(tree.sums) == tree.n_parts.bit_count(), "the sums so far")
    kinds = set(map(type, tree.sums))
    expect(len(kinds) <= 1 and all(issubclass(kind, Sum) for kind in kinds), "the sums so far")


def check_stored_part(part: StoredPart) -> None:
    """Plain numbers somewhere in a file."""
    expect(read_dtype(part.dtype).kind in "if", "the cells in a file")
    expect_whole(part.at, 0, LARGEST_FILE, "the cells in a file")
    expect_whole(part.n_cells, 1, LARGEST_FILE, "the cells in a file")
    expect(part.at % 8 == 0, "the cells in a file")


def check_row_copy(copy: Copy) -> None:
    """Cells of every column for the rows of every chunk, and labels in the order of their indices."""
    what = "the copied rows"
    n_rows = copy.n_rows
    expect(len(copy.groups) == len(n_rows) <= copy.n_chunks, what)
    expect(all(groups.ndim == 1 for groups in copy.groups), what)
    for parts in copy.written.values():
        expect([part.n_cells for part in parts] == n_rows, what)
    cells = {column.name for column in copy.columns if column.kind in ("nominal", "numeric")}
    nominal = {column.name for column in copy.columns if column.kind == "nominal"}
    expect(not n_rows or cells <= copy.written.keys() <= cells | {GROUP, TARGET, WEIGHT}, what)
    expect(not n_rows or copy.place_of.keys() == nominal, what)
    for place_of in copy.place_of.values():
        expect(list(place_of.values()) == list(range(len(place_of))), what)


register(Tally, check_saved_tally)
register(NumberSummary, check_number_summary)
register(LabelSummary, check_label_summary)
register(RawRows, check_raw_rows)
register(Survey, check_survey)
register(TreeSum, check_tree_sum)
register(Learnt, statistics=Statistics)
register(ColumnKind)
register(StoredPart, check_stored_part)
register(Copy, check_row_copy)
