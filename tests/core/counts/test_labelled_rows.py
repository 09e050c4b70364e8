"""Rows with their groups: taking some, leaving groups out, joining batches."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.counts import LabelledRows
from bayfold.core.frames import Table
from bayfold.core.schema import Schema, infer_target


def make_rows(labels, weights=None, target=None, first=0):
    """Rows with one column that numbers them."""
    known = [label for label in labels if label is not None]
    groups = np.unique(np.array(known, dtype="U1")) if known else np.array(["z"])
    group_of = np.array([-1 if g is None else groups.searchsorted(g) for g in labels], np.int32)
    table = Table.of_matrix(np.arange(first, first + len(labels), dtype=float)[:, None])
    return LabelledRows(table, groups, group_of, weights, target)


def list_rows(rows):
    """Every row as number, label and weight."""
    numbers = rows.table.numbers(np.array([0]), 0, rows.n_rows)[:, 0].tolist()
    labels = [None if g < 0 else str(rows.groups[g]) for g in rows.group_of]
    return list(zip(numbers, labels, rows.find_weights().tolist(), strict=True))


batches = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=5), st.booleans()
    ),
    min_size=1,
    max_size=4,
)


@given(batches)
def test_joined_batches_have_the_rows_of_all(drawn):
    parts, expected = [], []
    for labels, weighted in drawn:
        weights = np.arange(2.0, 2.0 + len(labels)) if weighted else None
        parts.append(make_rows(labels, weights, first=len(expected)))
        expected += list_rows(parts[-1])
    joined = LabelledRows.join(parts)
    assert list_rows(joined) == expected
    assert (joined.weights is None) == (not any(weighted for _, weighted in drawn))


def test_labelled_rows_remember_where_they_stood():
    rows = make_rows(["a", None, "b", "b", None, "a"], np.arange(1.0, 7.0))
    some = rows.labelled().take(np.array([1, 3]))
    assert some.kept.tolist() == [2, 5]
    assert list_rows(some) == [(2.0, "b", 3.0), (5.0, "a", 6.0)]
    complete = make_rows(["a", "b"])
    assert complete.labelled() is complete


def test_empty_groups_leave_and_no_group_stays_none():
    rows = make_rows(["a", "b", None, "c"]).take(np.array([1, 2, 3])).without_empty_groups()
    assert rows.groups.tolist() == ["b", "c"]
    assert rows.group_of.tolist() == [0, -1, 1]


def test_numbers_are_grouped_by_the_cells_of_the_schema():
    target = np.array([3.0, np.nan, 1.0, 3.0])
    table = Table.of_matrix(np.zeros((4, 1)))
    rows = LabelledRows.in_one_group(table, target=target)
    assert rows.group_of.tolist() == [0, -1, 0, 0]
    schema = Schema((), target=infer_target(target[[0, 2, 3]]))
    assert rows.in_cells(schema).group_of.tolist() == [1, -1, 0, 1]
    np.testing.assert_array_equal(rows.in_cells(schema).target, target)
