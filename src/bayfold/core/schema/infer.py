"""From a table to its schema. The rules:

* integers, floats, decimals, nullable numbers, and object columns of numbers only: numeric
  (small whole numbers too: say ``categorical_features=`` where they are labels);
* timestamps, dates and periods (by their beginning): numeric, seconds since 1970; durations and times of day: numeric,
  seconds;
* strings, categories, booleans, and object columns that mix strings, booleans and numbers: nominal; but numeric where
  all are numbers in one notation, with a unit, as money or as percent (frames/notation.py);
* of these, for estimators that read words, columns with at least 20 different cells, a third as many as known cells,
  that have one and a half words of letters or more on average: text, but not addresses (schema/text_rule.py);
* a sparse matrix: one column of text, whose words are the columns of the matrix (schema/bags.py);
* a column without a single known cell and without a type that says more: numeric with one bin,
  which never gives evidence;
* categories are all that occur, in sorted order; beyond 65,533 the most frequent keep their own bin
  and the others share one called OTHER;
* fine bins of a numeric column come from all rows of a table of up to 20,000, and from about 10,000 of a longer
  one, drawn by what is in them (schema/draw.py): forty rows a bin place the edges well enough, since rows are
  counted exactly;
* a column with few distinct values in the sample is looked at whole, so that a rare value has its bin too, and
  learns values that come later like new categories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.frames import BagColumn, Table, map_in_threads
from bayfold.core.frames.labels import lend_cells
from bayfold.core.kernels.encode import NARROW_BINS, WIDE_BINS
from bayfold.core.schema.bags import BagOfWords
from bayfold.core.schema.edges import (
    align_edges,
    draw_by_content,
    find_fine_edges,
    find_midpoints,
    find_width_cuts,
)
from bayfold.core.schema.extend import find_new_values
from bayfold.core.schema.given import GivenBins, group_categories, hide_special, make_given_numeric
from bayfold.core.schema.text_rule import TextRule
from bayfold.core.schema.types import ColumnSchema, NominalColumn, NumericColumn, Schema
from bayfold.core.schema.written import find_notations, read_written
from bayfold.errors import bins_of_wrong_kind, special_codes_of_categories

ALL_ROWS = 20_000
"""Tables of up to so many rows are read whole for the schema, as many as the row sample holds."""

SAMPLE_ROWS = 10_000
"""Beyond, edges come from so many rows: ranks have a standard error of half a percent, about a fine bin."""

LEAST_REPEATS = 2
"""Rows per distinct value, on average, from which on a column is one of few values rather than of measurements,
of which each row may bring a new one."""

CELLS_FOR_THREADS = 1 << 16
"""Fewer cells are sorted in less time than it takes to start threads."""

MAX_CATEGORIES = WIDE_BINS - 1  # one code is left for OTHER


def infer_schema(
    table: Table,
    weights: np.ndarray | None = None,
    nominal: frozenset[int] = frozenset(),
    width_bins: Mapping[int, int] | None = None,
    max_bins: int = NARROW_BINS,
    max_categories: int = MAX_CATEGORIES,
    n_threads: int = 1,
    texts: TextRule | None = None,
    given: Mapping[int, GivenBins] | None = None,
    range_share: float = 0.0,
    asked_numbers: Mapping[int, str | None] | None = None,
) -> Schema:
    """Infer what each column is and how it is coded.

    Parameters
    ----------
    table : Table
    weights : ndarray or None
        Weight of each row; edges are weighted quantiles.
    nominal : frozenset of int
        Columns that hold labels whatever their type.
    width_bins : mapping of int to int, optional
        Columns for which an equal-width model was asked, and its number of bins.
    max_bins : int
        Most fine bins of a numeric column, 254 or fewer.
    max_categories : int
        Most categories with a bin of their own.
    n_threads : int
        For the columns.
    texts : TextRule or None
        None where no column can be text.
    given : mapping of int to GivenBins, optional
        Columns whose bins somebody has given.
    range_share : float
        How far bins follow values rather than ranks: see ``find_fine_edges``.
    asked_numbers : mapping of int to str or None, optional
        Columns that hold numbers whatever their type, and the decimal sign where somebody has said it.
    """
    as_given = table
    given = given or {}
    nominal = nominal | {j for j, bins in given.items() if bins.groups}
    named = {
        j for j, bins in given.items() if not bins.numbers_only and (bins.has_bins or bins.most)
    }
    asked = frozenset() if texts is None else texts.asked
    for j in sorted(asked & named):
        raise bins_of_wrong_kind(table.columns[j].name, "text")
    notations = find_notations(table, nominal | asked, asked_numbers)
    special = {j: bins.special for j, bins in given.items() if bins.special}
    table = hide_special(read_written(table, notations), special)
    sample, sample_weights = _draw_sample(table, weights)
    is_part = table.whole is not None or sample is not table
    width_bins = width_bins or {}
    most = [max_bins] * len(table.columns)
    for j, bins in given.items():
        most[j] = min(bins.most or max_bins, NARROW_BINS - len(bins.special))

    def infer_column(j: int) -> ColumnSchema:
        column = table.columns[j]
        if isinstance(column, BagColumn):
            return BagOfWords.of(column)
        text = (
            None
            if texts is None or j in nominal or j in named
            else texts.find_column(table, sample, j, weights)
        )
        if text is not None:
            return text
        if j in nominal or column.kind == "nominal":
            return _infer_categories(table, j, weights, max_categories, given.get(j))
        if j in given and given[j].has_bins:
            extremes = _find_range(table, j) if given[j].number else None
            found = make_given_numeric(column.name, given[j], extremes, column.zone)
            return replace(found, notation=notations.get(j))
        values = sample.columns[j].numbers(0, sample.n_rows)
        w = sample_weights
        if j in width_bins and is_part:
            values, w = with_extremes(values, w, _find_range(table, j))
        n_bins = width_bins.get(j, 0)
        share = 0.0 if j in given else range_share
        found = infer_numeric(column.name, values, w, n_bins, column.zone, most[j], is_part, share)
        return replace(found, notation=notations[j]) if j in notations else found

    n_threads = n_threads if sample.n_rows * len(table.columns) >= CELLS_FOR_THREADS else 1
    columns = map_in_threads(infer_column, range(len(table.columns)), n_threads)
    if is_part:
        _see_few_values(table, columns, most)
    else:
        table.few_values.update(_few_values(columns))
    as_given.few_values.update(table.few_values)
    for j, codes in special.items():
        column_schema = columns[j]
        if isinstance(column_schema, NumericColumn):
            columns[j] = replace(column_schema, special=codes, max_values=0)
    return Schema(tuple(columns), table.feature_names is not None)


def _draw_sample(table: Table, weights: np.ndarray | None) -> tuple[Table, np.ndarray | None]:
    """The rows that bins are drawn from, and their weights."""
    if table.whole is not None or table.n_rows <= ALL_ROWS:
        return table, weights
    rows = draw_by_content(table, weights, SAMPLE_ROWS)
    return table.take(rows), None if weights is None else weights[rows]


def _few_values(columns: list[ColumnSchema]) -> dict[int, np.ndarray]:
    """The values of the columns in which each has a bin of its own."""
    numeric = ((j, column) for j, column in enumerate(columns) if isinstance(column, NumericColumn))
    return {j: column.values for j, column in numeric if column.values is not None}


def _see_few_values(table: Table, columns: list[ColumnSchema], most: list[int]) -> None:
    """Look at all rows of columns with few values in the sample, and give every value a bin."""
    for j, new in _find_other_values(table, _few_values(columns)).items():
        column_schema = columns[j]
        assert isinstance(column_schema, NumericColumn)
        columns[j] = add_rare_values(column_schema, new, most[j])
    table.few_values.update(_few_values(columns))


def _find_other_values(table: Table, known: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
    if table.whole is None:
        return find_new_values(table, known)
    found = {j: np.setdiff1d(table.whole.numbers(j).values, known[j]) for j in known}
    return {j: values for j, values in found.items() if len(values)}


def add_rare_values(column: NumericColumn, new: np.ndarray, max_bins: int) -> NumericColumn:
    """A column inferred from a sample with what all rows hold besides: a bin for each value while there are few.

    Where they turn out to be many, the values of the sample and some others bound the bins.
    """
    if column.is_empty:
        shift, scale = find_shift_and_scale(new, np.ones(len(new)))
        column = replace(column, shift=shift, scale=scale)
    whole = replace(column, max_values=max_bins).extended(new)
    if len(column.first_values) + len(new) > max_bins:
        return replace(whole, values=None, added=np.empty(0), max_values=0)
    return replace(whole, added=np.empty(0))


def _infer_categories(
    table: Table, j: int, weights: np.ndarray | None, cap: int, given: GivenBins | None
) -> NominalColumn:
    """Categories in sorted order; beyond the cap only the most frequent. Then in shared bins, if these are given."""
    name = table.columns[j].name
    if table.whole is not None:
        labels, frequency = table.whole.labels(j)
    else:
        indices, labels = table.columns[j].labels()
        if len(labels) <= cap and given is None:
            return NominalColumn(name, tuple(sorted(labels)))
        known = indices >= 0
        known_weights = None if weights is None else weights[known]
        frequency = np.bincount(indices[known], known_weights, minlength=len(labels))
    column = name_categories(name, labels, frequency, cap)
    if given is not None and given.special_named:
        raise special_codes_of_categories(name)
    if given is None or given.numbers_only:
        return column
    return group_categories(column, given, dict(zip(labels, frequency.tolist(), strict=True)))


def name_categories(
    name: str, labels: list[str], frequency: np.ndarray, cap: int = MAX_CATEGORIES
) -> NominalColumn:
    """A column of all labels in sorted order, or of the most frequent and OTHER.

    >>> name_categories("a", ["z", "y", "x"], np.array([1.0, 3.0, 1.0]), cap=2)
    NominalColumn('a', 2 categories and OTHER: 'x', 'y')
    """
    if len(labels) <= cap:
        return NominalColumn(name, tuple(sorted(labels)))
    by_frequency = sorted(range(len(labels)), key=lambda k: (-frequency[k], labels[k]))
    kept = sorted(labels[k] for k in by_frequency[:cap])
    return NominalColumn(name, tuple(kept), has_other=True)


def infer_numeric(
    name: str,
    values: np.ndarray,
    weights: np.ndarray | None,
    width_bins: int = 0,
    zone: str | None = None,
    max_bins: int = NARROW_BINS,
    is_part: bool = False,
    range_share: float = 0.0,
) -> NumericColumn:
    """Fine bins of a numeric column from its values, or from part of them."""
    distinct, summed = collapse_values(values, weights)
    if len(distinct) == 0:
        nothing = np.empty(0)
        return NumericColumn(name, nothing, nothing, zone=zone, max_values=max_bins)
    edges, own = find_fine_edges(distinct, summed, width_bins, max_bins, range_share)
    if is_part and own is None and not width_bins:
        edges = align_edges(edges, distinct, summed)
    shift, scale = find_shift_and_scale(distinct, summed)
    width_edges = None
    if width_bins:
        cuts = find_width_cuts(distinct, distinct[0], distinct[-1], width_bins)
        width_edges = find_midpoints(distinct[cuts - 1], distinct[cuts])
    repeats = summed.sum() >= LEAST_REPEATS * len(distinct)
    max_values = max_bins if own is not None and repeats else 0
    return NumericColumn(name, edges, own, shift, scale, zone, width_bins, width_edges, max_values)


def collapse_values(
    values: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Distinct finite values in increasing order with their summed weights.

    Weight 2 and the row twice give the same result, which is why edges are sought from here.
    """
    if weights is None:
        return kernels.count_distinct(lend_cells(np.asarray(values, np.float64)))
    known = np.isfinite(values)  # infinity is refused later, by the encoder, with the column's name
    if not known.all():
        values = values[known]
        weights = weights[known]
    distinct, inverse = np.unique(values, return_inverse=True)
    return distinct, np.bincount(inverse, weights, minlength=len(distinct))


def find_shift_and_scale(values: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """The weighted mean, and the spread rounded to a power of two so that dividing by it is exact."""
    mean, spread = kernels.measure_spread(values, weights)
    if not np.isfinite(mean) or not 0 < spread < np.inf:
        return (mean if np.isfinite(mean) else 0.0), 1.0
    return mean, float(2.0 ** np.clip(np.round(np.log2(spread)), -1000, 1000))


def _find_range(table: Table, j: int) -> tuple[float, float]:
    """The smallest and the largest number of all rows of a column."""
    if table.whole is not None:
        numbers = table.whole.numbers(j)
        return numbers.low, numbers.high
    low = np.inf
    high = -np.inf
    for start in range(0, table.n_rows, 1 << 16):
        block = table.columns[j].numbers(start, min(start + (1 << 16), table.n_rows))
        low = np.fmin(low, np.fmin.reduce(block))
        high = np.fmax(high, np.fmax.reduce(block))
    return low, high


def with_extremes(
    values: np.ndarray, weights: np.ndarray | None, extremes: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """The sample plus the smallest and largest value of all rows, which equal width needs."""
    weights = np.ones(len(values)) if weights is None else weights
    return np.append(values, extremes), np.append(weights, [1.0, 1.0])
