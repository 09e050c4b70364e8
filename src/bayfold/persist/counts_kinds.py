"""What model files hold of statistics."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts, RowSample, Statistics
from bayfold.core.counts.sample import LARGEST_HASH
from bayfold.core.counts.target_axis import TARGET
from bayfold.core.schema import Schema
from bayfold.persist.checks import (
    FLOAT,
    expect_array,
    expect_counts,
    expect_floats,
    expect_labels,
    expect_places,
    expect_whole,
)
from bayfold.persist.kinds import register
from bayfold.persist.reasons import expect

LARGEST_SAMPLE = 1 << 32
"""Rows that a sample can be asked to keep; it keeps some ten thousand."""


def check_counts(counts: JointCounts) -> None:
    """One table per column, of its codes by groups."""
    if counts.schema is None:
        expect(not counts.tables and not counts.groups.size, "the counts of no rows")
        return
    n_codes, n_groups, n_numeric = counts.schema.n_codes, len(counts.groups), counts.schema.numeric
    expect_labels(counts.groups, n_groups, "the groups of counts")
    expect(len(counts.tables) == len(n_codes), "the tables of counts")
    for table, n in zip(counts.tables, n_codes, strict=True):
        expect_counts(table, (n, n_groups), "the tables of counts")
    expect_counts(counts.totals, (n_groups,), "the totals of counts")
    for bounds in (counts.minimum, counts.maximum):  # infinite where nothing is known
        expect_floats(bounds, (len(n_numeric),), "the bounds of counts")
    expect(set(counts.moments) <= {TARGET, *n_numeric.tolist()}, "the moments of counts")
    for sums in counts.moments.values():
        expect_floats(sums, (3, n_groups), "the moments of counts")
        expect_counts(sums[0], (n_groups,), "the moments of counts")
        expect(bool((sums[2] >= 0).all()), "the moments of counts")


def check_sample(sample: RowSample) -> None:
    """Rows in codes that the schema has, in the order of their hashes."""
    n_rows = len(sample.hashes)
    expect_array(sample.hashes, np.uint64, (None,), "the hashes of a sample")
    expect(bool((sample.hashes[1:] > sample.hashes[:-1]).all()), "the hashes of a sample")
    expect_whole(sample.threshold, 0, LARGEST_HASH + 1, "the threshold of a sample")
    expect_whole(sample.size, 0, LARGEST_SAMPLE, "the size of a sample")
    expect_counts(sample.weights, (n_rows,), "the weights of a sample")
    expect_array(sample.numbers, FLOAT, (n_rows, None), "the numbers of a sample")
    groups = len(sample.groups)
    expect_places(sample.group_of, (n_rows,), 0, groups, "the groups of a sample", np.int32)
    if sample.schema is None:
        expect(n_rows == 0, "the sample of no rows")
        return
    _check_codes(sample.narrow, sample.schema, sample.schema.narrow, n_rows, np.uint8)
    _check_codes(sample.wide, sample.schema, sample.schema.wide, n_rows, np.uint16)
    expect(len(sample.words) == len(sample.schema.text), "the words of a sample")
    expect(all(words.n_rows == n_rows for words in sample.words), "the words of a sample")


def _check_codes(
    codes: np.ndarray, schema: Schema, columns: np.ndarray, n_rows: int, dtype: type
) -> None:
    expect_array(codes, dtype, (n_rows, len(columns)), "the codes of a sample")
    n_codes = np.array([schema.n_codes[j] for j in columns.tolist()], np.int64)
    expect(bool((codes.max(axis=0, initial=0) < n_codes).all()), "the codes of a sample")


def check_statistics(statistics: Statistics) -> None:
    """Counts and sample of the same rows."""
    counts, sample = statistics.counts, statistics.sample
    expect(sample.schema is None or sample.schema == counts.schema, "the schema of a sample")
    if sample.schema is not None:
        alike = sample.groups.tolist() == counts.groups.tolist()
        expect(alike, "the groups of a sample")
    words = statistics.words
    if counts.schema is not None and counts.schema.text:
        expect(words.schema == counts.schema, "the schema of words")
        expect(words.groups.tolist() == counts.groups.tolist(), "the groups of words")


register(JointCounts, check_counts)
register(RowSample, check_sample)
register(Statistics, check_statistics)
