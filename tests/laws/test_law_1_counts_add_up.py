"""Law 1: statistics of any split of the rows, in any order, merged in any tree, are the whole's.

Exactly for whole weights; shifted sums to 1e-12 of their size.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.counts import JointCounts, LabelledRows, RowSample, Statistics
from bayfold.core.counts.row_hashes import UNIT_BITS
from bayfold.core.counts.sample_limits import SampleLimits, count_rare
from bayfold.core.engine import block_rows, reduce
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.frames import find_groups, read_table
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS
from bayfold.core.schema import NominalColumn, Schema, infer_schema
from bayfold.errors import MergeError

SMALL_SAMPLE = 16


@dataclass(frozen=True)
class Rows:
    """A table, its target, whole weights, and the schema all parts share."""

    frame: pa.Table
    target: np.ndarray
    weights: np.ndarray
    schema: Schema

    def take(self, rows):
        return replace(
            self, frame=self.frame.take(rows), target=self.target[rows], weights=self.weights[rows]
        )

    def learn(self, n_threads=1, weighted=True, limits=None):
        group_of, groups = find_groups(self.target)
        weights = self.weights if weighted else None
        moments = tuple(self.schema.numeric.tolist())
        rows = LabelledRows(read_table(self.frame), groups, group_of, weights)
        return learn_statistics(
            rows, self.schema, moment_columns=moments, n_threads=n_threads, limits=limits
        )


def without_categories(schema):
    """Only the edges are shared; each part finds the categories it has."""
    columns = [
        replace(c, categories=()) if isinstance(c, NominalColumn) else c for c in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


def make_rows(frame, target, weights=None):
    weights = np.ones(len(target)) if weights is None else weights
    return Rows(frame, target, weights, without_categories(infer_schema(read_table(frame))))


def random_rows(n_rows, seed=0, n_colours=6):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(50.0, 3.0, n_rows))
    colours = np.array([f"c{k}" for k in range(n_colours)] + [None], object)
    frame = pa.table(
        {
            "x": x,
            "colour": colours[rng.integers(0, n_colours + 1, n_rows)],
            "level": rng.integers(0, 4, n_rows),
            "flag": rng.random(n_rows) < 0.3,
        }
    )
    target = np.array(["a", "b", "c"])[rng.integers(0, 3, n_rows)]
    return make_rows(frame, target, rng.integers(1, 5, n_rows).astype(float))


WHOLE = random_rows(60)


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(reduce, "SAMPLE_SIZE", SMALL_SAMPLE)


def assert_same_moments(found, expected):
    assert found.keys() == expected.keys()
    for j, (w, first, second) in expected.items():
        np.testing.assert_array_equal(found[j][0], w)
        np.testing.assert_allclose(found[j][2], second, rtol=1e-12)
        # the first sum may cancel; its terms are at most this large together
        size = np.sqrt(w * second)
        assert (np.abs(found[j][1] - first) <= 1e-12 * size).all()


def assert_same_counts(found, expected):
    assert found.schema == expected.schema
    assert found.groups.tolist() == expected.groups.tolist()
    for mine, theirs in zip(found.tables, expected.tables, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for name in ("totals", "minimum", "maximum"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert_same_moments(found.moments, expected.moments)


def assert_same_sample(found, expected):
    assert found.schema == expected.schema
    assert found.groups.tolist() == expected.groups.tolist()
    for name in ("hashes", "narrow", "wide", "group_of", "weights"):
        mine, theirs = getattr(found, name), getattr(expected, name)
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs, err_msg=name)
    assert found.is_complete
    assert expected.is_complete


def assert_same_statistics(found, expected):
    assert_same_counts(found.counts, expected.counts)
    assert_same_sample(found.sample, expected.sample)


def merge_in_random_tree(parts, rng):
    parts = list(parts)
    while len(parts) > 1:
        a = parts.pop(rng.integers(len(parts)))
        b = parts.pop(rng.integers(len(parts)))
        parts.append(a + b)
    return parts[0]


def split(rows, part_of, rng):
    """The rows of each part, shuffled; parts without rows are left out."""
    pieces = [np.flatnonzero(part_of == part) for part in np.unique(part_of)]
    return [rows.take(rng.permutation(piece)) for piece in pieces]


@pytest.mark.parametrize("sample_size", [SMALL_SAMPLE, 20_000])
@given(st.lists(st.integers(0, 5), min_size=60, max_size=60), st.integers(0, 2**32 - 1))
def test_any_split_any_order_any_tree(sample_size, part_of, seed):
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reduce, "SAMPLE_SIZE", sample_size)
        parts = [part.learn() for part in split(WHOLE, np.array(part_of), rng)]
        assert_same_statistics(merge_in_random_tree(parts, rng), WHOLE.learn())


@pytest.mark.parametrize("sample_size", [SMALL_SAMPLE, 20_000])
@given(st.lists(st.integers(0, 5), min_size=60, max_size=60), st.integers(0, 2**32 - 1))
def test_values_that_only_some_parts_have(sample_size, part_of, seed):
    rng = np.random.default_rng(seed)
    first = pa.table({"level": np.arange(60) % 4, "empty": pa.nulls(60, pa.float64())})
    level = np.where(rng.random(60) < 0.5, rng.integers(0, 4, 60), rng.normal(size=60).round(1))
    often_missing = pa.array([None if k % 3 else k for k in range(60)], pa.float64())
    frame = pa.table({"level": level, "empty": often_missing})
    rows = replace(WHOLE, frame=frame, schema=infer_schema(read_table(first)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reduce, "SAMPLE_SIZE", sample_size)
        parts = [part.learn() for part in split(rows, np.array(part_of), rng)]
        merged = merge_in_random_tree(parts, rng)
        assert_same_statistics(merged, rows.learn())
        assert merged.schema.columns[0].values.tolist() == np.union1d(level, range(4)).tolist()


@pytest.mark.usefixtures("small_sample")
def test_one_row_at_a_time():
    whole = random_rows(40, seed=1)
    parts = [whole.take(np.array([i])).learn() for i in range(40)]
    assert_same_statistics(sum(parts), whole.learn())


def test_zero_is_the_identity_and_needs_no_schema():
    whole = WHOLE.learn()
    assert_same_statistics(Statistics.zero() + whole, whole)
    assert_same_statistics(whole + Statistics.zero(), whole)
    assert_same_statistics(sum([whole]), whole)
    assert JointCounts.zero() + JointCounts.zero() + whole.counts is whole.counts
    assert RowSample.zero() + RowSample.zero() + whole.sample is whole.sample
    assert JointCounts.zero().n_rows == RowSample.zero().n_rows == 0


def test_a_part_without_rows_adds_nothing():
    nothing, whole = WHOLE.take(np.empty(0, np.int64)).learn(), WHOLE.learn()
    assert nothing.counts.n_rows == 0
    assert_same_statistics(nothing + whole, whole)
    assert_same_statistics(whole + nothing, whole)


def test_addition_leaves_its_parts_alone():
    parts = [part.learn() for part in split(WHOLE, np.arange(60) % 2, np.random.default_rng(0))]
    before = [[table.copy() for table in part.counts.tables] for part in parts]
    _ = parts[0] + parts[1]
    for part, tables in zip(parts, before, strict=True):
        for now, then in zip(part.counts.tables, tables, strict=True):
            np.testing.assert_array_equal(now, then)


def test_counts_are_what_counting_by_hand_gives():
    counts = WHOLE.learn().counts
    colours = WHOLE.frame["colour"].to_pylist()
    by_hand = Counter()
    for colour, group, weight in zip(colours, WHOLE.target, WHOLE.weights, strict=True):
        by_hand[colour, str(group)] += weight
    described, table = counts.schema.columns[1], counts.tables[1]
    rows = {None: 0} | {c: k + FIRST_BIN for k, c in enumerate(described.categories)}
    for colour, row in rows.items():
        expected = [by_hand[colour, group] for group in counts.groups.tolist()]
        assert table[row].tolist() == expected
    assert counts.n_rows == WHOLE.weights.sum() == table.sum()


def test_classes_and_categories_only_some_parts_have():
    rows = WHOLE.frame["colour"].to_pylist()
    by_class = np.unique(WHOLE.target, return_inverse=True)[1]
    by_colour = np.unique([str(colour) for colour in rows], return_inverse=True)[1]
    for part_of in (by_class, by_colour):
        parts = [part.learn() for part in split(WHOLE, part_of, np.random.default_rng(2))]
        assert_same_statistics(sum(reversed(parts)), WHOLE.learn())


def test_weight_two_is_the_row_twice():
    twice = WHOLE.take(np.repeat(np.arange(60), WHOLE.weights.astype(int)))
    assert_same_statistics(twice.learn(weighted=False), WHOLE.learn())


def test_subtraction_undoes_addition():
    whole = WHOLE.learn()
    known = replace(WHOLE, schema=whole.schema)
    part_of = np.arange(60) % 3 == 0  # every class is in both parts
    fold_, rest = (
        known.take(np.flatnonzero(part_of == side)).learn().counts for side in (True, False)
    )
    assert fold_.groups.tolist() == rest.groups.tolist()
    without = (fold_ + rest) - fold_
    for mine, theirs in zip(without.tables, rest.tables, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(without.totals, rest.totals)
    for j, expected in rest.moments.items():
        size = np.abs(whole.counts.moments[j]).max()
        np.testing.assert_allclose(without.moments[j], expected, rtol=0, atol=1e-12 * size)


def test_the_number_of_threads_changes_not_one_bit(monkeypatch):
    monkeypatch.setattr(reduce, "BLOCK_CELLS", 1)
    monkeypatch.setattr(reduce, "SAMPLE_SIZE", 300)
    rows = random_rows(5000, seed=3)
    assert len(reduce.cut_segments(5000, block_rows(4), 256)) > 8
    one, *others = (rows.learn(n_threads=n) for n in (1, 2, 5))
    for other in others:
        assert_same_statistics(other, one)
        for j, sums in one.counts.moments.items():
            np.testing.assert_array_equal(other.counts.moments[j], sums)


def test_the_size_of_blocks_changes_nothing(monkeypatch):
    rows = random_rows(2000, seed=4)
    in_one_block = rows.learn()
    monkeypatch.setattr(reduce, "BLOCK_CELLS", 1)
    assert block_rows(4) < 2000
    assert_same_statistics(rows.learn(), in_one_block)


@given(st.integers(0, 10**7), st.integers(0, 16), st.integers(1, 10**5))
def test_segments_cover_every_row_once(n_rows, log_block, n_entries):
    bounds = reduce.cut_segments(n_rows, 1 << log_block, n_entries)
    assert bounds[0] == 0
    assert bounds[-1] == n_rows
    assert n_rows == 0 or (np.diff(bounds) > 0).all()
    assert all(bound % (1 << log_block) == 0 for bound in bounds[:-1])
    assert len(bounds) <= reduce.MAX_SEGMENTS + 1


# The sample in particular


def plain_sample(sample):
    """Distinct coded rows with their groups and summed weights."""
    rows = zip(sample.narrow.tolist(), sample.wide.tolist(), sample.group_of.tolist(), strict=True)
    content = [(tuple(narrow), tuple(wide), group) for narrow, wide, group in rows]
    assert len(set(content)) == len(content)
    return dict(zip(content, sample.weights.tolist(), strict=True))


@pytest.mark.parametrize("n_rows", [10, 200, 3000])
def test_a_small_sample_is_the_bottom_of_a_large_one(n_rows, monkeypatch):
    rows = random_rows(n_rows, seed=5)
    large = rows.learn().sample
    monkeypatch.setattr(reduce, "SAMPLE_SIZE", SMALL_SAMPLE)
    small = rows.learn().sample
    assert large.n_rows > SMALL_SAMPLE or n_rows == 10
    assert (np.diff(large.hashes.astype(object)) > 0).all()
    n_rare = count_rare(rows.schema, len(large.groups), SMALL_SAMPLE)
    for name in ("hashes", "narrow", "group_of", "weights"):
        expected = getattr(large, name)
        np.testing.assert_array_equal(getattr(small.even, name), expected[: small.n_even])
        for group in range(len(large.groups)):  # and of every class the first
            own = expected[large.group_of == group][:n_rare]
            np.testing.assert_array_equal(
                getattr(small, name)[small.group_of == group][:n_rare], own
            )
    assert small.n_rows <= small.n_even + n_rare * len(large.groups)


def test_parts_cut_off_at_different_hashes_merge_into_what_both_have_seen():
    whole = WHOLE.learn().sample
    low, high = (int(whole.hashes[k] | UNIT_BITS) for k in (20, 40))
    first, second = split(WHOLE, np.arange(60) % 2, np.random.default_rng(9))
    merged = (
        first.learn(limits=SampleLimits(high)).sample
        + second.learn(limits=SampleLimits(low)).sample
    )
    assert merged.threshold == low
    expected = whole.hashes <= np.uint64(low)
    np.testing.assert_array_equal(merged.hashes, whole.hashes[expected])
    np.testing.assert_array_equal(merged.weights, whole.weights[expected])


def test_a_complete_sample_is_every_distinct_row_with_its_weight():
    rows = random_rows(500, seed=6)
    rows = replace(rows, frame=rows.frame.drop_columns("x"))
    rows = make_rows(rows.frame, rows.target, rows.weights)
    sample = rows.learn().sample
    by_hand = Counter()
    content = zip(*(column.to_pylist() for column in rows.frame.columns), rows.target, strict=True)
    for row, weight in zip(content, rows.weights, strict=True):
        by_hand[row] += weight
    assert sorted(plain_sample(sample).values()) == sorted(by_hand.values())


@pytest.mark.parametrize("n_distinct", [3, SMALL_SAMPLE, 5 * SMALL_SAMPLE])
def test_heavy_duplicates_leave_the_sample_complete(n_distinct, small_sample, monkeypatch):
    monkeypatch.setattr(reduce, "BLOCK_CELLS", 1)
    n_rows = 4000  # so many that a threshold guessed for distinct rows would leave too few
    rng = np.random.default_rng(7)
    value = rng.integers(0, n_distinct, n_rows)
    value[:n_distinct] = np.arange(n_distinct)
    rows = make_rows(pa.table({"v": value}), np.full(n_rows, "a"))
    sample = rows.learn(n_threads=2).sample
    assert sample.is_complete
    assert sample.n_rows == min(n_distinct, SMALL_SAMPLE)
    frequency = np.bincount(value)
    assert sample.weights.tolist() == frequency[sample.narrow[:, 0] - FIRST_BIN].tolist()
    parts = [part.learn() for part in split(rows, np.arange(n_rows) % 3, rng)]
    assert_same_sample(sum(parts).sample, sample)


@pytest.mark.usefixtures("small_sample")
def test_a_column_that_outgrows_one_byte_only_after_a_merge():
    rng = np.random.default_rng(8)
    n_rows, n_categories = 1200, 400
    category = rng.permutation(np.arange(n_rows) % n_categories)
    frame = pa.table({"id": [f"k{k:03d}" for k in category], "x": rng.integers(0, 3, n_rows)})
    rows = make_rows(frame, np.array(["a", "b"])[rng.integers(0, 2, n_rows)])
    parts = [part.learn() for part in split(rows, category % 2, rng)]
    assert all(len(part.schema.wide) == 0 for part in parts)
    assert all(part.schema.columns[0].n_bins <= NARROW_BINS for part in parts)
    whole = rows.learn()
    assert whole.schema.wide.tolist() == [0]
    assert_same_statistics(parts[0] + parts[1], whole)
    assert_same_statistics(parts[1] + parts[0], whole)


def test_a_column_named_like_a_group_keeps_its_rows_apart():
    target = np.array(["a", "b", "c"])
    sample = make_rows(pa.table({"group": target}), target).learn().sample
    assert sample.n_rows == 3


def test_whole_numbers_are_the_same_groups_whether_stored_as_integers_or_floats():
    integers = replace(WHOLE, target=np.arange(60) % 2)
    floats = replace(integers, target=integers.target.astype(float))
    merged = integers.learn().sample + floats.learn().sample
    assert merged.n_rows == integers.learn().sample.n_rows


# What does not add up is refused


def test_different_edges_are_refused_by_name():
    other = make_rows(WHOLE.frame.slice(0, 30), WHOLE.target[:30], WHOLE.weights[:30])
    with pytest.raises(MergeError, match="x"):
        _ = WHOLE.learn() + other.learn()


def test_different_columns_are_refused():
    fewer = make_rows(WHOLE.frame.drop_columns("flag"), WHOLE.target, WHOLE.weights)
    with pytest.raises(MergeError):
        _ = WHOLE.learn() + fewer.learn()


def test_groups_of_different_types_are_refused():
    numbered = replace(WHOLE, target=np.arange(60) % 3)
    with pytest.raises(MergeError, match="one type"):
        _ = WHOLE.learn() + numbered.learn()
