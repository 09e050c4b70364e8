"""Averaged one-dependence estimators: coarse bins, counts of pairs of columns, and the model derived from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts import JointCounts, LabelledRows
from bayfold.core.counts.joint import add_in_tree
from bayfold.core.counts.sample_limits import SampleLimits
from bayfold.core.densities import Smoothing, estimate_frequencies
from bayfold.core.discretize import merge_equal_frequency, merge_mdl
from bayfold.core.engine import block_rows, map_in_threads, reduce_table
from bayfold.core.engine.reduce import cut_segments
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import Coder, NumericColumn, Schema, extend_schema
from bayfold.core.schema.coding import CodedTable
from bayfold.core.scoring.derive import Settings, derive_model
from bayfold.families.aode import kernels
from bayfold.families.aode.counts import (
    NUMERIC_BINS,
    PairCounts,
    PairLayout,
    PairStatistics,
    count_pairs_of_block,
)
from bayfold.families.aode.kernels.pairs import NOWHERE
from bayfold.families.aode.model import OneDependenceModel, estimate_joint, update_to_given


def reduce_pairs(coded: CodedTable, rows: LabelledRows, *, n_threads: int = 1) -> PairCounts:
    """Counts of pairs of all rows, in segments added in a fixed tree as in ``reduce_table``."""
    schema = coded.coder.schema
    layout = PairLayout(schema)
    layout.check_size(len(rows.groups))
    shape = layout.n_values, layout.n_values, len(rows.groups)
    size = block_rows(len(schema.columns))
    bounds = cut_segments(coded.n_rows, size, int(np.prod(shape)))

    def reduce_segment(segment: int) -> np.ndarray:
        table = np.zeros(shape)
        for start in range(bounds[segment], bounds[segment + 1], size):
            stop = min(start + size, bounds[segment + 1])
            g = rows.group_of[start:stop]
            w = rows.find_weights(start, stop)
            count_pairs_of_block(layout, coded.block_of_codes(start, stop), g, w, table)
        return table

    parts = map_in_threads(reduce_segment, range(len(bounds) - 1), n_threads)
    return PairCounts(schema, rows.groups, add_in_tree(parts))


MOST_CANDIDATES = 16
"""Quantiles kept beside the cuts, so that a sum of parts can be cut elsewhere (docs/decisions/0004)."""

PAIRED_VALUES = 2048
"""Candidate bins of all numeric columns together: the table of pairs grows with the square."""


@dataclass(frozen=True)
class PairSettings:
    """How a model is derived from statistics with pairs.

    Attributes
    ----------
    methods : mapping of int to str
        For each numeric column ``"mdl"``, ``"equal_frequency"`` or ``"given"``.
    n_bins : mapping of int to int
        For each column of equal frequency.
    smoothing : Smoothing
    min_parent_count : float
        Weight of the training rows that a value needs to be a parent.
    """

    methods: Mapping[int, str]
    n_bins: Mapping[int, int]
    smoothing: Smoothing
    min_parent_count: float = 1.0


def coarsen_schema(counts: JointCounts, settings: PairSettings) -> Schema:
    """The schema with few bins per number, fit for counting pairs.

    The edges kept are the cuts the column's method would make on all rows, so that the model of these rows loses
    nothing, and for MDL some quantiles besides, so that rows added later can move the cuts.
    """
    schema = counts.schema
    assert schema is not None
    columns = list(schema.columns)
    affordable = max(PAIRED_VALUES // max(len(schema.numeric), 1), 2)
    n_candidates = min(affordable, MOST_CANDIDATES)
    n_bins = {j: min(wanted, affordable) for j, wanted in settings.n_bins.items()}
    settings = replace(settings, n_bins=n_bins)
    for j in schema.numeric.tolist():
        column_schema = columns[j]
        table = counts.tables[j][FIRST_BIN:]
        assert isinstance(column_schema, NumericColumn)
        merge = merge_values(table, settings, j)
        is_edge = np.diff(merge) > 0
        if settings.methods[j] == "mdl":
            is_edge |= np.diff(merge_equal_frequency(table.sum(axis=1), n_candidates)) > 0
        if not is_edge.all():
            edges = column_schema.edges[is_edge]
            values = None if len(edges) else column_schema.values
            columns[j] = replace(column_schema, edges=edges, values=values, max_values=0)
    return replace(schema, columns=tuple(columns))


def merge_values(counts: np.ndarray, settings: PairSettings, j: int) -> np.ndarray:
    """The bin of each candidate bin of a numeric column."""
    if settings.methods[j] == "given":
        return np.arange(len(counts))
    if settings.methods[j] == "mdl":
        return merge_mdl(counts)
    return merge_equal_frequency(counts.sum(axis=1), settings.n_bins[j])


def learn_pairs(
    rows: LabelledRows, schema: Schema, *, n_threads: int = 1, limits: SampleLimits | None = None
) -> PairStatistics:
    """Statistics of rows with pairs, under a schema that grows by the categories and values it does not know yet."""
    coded = Coder(extend_schema(schema.with_room_for(NUMERIC_BINS), rows.table)).open(rows.table)
    pairs = reduce_pairs(coded, rows, n_threads=n_threads)
    single = reduce_table(coded, rows, n_threads=n_threads, limits=limits)
    return PairStatistics(single.counts, single.sample, single.words, pairs)


def derive_one_dependence(
    counts: JointCounts,
    pairs: PairCounts,
    settings: PairSettings,
    is_silent: np.ndarray,
    uses_up: bool = False,
) -> OneDependenceModel:
    """The model of the counts without silent columns.

    With ``uses_up`` it is made in the place of the counts of pairs, which are large.
    """
    assert counts.schema is not None
    layout = PairLayout(counts.schema)
    smoothing = settings.smoothing
    values, merge = _merge_columns(counts, layout, settings)
    first = np.flatnonzero(np.diff(merge, prepend=-1))  # where the merged values begin
    starts = merge[layout.starts[:-1]]
    table = pairs.table
    if len(first) < len(table):
        table = np.add.reduceat(np.add.reduceat(table, first, axis=0), first, axis=1)
    elif not uses_up:
        table = table.copy()
    kernels.update_other_half(table)
    by_column = np.split(values, starts)[1:]
    log_naive = np.concatenate(
        [values[:0], *(estimate_frequencies(part, smoothing) for part in by_column)]
    )
    return OneDependenceModel(
        derive_model(counts, Settings(settings.methods, settings.n_bins, smoothing)),
        layout,
        is_silent,
        _find_lookups(layout, merge, values, is_silent),
        _find_parents(values, starts, settings.min_parent_count),
        estimate_joint(values, starts, smoothing),
        log_naive,
        update_to_given(table, values, starts, log_naive, smoothing),
    )


def _merge_columns(
    counts: JointCounts, layout: PairLayout, settings: PairSettings
) -> tuple[np.ndarray, np.ndarray]:
    """Counts of the merged values of all columns, and the merged value of each position."""
    assert counts.schema is not None
    n_values = 0
    merges = [np.empty(0, np.int64)]
    values = [np.empty((0, len(counts.groups)))]
    for k, j in enumerate(layout.columns):
        of_bin = layout.sum_bins(k, counts.tables[j])
        merge = np.arange(len(of_bin))
        if j in counts.schema.numeric_position:
            merge = merge_values(of_bin, settings, j)
        values.append(np.add.reduceat(of_bin, np.flatnonzero(np.diff(merge, prepend=-1)), axis=0))
        merges.append(n_values + merge)
        n_values += int(merge[-1]) + 1
    return np.concatenate(values), np.concatenate(merges)


def _find_lookups(
    layout: PairLayout, merge: np.ndarray, values: np.ndarray, is_silent: np.ndarray
) -> list[np.ndarray]:
    """The merged value of each code; none for a value that nobody was counted in, nor for silent columns."""
    if not len(values):
        return []
    position = np.where(values.sum(axis=1) > 0, np.arange(len(values)), NOWHERE)[merge]
    return [
        np.where((codes >= 0) & ~is_silent[j], position[codes], NOWHERE)
        for j, codes in zip(layout.columns, layout.lookups, strict=True)
    ]


def _find_parents(values: np.ndarray, starts: np.ndarray, min_parent_count: float) -> np.ndarray:
    """Values with enough rows, of columns with more than one value: a constant column is no dependence."""
    weight = values.sum(axis=1)
    n_occurring = np.add.reduceat((weight > 0).astype(np.int64), starts)
    varies = np.repeat(n_occurring > 1, np.diff(np.append(starts, len(values))))
    return varies & (weight >= max(min_parent_count, np.finfo(float).tiny))
