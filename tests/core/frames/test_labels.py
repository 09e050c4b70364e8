"""Labels that no row has."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.frames.labels import drop_unused


@given(st.lists(st.integers(-1, 5), max_size=60), st.sampled_from([6, 9]), st.booleans())
def test_every_row_keeps_its_label_and_no_other_label_stays(indices, n_cells, with_none):
    cells = [None if with_none and k == 3 else f"label {k}" for k in range(n_cells)]
    found, kept = drop_unused(np.array(indices, np.int32), cells)
    expected = [None if k < 0 else cells[k] for k in indices]
    assert [None if k < 0 else kept[k] for k in found.tolist()] == expected
    assert kept == [cell for cell in cells if cell is not None and cell in expected]
