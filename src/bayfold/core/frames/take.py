"""Rows of a table in the container it came in, for estimators that know only that container."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.frames.table import Table


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """The given rows of an array, a list or a frame, as the same kind of thing.

    >>> take_rows([[1], [2], [3]], np.array([2, 0]))
    [[3], [1]]
    """
    if isinstance(X, Table):
        return X.take(rows)
    if isinstance(X, (list, tuple)):
        return [X[i] for i in rows]
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and not isinstance(X, np.ndarray):
        return X.take(rows)
    return np.asarray(X)[rows]  # whatever else NumPy takes for an array
