"""Reduce a table to statistics: blocks of coded rows are counted in threads and added up in a fixed tree.

Besides: how many rows a block has, how many threads work, and linear algebra on one thread. Vectors of a handful of
numbers are done before a second thread has woken up: on a busy machine L-BFGS with twenty parameters takes a hundred
times as long with threads as without. And sums do not depend on the number of threads.
"""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import Any

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController

from bayfold.core import kernels
from bayfold.core.counts import (
    CodeLayout,
    JointCounts,
    LabelledRows,
    RowHashes,
    RowSample,
    Statistics,
    WordCounts,
    WordTable,
)
from bayfold.core.counts.joint import add_in_tree
from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.counts.sample import SAMPLE_SIZE
from bayfold.core.counts.sample_limits import NO_LIMITS, SampleLimits, count_rare, guess_limits
from bayfold.core.counts.units import mix_units
from bayfold.core.counts.words import WordCounter
from bayfold.core.engine.plain_columns import PlainTable, find_plain_table
from bayfold.core.frames import map_in_threads
from bayfold.core.schema import Coder, RowBlock, Schema
from bayfold.core.schema.coding import CodedTable
from bayfold.errors import bad_n_jobs


@cache
def _find_libraries() -> ThreadpoolController:
    """Looked for once: it takes a millisecond or two."""
    return ThreadpoolController()


def on_one_thread() -> AbstractContextManager[Any]:
    """Within it, linear algebra libraries use a single thread."""
    return _find_libraries().limit(limits=1, user_api="blas")


BLOCK_CELLS = 1 << 19
"""Cells per block: the half megabyte of codes stays in the core's cache between encoding, counting and hashing."""


TEXT_ROWS = 1 << 12
"""Rows per block where there are texts: the words of so many messages take some megabytes."""


def block_rows(n_columns: int, n_texts: int = 0) -> int:
    """Rows per block: a power of two that depends on the number of columns alone.

    >>> block_rows(20), block_rows(1), block_rows(1, n_texts=1)
    (16384, 65536, 4096)
    """
    rows = max(BLOCK_CELLS // max(n_columns, 1), 256)
    return int(min(1 << (rows.bit_length() - 1), TEXT_ROWS if n_texts else 1 << 16))


def resolve_threads(n_jobs: int | None) -> int:
    """Number of threads: all cores by default, one inside a joblib worker.

    Negative numbers count from the number of cores, as in joblib.
    """
    if n_jobs == 0 or not (n_jobs is None or isinstance(n_jobs, Integral)):
        raise bad_n_jobs(n_jobs)
    if n_jobs is None:
        backend, _ = joblib.parallel.get_active_backend()
        return 1 if getattr(backend, "nesting_level", 0) else joblib.cpu_count()
    return max(joblib.cpu_count() + 1 + n_jobs, 1) if n_jobs < 0 else n_jobs


MAX_SEGMENTS = 16
"""Partial sums that are added in a fixed tree: enough for 16 threads, few enough to hold."""

WORDS_TO_ADD = 1 << 17
"""Rows of text in a part at least: adding the words of parts costs as much as counting so many rows."""

BLOCKS_AT_ONCE = 4
"""Blocks in one call where rows are counted as they are coded: their codes take little room, and the calls of single
blocks a tenth of the time of plain numbers, a fourteenth of that of columns."""

SAMPLE_CELLS = 1 << 26
"""A sample of a very wide table is kept to this many cells."""


def reduce_table(
    coded: CodedTable,
    rows: LabelledRows,
    *,
    moment_columns: tuple[int, ...] = (),
    keep_numbers: bool = False,
    n_threads: int = 1,
    limits: SampleLimits | None = None,
) -> Statistics:
    """Statistics of all rows.

    Parameters
    ----------
    coded : CodedTable
        The table of the rows, under the schema of the statistics.
    rows : LabelledRows
    moment_columns : tuple of int
        Numeric columns whose moments are wanted.
    keep_numbers : bool
        Whether the sample keeps numeric cells and the numeric target as they are, beside their codes.
    n_threads : int
    limits : SampleLimits or None
        Rows with larger hashes are known to be no candidates for the sample. None: unknown.

    Notes
    -----
    Rows are cut into segments whose number depends on the table alone. A thread works through
    a segment block by block, and segments are added in a fixed tree, so the result does not depend
    on the number of threads.
    """
    plan = _Plan(coded, rows, moment_columns, keep_numbers)
    hint = plan.guess_limits() if limits is None else limits
    bounds = cut_segments(rows.n_rows, plan.rows_per_block, plan.n_entries)
    if n_threads == 1 and plan.is_exact(hint):
        bounds = [0, rows.n_rows]

    def reduce_segment(segment: int) -> tuple[_Sums, list[RowSample]]:
        return plan.reduce_rows(bounds[segment], bounds[segment + 1], hint)

    parts = map_in_threads(reduce_segment, range(len(bounds) - 1), n_threads)
    sums = add_in_tree([sums for sums, _ in parts])
    counts = plan.to_counts(sums)
    sample = RowSample.merge_all([sample for _, samples in parts for sample in samples])
    if limits is None and not sample.is_complete:
        # so many equal rows that too few distinct ones lie below the guess
        sample = plan.sample_again(bounds, n_threads)
    return Statistics(counts, sample, plan.to_words(sums))


def cut_segments(n_rows: int, rows_per_block: int, n_entries: int) -> list[int]:
    """Bounds of the segments: whole blocks, not so many that adding tables costs more than counting."""
    n_blocks = -(-n_rows // rows_per_block)
    worthwhile = max(n_rows // max(n_entries, 1), 1)
    n_segments = max(min(MAX_SEGMENTS, n_blocks, worthwhile), 1)
    starts = np.linspace(0, n_blocks, n_segments + 1).astype(np.int64) * rows_per_block
    return [int(bound) for bound in np.minimum(starts, n_rows)]


@dataclass
class _Sums:
    """What a segment adds up, still in flat arrays: adding these is cheaper than adding tables."""

    narrow: np.ndarray
    wide: np.ndarray
    moments: np.ndarray
    minimum: np.ndarray
    maximum: np.ndarray
    words: tuple[WordTable, ...] = ()

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.narrow + other.narrow,
            self.wide + other.wide,
            self.moments + other.moments,
            np.minimum(self.minimum, other.minimum),
            np.maximum(self.maximum, other.maximum),
            tuple(a.plus(b) for a, b in zip(self.words, other.words, strict=True)),
        )


class _Plan:
    """What all segments of one pass share."""

    def __init__(
        self,
        coded: CodedTable,
        rows: LabelledRows,
        moment_columns: tuple[int, ...],
        keep_numbers: bool,
    ) -> None:
        coder: Coder = coded.coder
        schema = coder.schema
        self.coded = coded
        self.coder = coder
        self.schema = schema
        self.rows = rows
        self.layout, self.row_hashes = _prepare(schema, rows.groups)
        self.n_entries = max(self.layout.size, 1) // max(len(schema.columns), 1)
        if schema.text:
            self.n_entries = max(self.n_entries, WORDS_TO_ADD)
        self.rows_per_block = block_rows(len(schema.columns), len(schema.text))
        self.sample_size = min(SAMPLE_SIZE, max(SAMPLE_CELLS // max(len(schema.columns), 1), 1))
        self.kept_target = rows.target if keep_numbers else None
        self.moment_columns = moment_columns
        needs_numbers = len(moment_columns) > 0 or self.kept_target is not None
        self.code_rows = coded.block if needs_numbers else coded.block_of_codes
        self.moment_positions = np.array(
            [schema.numeric_position[j] for j in moment_columns], np.int64
        )
        self.plain = (
            None if needs_numbers else find_plain_table(coded, rows, self.layout, self.row_hashes)
        )
        schemas = [schema.columns[j] for j in moment_columns]
        self.shift = np.array([column.shift for column in schemas])  # type: ignore[union-attr]
        self.scale = np.array([column.scale for column in schemas])  # type: ignore[union-attr]

    def guess_limits(self) -> SampleLimits:
        """Hashes that most rows outside the sample exceed."""
        groups = self.rows.groups
        n_rare = count_rare(self.schema, len(groups), self.sample_size)
        return guess_limits(self.rows.group_of, groups, self.sample_size, n_rare)

    def reduce_rows(
        self, start: int, stop: int, limits: SampleLimits
    ) -> tuple[_Sums, list[RowSample]]:
        """Sums of a segment and candidates for the sample, block by block."""
        if limits.threshold < LARGEST_HASH and self.plain is not None:
            return self._reduce_plainly(self.plain, start, stop, limits)
        ranges = self.coder.new_ranges()
        moments = np.zeros((len(self.moment_columns), 3, len(self.rows.groups)))
        sums = _Sums(*self.layout.zeros(), moments, *ranges)
        samples = _SampleBuilder()
        space = self.coded.new_space(self.rows_per_block)
        counters = [WordCounter(stop - start) for _ in self.schema.text]
        for low in range(start, stop, self.rows_per_block):
            high = min(low + self.rows_per_block, stop)
            block = self.code_rows(low, high, ranges, space)
            g = self.rows.group_of[low:high]
            w = self.rows.find_weights(low, high)
            hashes = self.row_hashes.count_and_hash(
                self.layout, block, g, w, (sums.narrow, sums.wide)
            )
            if len(self.moment_columns):
                kernels.sum_moments(
                    block.values, self.moment_positions, self.shift, self.scale, g, w, moments
                )
            for counter, split in zip(counters, block.splits, strict=True):
                counter.add(split, g, w)
            samples.add(self.sample_block(block, hashes, low, w, limits))
        sums.words = tuple(counter.total() for counter in counters)
        return sums, samples.parts

    def _reduce_plainly(
        self, plain: PlainTable, start: int, stop: int, limits: SampleLimits
    ) -> tuple[_Sums, list[RowSample]]:
        """The same of a segment of plain columns, of which few rows are candidates."""
        ranges = self.coder.new_ranges()
        samples = _SampleBuilder()
        rows_per_call = BLOCKS_AT_ONCE * self.rows_per_block
        counter = plain.new_counter(min(rows_per_call, stop - start))
        for low in range(start, stop, rows_per_call):
            high = min(low + rows_per_call, stop)
            samples.add(counter.add(low, high, ranges, limits, self.sample_size))
        no_moments = np.zeros((0, 3, len(self.rows.groups)))
        narrow, wide = (n.astype(np.float64) for n in (counter.narrow_counts, counter.wide_counts))
        return _Sums(narrow, wide, no_moments, *ranges), samples.parts

    def is_exact(self, limits: SampleLimits) -> bool:
        """Whether all sums are of whole numbers, so that segments, which fix their order, are for threads alone."""
        return limits.threshold < LARGEST_HASH and self.plain is not None

    def to_words(self, sums: _Sums) -> WordCounts:
        """The words of all rows."""
        if not self.schema.text:
            return WordCounts.zero()
        return WordCounts(self.schema, self.rows.groups, sums.words)

    def to_counts(self, sums: _Sums) -> JointCounts:
        """The sums of all rows as one table per column."""
        tables = self.layout.cut((sums.narrow, sums.wide))
        totals = tables[0].sum(axis=0)  # every row is in exactly one entry of each table
        moments = dict(zip(self.moment_columns, sums.moments, strict=True))
        ranges = sums.minimum, sums.maximum
        return JointCounts(self.schema, self.rows.groups, tables, totals, *ranges, moments)

    def sample_block(
        self,
        block: RowBlock,
        hashes: np.ndarray,
        start: int,
        weights: np.ndarray,
        limits: SampleLimits,
    ) -> RowSample:
        """The rows of a block, the first of which is row ``start``, that may belong to the sample.

        Where numbers are kept, their bits are part of the content: rows may share every code and differ in them.
        """
        kept = slice(start, start + block.n_rows)
        group_of = self.rows.group_of[kept]
        units = None if self.rows.units is None else self.rows.units[kept]
        time = None if self.rows.time is None else self.rows.time[kept]
        numbers = None
        if self.kept_target is not None:
            target = self.kept_target[kept, None]
            numbers = np.concatenate([block.values, target], axis=1)
            kernels.hash_numbers(numbers, hashes)
        return RowSample.candidates(
            self.schema,
            self.rows.groups,
            block,
            mix_units(self.row_hashes.mark_groups(hashes, group_of), units, time),
            group_of,
            weights,
            limits,
            self.sample_size,
            numbers,
            units,
            time,
        )

    def sample_again(self, bounds: list[int], n_threads: int) -> RowSample:
        """The sample alone, with every row a candidate."""

        def sample_segment(segment: int) -> RowSample:
            samples = _SampleBuilder()
            for low in range(bounds[segment], bounds[segment + 1], self.rows_per_block):
                high = min(low + self.rows_per_block, bounds[segment + 1])
                block = self.coded.block(low, high)
                w = self.rows.find_weights(low, high)
                hashes = self.row_hashes.hash_content(block)
                samples.add(self.sample_block(block, hashes, low, w, NO_LIMITS))
            return RowSample.merge_all(samples.parts)

        segments = range(len(bounds) - 1)
        return RowSample.merge_all(map_in_threads(sample_segment, segments, n_threads))


def _prepare(schema: Schema, groups: np.ndarray) -> tuple[CodeLayout, RowHashes]:
    """Where counts go and what rows are hashed by: kept for the next part of the same data, which asks for the same."""
    for known, known_groups, prepared in tuple(_PREPARED):
        if known is schema and np.array_equal(known_groups, groups):
            return prepared
    prepared = CodeLayout(schema, len(groups)), RowHashes(schema, groups)
    _PREPARED.append((schema, groups, prepared))
    return prepared


_PREPARED: deque[tuple[Schema, np.ndarray, tuple[CodeLayout, RowHashes]]] = deque(maxlen=1)
"""Of the last schema alone: parts of one source follow one another."""


class _SampleBuilder:
    """Collects the samples of blocks and merges them only when there is much to merge."""

    def __init__(self) -> None:
        self.parts: list[RowSample] = []
        self.pending = 0

    def add(self, part: RowSample) -> None:
        self.parts.append(part)
        self.pending += len(part.hashes)
        if self.pending > 2 * part.size:
            self.parts = [RowSample.merge_all(self.parts)]
            self.pending = self.parts[0].n_rows
