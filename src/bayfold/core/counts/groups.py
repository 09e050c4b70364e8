"""Groups by value: uniting two lists of group labels."""

from __future__ import annotations

import numpy as np

from bayfold.errors import classes_of_two_types


def unite_groups(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sorted union, and where the entries of ``a`` and of ``b`` are in it.

    >>> unite_groups(np.array(["no"]), np.array(["no", "maybe"]))
    (array(['maybe', 'no'], dtype='<U5'), array([1]), array([1, 0]))
    """
    if np.array_equal(a, b):
        place = np.arange(len(a))
        return a, place, place
    if len(a) and len(b) and (a.dtype.kind in "USTO") != (b.dtype.kind in "USTO"):
        raise classes_of_two_types(a.tolist(), b.tolist())
    union = b if len(a) == 0 else a if len(b) == 0 else np.unique(np.concatenate([a, b]))
    return union, np.searchsorted(union, a), np.searchsorted(union, b)
