"""Tables of pairs, counted in the order of the columns, made symmetric."""

from __future__ import annotations

from bayfold.core.kernels.compiler import kernel

TURNED_TOGETHER = 64
"""Values that are turned over together: rows and columns of a tile stay in the second-level cache."""


@kernel
def update_other_half(pairs):
    """Write ``pairs[p, q]`` to ``pairs[q, p]`` for every p below q."""
    n_values, _, n_groups = pairs.shape
    for first in range(0, n_values, TURNED_TOGETHER):
        for second in range(first, n_values, TURNED_TOGETHER):
            for p in range(first, min(first + TURNED_TOGETHER, n_values)):
                for q in range(max(second, p + 1), min(second + TURNED_TOGETHER, n_values)):
                    for g in range(n_groups):
                        pairs[q, p, g] = pairs[p, q, g]
