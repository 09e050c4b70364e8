"""Labels that no row has, and labels of long targets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.frames import find_groups
from bayfold.core.frames.labels import drop_unused


@given(st.lists(st.integers(-1, 5), max_size=60), st.sampled_from([6, 9]), st.booleans())
def test_every_row_keeps_its_label_and_no_other_label_stays(indices, n_cells, with_none):
    cells = [None if with_none and k == 3 else f"label {k}" for k in range(n_cells)]
    found, kept = drop_unused(np.array(indices, np.int32), cells)
    expected = [None if k < 0 else cells[k] for k in indices]
    assert [None if k < 0 else kept[k] for k in found.tolist()] == expected
    assert kept == [cell for cell in cells if cell is not None and cell in expected]


@pytest.mark.parametrize("last", [5, 7])
def test_a_label_of_the_last_row_alone_stays_in_a_long_column(last):
    indices = np.random.default_rng(0).integers(-1, 5, 2**17).astype(np.int32)
    indices[-1] = last  # far behind those that NumPy looks at
    found, kept = drop_unused(indices, list("abcdefgh"))
    assert kept == [*"abcde", "abcdefgh"[last]]
    assert found.tolist() == np.where(indices == last, 5, indices).tolist()


@pytest.mark.parametrize("n_labels", [3, 16, 40])
@pytest.mark.parametrize("order", ["<", ">"])
def test_groups_of_a_long_array_of_strings_are_its_distinct_ones(n_labels, order):
    labels = np.array(["", "\ud800", *(f"{k} {'ä' * (k % 7)}" for k in range(n_labels - 2))])
    values = labels[np.random.default_rng(0).integers(0, n_labels, 2**15)]
    values = values.astype(values.dtype.newbyteorder(order))[::2]
    codes, groups = find_groups(values)
    expected, inverse = np.unique(values, return_inverse=True)
    assert groups.tolist() == expected.tolist()
    assert codes.tolist() == inverse.tolist()
