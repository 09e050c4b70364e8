"""Which columns hold numbers beside those that are known of them."""

from __future__ import annotations

from bayfold.core.kernels.compiler import kernel


@kernel
def count_unknown(values, codes, known, counts):
    """Add to ``counts[j]`` how many of ``values[:, j]`` are not what their code stands for.

    ``known[j, code]`` is the value of each bin; NaN where a bin has none. A missing cell is never counted.
    """
    n_rows, n_columns = values.shape
    for i in range(n_rows):
        for j in range(n_columns):
            x = values[i, j]
            counts[j] += int(x == x) & int(known[j, codes[i, j]] != x)
