"""The rows of a table made ready for EM: distinct, in an order of their own, in chunks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayfold.core.counts import JointCounts, RowHashes
from bayfold.core.counts.copies import count_copies, find_units
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.equal_rows import collapse_equal_rows
from bayfold.core.counts.folds import Deal, GivenUnits, shuffle_units
from bayfold.core.counts.layout import count_block
from bayfold.core.counts.sample import SAMPLE_SIZE
from bayfold.core.counts.units import mix_units
from bayfold.core.densities.gaussian import POINT_VARIANCE
from bayfold.core.densities.table import find_widths
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import Coder, NumericColumn, RowBlock, Schema
from bayfold.core.schema.infer import find_shift_and_scale
from bayfold.core.scoring.derive import Settings, merge_bins
from bayfold.families.mixtures.kernels.chunks import CHUNK, Chunks
from bayfold.families.mixtures.numbers import choose_densities, find_outlying, find_resolution

ONE_GROUP = np.array([0])
"""Rows without a target are all of one group."""
EXACT = ("auto", "gaussian")
"""Methods for which rows are equal if their numbers are, not only their bins."""


@dataclass(frozen=True, eq=False)
class MixtureRows:
    """Distinct rows with their summed weights, in an order of their own (``find_order``).

    So a weight of 2 is the row twice, and neither the start of EM nor its folds depend on the order of rows.

    Attributes
    ----------
    schema : Schema
    settings : Settings
    block : RowBlock
    weights : ndarray
    units : ndarray of int64
        In how many parts each row may be held out.
    inverse : ndarray of int
        The distinct row of each row of the table.
    overall : JointCounts
        Counts of all rows as one group.
    resolution : ndarray
        The unit that the numbers of each column with a Gaussian were rounded to; zero where no value repeats.
    merges : dict of int to ndarray
        For each discretized column, the coarse bin of each fine bin. It depends on all rows together, so it stays.
    said : GivenUnits or None
        What was said of rows that depend on each other: equal rows of different units are not one.
    """

    schema: Schema
    settings: Settings
    block: RowBlock
    weights: np.ndarray
    units: np.ndarray
    inverse: np.ndarray
    overall: JointCounts
    resolution: np.ndarray
    merges: dict[int, np.ndarray]
    said: GivenUnits | None = None

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return len(self.weights)

    @property
    def gaussians(self) -> list[int]:
        """Columns with a Gaussian."""
        return [j for j in self.schema.numeric.tolist() if j not in self.merges]

    @cached_property
    def least_variances(self) -> np.ndarray:
        """Of the columns with a Gaussian, standardized, whatever the floor that was asked for.

        A density above one over the resolution would be a probability above one of a single value.
        """
        scale = [self.schema.columns[j].scale for j in self.gaussians]  # type: ignore[union-attr]
        least_sd = self.resolution / np.array(scale, np.float64) / np.sqrt(2.0 * np.pi)
        return np.maximum(least_sd**2, POINT_VARIANCE)

    @cached_property
    def chunks(self) -> Chunks:
        """The rows as the kernels read them."""
        n_chunks = max(-(-self.n_rows // CHUNK), 1)
        gaussians = self.gaussians
        tables = self._coarse_codes
        values = np.full((len(gaussians), n_chunks * CHUNK), np.nan)
        codes = np.zeros((len(tables), n_chunks * CHUNK), np.int32)
        for k, j in enumerate(gaussians):
            column_schema = self.schema.columns[j]
            assert isinstance(column_schema, NumericColumn)
            x = self.block.values[:, self.schema.numeric_position[j]]
            values[k, : self.n_rows] = (x - column_schema.shift) / column_schema.scale
        for t, column in enumerate(tables):
            codes[t, : self.n_rows] = column
            codes[t] += self.starts[t]
        incomplete = np.isnan(values[:, : self.n_rows]).any(axis=1)
        values[~incomplete, self.n_rows :] = 0.0
        return Chunks(
            _in_chunks(values, n_chunks),
            _in_chunks(codes, n_chunks),
            self.spread(self.weights),
            incomplete,
        )

    @cached_property
    def tables(self) -> list[int]:
        """Columns with a table: nominal and discretized ones."""
        return [j for j in range(len(self.schema.columns)) if j not in set(self.gaussians)]

    @cached_property
    def starts(self) -> np.ndarray:
        """Where the table of each such column begins when they are stacked."""
        sizes = [self._n_coarse_codes(j) for j in self.tables]
        return np.cumsum([0, *sizes]).astype(np.int32)

    @cached_property
    def log_unit(self) -> np.ndarray:
        """What turns the kernels' log p(x) of each row into a log-density in the table's own units."""
        unit = np.zeros(self.n_rows)
        for j in self.gaussians:
            column_schema = self.schema.columns[j]
            (low, high) = self.bounds(j)
            assert isinstance(column_schema, NumericColumn)
            if low < high:  # a column with a single value says nothing, in whatever unit
                known = ~np.isnan(self.block.values[:, self.schema.numeric_position[j]])
                unit[known] -= np.log(column_schema.scale)
        for j, merge in self.merges.items():
            column_schema = self.schema.columns[j]
            assert isinstance(column_schema, NumericColumn)
            if self.settings.methods[j] == "values":  # a probability, not a density
                continue
            log_width = np.log(find_widths(column_schema, merge, *self.bounds(j)))
            by_code = np.concatenate([np.zeros(FIRST_BIN), -log_width[merge]])
            unit += by_code[self.block.codes(j)]
        return unit

    def subset(self, chosen: np.ndarray, weights: np.ndarray) -> MixtureRows:
        """Some of the distinct rows, with other weights; the bins stay."""
        part = self.block.take(chosen)
        units = np.minimum(self.units[chosen], count_copies(weights))
        said = None if self.said is None else self.said.within(chosen)
        return replace(
            self,
            block=part,
            weights=weights,
            units=units,
            inverse=np.arange(len(chosen)),
            said=said,
        )

    def deal(self, n_folds: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        """The weight of each row in each fold, and outside it.

        Copies stay together, and so do units: a mixture that has seen the very row finds it likely.
        """
        group_of = np.zeros(self.n_rows, np.int64)
        row_hashes = CountHashes(self.overall, self.block, group_of, self.weights)
        seed = rng.randint(np.iinfo(np.int32).max)
        if self.said is not None:
            keys = row_hashes.draw_keys(self.block, group_of, seed)
            return self.said.hold_out(Deal(keys, group_of, group_of[:1], n_folds), self.weights)
        order = row_hashes.shuffle_rows(self.block, group_of, seed)
        dealt = shuffle_units(order, group_of, self.units, n_folds, rng)
        in_fold = np.zeros((self.n_rows, n_folds))
        np.add.at(in_fold, (dealt.row, dealt.fold), (self.weights / self.units)[dealt.row])
        return in_fold, self.weights[:, None] - in_fold

    def bounds(self, j: int) -> tuple[float, float]:
        """Smallest and largest value of a numeric column."""
        position = self.schema.numeric_position[j]
        return float(self.overall.minimum[position]), float(self.overall.maximum[position])

    def spread(self, of_row: np.ndarray) -> np.ndarray:
        """One number per row in chunks, padded with zeros."""
        n_chunks = max(-(-self.n_rows // CHUNK), 1)
        padded = np.zeros(n_chunks * CHUNK)
        padded[: self.n_rows] = of_row
        return padded.reshape(n_chunks, CHUNK)

    @property
    def _coarse_codes(self) -> list[np.ndarray]:
        coarse = []
        for j in self.tables:
            merge = self.merges.get(j, np.arange(self.schema.columns[j].n_bins))
            of_code = np.concatenate([[MISSING] * FIRST_BIN, merge + 1]).astype(np.int32)
            coarse.append(of_code[self.block.codes(j)])
        return coarse

    def _n_coarse_codes(self, j: int) -> int:
        return (
            int(self.merges[j][-1]) + 2 if j in self.merges else self.schema.columns[j].n_bins + 1
        )


def _in_chunks(columns: np.ndarray, n_chunks: int) -> np.ndarray:
    n_columns = len(columns)
    return np.ascontiguousarray(columns.reshape(n_columns, n_chunks, CHUNK).transpose(1, 0, 2))


def read_rows(
    table: Table,
    schema: Schema,
    weights: np.ndarray | None,
    settings: Settings,
    said: GivenUnits | None = None,
) -> MixtureRows:
    """Code a table and collapse equal rows, of one unit where rows have units."""
    ranges = (coder := Coder(schema)).new_ranges()
    block = coder.open(table).block(0, table.n_rows, ranges)
    exact = [j for j in schema.numeric.tolist() if settings.methods[j] in EXACT]
    group_of = np.zeros(block.n_rows, np.int32)
    hashes = RowHashes(schema, ONE_GROUP).hash_values(block, group_of, exact)
    if said is not None:
        hashes = mix_units(hashes, said.units, said.time)
    equal = collapse_equal_rows(hashes, weights)
    distinct = block.take(equal.first)
    overall = count_block(distinct, schema, ONE_GROUP, group_of[equal.first], equal.weights, ranges)
    positions = [schema.numeric_position[j] for j in exact]
    order = find_order(distinct, equal.weights, overall, positions)
    distinct = distinct.take(order)
    summed = equal.weights[order]
    in_one = np.zeros(distinct.n_rows, np.int64)
    units = find_units(overall, distinct, in_one, summed, exact).units
    first = slice(0, SAMPLE_SIZE)  # in an order by content, so as good as drawn
    values = distinct.values[first]
    of_values = units[first].astype(np.float64)
    settings = choose_densities(schema, settings, values, of_values)
    gaussians = [j for j in schema.numeric.tolist() if settings.methods[j] == "gaussian"]
    at = schema.numeric_position
    resolution = np.array([find_resolution(values[:, at[j]], of_values) for j in gaussians])
    distinct, schema = leave_out_outlying(distinct, schema, gaussians, summed)
    merges = {
        j: find_merge(schema, overall, settings, j)
        for j in schema.numeric.tolist()
        if j not in gaussians
    }
    inverse = np.argsort(order)[equal.inverse]
    said = None if said is None else said.take(equal.first[order])
    return MixtureRows(
        schema, settings, distinct, summed, units, inverse, overall, resolution, merges, said
    )


def find_order(
    distinct: RowBlock, weights: np.ndarray, overall: JointCounts, exact: list[int]
) -> np.ndarray:
    """Distinct rows by frequencies and ranks of what is in them, whatever names and units it has.

    Starts and folds are drawn by position. In the order of content hashes, metres instead of feet would draw other
    ones, and on a few hundred rows find another number of components.
    """
    one = np.zeros(distinct.n_rows, np.int64)
    keys = CountHashes(overall, distinct, one, weights).hash_block(distinct, one)
    order = np.argsort(keys, kind="stable")
    if (np.diff(keys[order]) != 0).all():
        return order
    return np.lexsort((*distinct.values[:, exact].T, keys))


def leave_out_outlying(
    block: RowBlock, schema: Schema, gaussians: list[int], weights: np.ndarray
) -> tuple[RowBlock, Schema]:
    """The rows with cells that lie far out as if they were missing, and columns centred without them."""
    values = block.values.copy()
    columns = list(schema.columns)
    for j in gaussians:
        x = values[:, schema.numeric_position[j]]
        if (outlying := find_outlying(x, weights)).any():
            x[outlying] = np.nan
            known = ~np.isnan(x)
            column_schema = schema.columns[j]
            assert isinstance(column_schema, NumericColumn)
            shift, scale = find_shift_and_scale(x[known], weights[known])
            columns[j] = replace(column_schema, shift=shift, scale=scale)
    schema = replace(schema, columns=tuple(columns))
    return replace(block, schema=schema, values=values), schema


def find_merge(schema: Schema, overall: JointCounts, settings: Settings, j: int) -> np.ndarray:
    """Which coarse bin each fine bin of a discretized column goes to."""
    column_schema = schema.columns[j]
    assert isinstance(column_schema, NumericColumn)
    if settings.methods[j] == "values":
        return np.arange(column_schema.n_bins)
    position = schema.numeric_position[j]
    bounds = float(overall.minimum[position]), float(overall.maximum[position])
    return merge_bins(
        column_schema, overall.tables[j], bounds, settings.methods[j], settings.n_bins[j]
    )
