"""What is not known of a column: cells that differ from what their code stands for."""

from __future__ import annotations

import math


def count_unknown(values, codes, known, counts):
    """Add one to the count of a column for each such cell."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            x = float(values[i, j])
            if not math.isnan(x) and float(known[j, codes[i, j]]) != x:
                counts[j] += 1
