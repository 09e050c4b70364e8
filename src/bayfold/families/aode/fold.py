"""The fold of pairs: coded rows and their groups to counts of pairs."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import LabelledRows
from bayfold.core.counts.joint import add_in_tree
from bayfold.core.engine import block_rows, map_in_threads
from bayfold.core.engine.fold import cut_segments
from bayfold.core.schema.coding import CodedTable
from bayfold.families.aode.counts import PairCounts, PairLayout, count_pairs_of_block


def fold_pairs(coded: CodedTable, rows: LabelledRows, *, n_threads: int = 1) -> PairCounts:
    """Counts of pairs of all rows, in segments added in a fixed tree as in ``fold_table``."""
    schema = coded.coder.schema
    layout = PairLayout(schema)
    layout.check_size(len(rows.groups))
    shape = layout.n_values, layout.n_values, len(rows.groups)
    size = block_rows(len(schema.columns))
    bounds = cut_segments(coded.n_rows, size, int(np.prod(shape)))

    def fold_segment(segment: int) -> np.ndarray:
        table = np.zeros(shape)
        for start in range(bounds[segment], bounds[segment + 1], size):
            stop = min(start + size, bounds[segment + 1])
            g, w = rows.group_of[start:stop], rows.find_weights(start, stop)
            count_pairs_of_block(layout, coded.block_of_codes(start, stop), g, w, table)
        return table

    parts = map_in_threads(fold_segment, range(len(bounds) - 1), n_threads)
    return PairCounts(schema, rows.groups, add_in_tree(parts))
