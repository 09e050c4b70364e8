"""How much more probable rows find their own group by a column, when they are left out of its counts."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.kernels.compiler import kernel


@kernel
def find_left_out_gains(counts, starts, n_codes, m, few_values, many_rows, gain):
    """Write the gain of each column in each part, in nats: zero and below is what chance gives.

    ``counts[p, starts[j] + code, g]`` are the weights of a part's rows. A row of value v and group g, left out, has the
    probability ``(n_vg - 1 + m s_g) / (n_v - 1 + m)``, where ``s_g`` is the share of the group among known cells; the
    gain sums up its logarithm against that of ``s_g``. A value that occurs once says nothing: of an identifier the gain
    is zero. Where values are few, or have many rows on average, chance gives next to nothing, so none is asked for:
    the gain is infinite.
    """
    n_parts, _, n_groups = counts.shape
    share = np.empty(n_groups)
    for p in range(n_parts):
        for j in range(len(starts)):
            first, stop = starts[j] + FIRST_BIN, starts[j] + n_codes[j]
            known = 0.0
            share[:] = 0.0
            for k in range(first, stop):
                for g in range(n_groups):
                    share[g] += counts[p, k, g]
                    known += counts[p, k, g]
            total, n_values = 0.0, 0
            for k in range(first, stop):
                weight = 0.0
                for g in range(n_groups):
                    weight += counts[p, k, g]
                if weight <= 0.0:
                    continue
                n_values += 1
                others = max(weight - 1.0, 0.0) + m
                for g in range(n_groups):
                    inside = counts[p, k, g]
                    if inside > 0.0:
                        expected = m * share[g] / known
                        left = max(inside - 1.0, 0.0) + expected
                        total += inside * np.log(left * m / (others * expected))
            is_safe = n_values <= few_values or known >= many_rows * n_values
            gain[p, j] = np.inf if is_safe else total
