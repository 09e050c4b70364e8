"""The code of a number is the number of edges at or below it, plus two; NaN is zero."""

from __future__ import annotations

import math

import numpy as np


def encode_rows(values, edges_of_columns):
    """Codes, minima and maxima. Takes the plain edges of each column instead of a grid."""
    n_rows, n_columns = values.shape
    codes = np.zeros((n_rows, n_columns), np.uint8)
    minimum, maximum = [math.inf] * n_columns, [-math.inf] * n_columns
    for j, edges in enumerate(edges_of_columns):
        for i in range(n_rows):
            x = float(values[i, j])
            if math.isnan(x):
                continue
            codes[i, j] = 2 + sum(1 for edge in edges.tolist() if edge <= x)
            minimum[j] = min(minimum[j], x)
            maximum[j] = max(maximum[j], x)
    return codes, np.array(minimum), np.array(maximum)


def encode_columns(values, edges_of_columns):
    """The same of columns that lie one after the other."""
    return encode_rows(values.T, edges_of_columns)
