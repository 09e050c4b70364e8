"""Units: hashes of groups, and hashes of rows that belong to them."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bayfold.base.per_row import read_groups, read_time
from bayfold.core.counts.units import hash_units, mix_units

SAME = [
    np.array([3, 7, 3]),
    np.array([3, 7, 3], np.uint8),
    np.array([3.0, 7.0, 3.0]),
    np.array([3, 7, 3], object),
    pd.Series([3, 7, 3], dtype="Int64"),
    pa.array([3, 7, 3]),
]


@pytest.mark.parametrize("groups", SAME)
def test_whole_numbers_of_all_types_are_the_same_groups(groups):
    assert read_groups(groups, 3).tolist() == read_groups(SAME[0], 3).tolist()


@pytest.mark.parametrize(
    "groups",
    [
        np.array(["a", "b", "a"]),
        pd.Series(["a", "b", "a"], dtype="category"),
        np.array([0.5, 1.5, 0.5]),
        np.array([(1, "a"), (2, "b"), (1, "a"), None], object)[:3],
        np.array(["2024-01-01", "2024-01-02", "2024-01-01"], "M8[D]"),
        [True, False, True],
    ],
)
def test_rows_of_one_group_have_one_hash(groups):
    first, second, third = read_groups(groups, 3).tolist()
    assert first == third != second


def test_hashes_do_not_depend_on_the_other_labels():
    alone = hash_units(np.array(["b"], object))[0]
    assert hash_units(np.array(["a", "b"], object))[0][1] == alone[0]


def test_equal_rows_of_two_units_are_two_rows_next_to_each_other():
    hashes = np.array([5 << 40, 5 << 40, 6 << 40], np.uint64)
    mixed = mix_units(hashes, np.array([1, 2, 1], np.uint64))
    assert len(set(mixed.tolist())) == 3
    assert mixed[:2].max() < mixed[2]
    assert mix_units(hashes, None) is hashes


def test_bad_groups_are_refused():
    with pytest.raises(ValueError, match="`groups` must have one entry per row"):
        read_groups([1, 2], 3)
    with pytest.raises(ValueError, match="`groups` must be known for every row"):
        read_groups(["a", None, "b"], 3)
    with pytest.raises(ValueError, match="`groups` must be 1-dimensional"):
        read_groups(np.ones((3, 2)), 3)


def test_times_are_dates_or_numbers():
    days = [datetime.date(2024, 1, 2), datetime.date(2024, 1, 1)]
    assert np.diff(read_time(np.array(days, object), 2)).tolist() == [-86400.0]
    assert read_time([2, 1], 2).tolist() == [2.0, 1.0]
    with pytest.raises(ValueError, match="`time` must be dates or numbers"):
        read_time(["first", "second"], 2)
    with pytest.raises(ValueError, match="`time` must be known for every row"):
        read_time([1.0, np.inf], 2)
