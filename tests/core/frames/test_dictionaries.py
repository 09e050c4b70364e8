"""Dictionaries of labels that are met again."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bayfold.core.frames import labels
from bayfold.core.frames.arrow import label_column
from bayfold.core.frames.labels import MOST_KNOWN_BYTES, read_dictionary


def column_of(indices, labels):
    cells = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(labels))
    return label_column("x", pa.chunked_array([cells]))


def test_equal_dictionaries_have_the_same_labels():
    first, second = (read_dictionary(pa.array(["b", "a"])) for _ in range(2))
    assert first.cells is second.cells
    assert first.cells == ["b", "a"]
    assert read_dictionary(pa.array(["a", "b"])).cells == ["a", "b"]
    assert read_dictionary(pa.array(["b", "a"], pa.large_string())).cells == ["b", "a"]


@pytest.mark.parametrize(
    ("labels", "are_distinct"),
    [("ab", True), ("aba", False), (["a", None], False), ([1, 2], False)],
)
def test_what_else_a_dictionary_may_hold_is_noticed(labels, are_distinct):
    assert read_dictionary(pa.array(list(labels))).are_distinct == are_distinct


def test_a_long_dictionary_is_not_kept():
    long = pa.array(["a" * MOST_KNOWN_BYTES])
    n_known = len(labels._KNOWN)
    assert read_dictionary(long).cells is not read_dictionary(long).cells
    assert len(labels._KNOWN) == n_known


def test_a_column_holds_what_its_rows_do_whoever_had_the_dictionary_before():
    labels = ["one", "two", "three"]
    whole, some = column_of([0, 1, 2, None], labels), column_of([2, None, 0], labels)
    again = column_of([2, 1, 0], labels)
    assert whole.labels()[1] is again.labels()[1]
    assert some.labels()[0].tolist() == [1, -1, 0]
    assert some.labels()[1] == ["one", "three"]
    assert whole.labels()[1] == labels
    assert column_of([0, 1, 2], ["a", None, "a"]).labels()[1] == ["a"]
