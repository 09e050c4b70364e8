"""What kernels rely on and do not look at themselves: types, shapes and bounds of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayfold.persist.reasons import expect

FLOAT, WHOLE, FLAG = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.bool_)

LARGEST_SUM = 2.0**53
"""Of counts and weights: the last whole number from which on floats leave some out."""


LARGEST_LOG = 1e12
"""Of a logarithm, either way: those of floats are below a thousand, and few of them are ever added up or multiplied."""


def expect_array(
    array: Any, dtype: np.dtype | type, shape: Sequence[int | None], what: str
) -> None:
    """Refuse an array of another type, shape or layout than the kernels are compiled for.

    Parameters
    ----------
    array : ndarray
    dtype : dtype
    shape : sequence of int or None
        None where any length will do.
    what : str
        What is refused.
    """
    expect(isinstance(array, np.ndarray) and array.dtype == dtype, what)
    expect(array.dtype.isnative and array.ndim == len(shape), what)
    pairs = zip(array.shape, shape, strict=True)
    expect(all(wanted is None or n == wanted for n, wanted in pairs), what)


def expect_floats(array: Any, shape: Sequence[int | None], what: str) -> None:
    """Refuse anything but floats of a shape, none of which is NaN."""
    expect_array(array, FLOAT, shape, what)
    expect(not np.isnan(array).any(), what)


def expect_logs(array: Any, shape: Sequence[int | None], what: str) -> None:
    """Refuse anything but logarithms of probabilities, densities or odds: minus infinity is one, infinity is not."""
    expect_floats(array, shape, what)
    expect(bool((array < LARGEST_LOG).all()), what)
    expect(bool(((array > -LARGEST_LOG) | (array == -np.inf)).all()), what)


def expect_bins(merge: Any, shape: Sequence[int | None], n_bins: int, what: str) -> None:
    """Refuse anything but a bin for each code, where some code leads to each bin."""
    expect_places(merge, shape, 0, n_bins, what)
    expect(len(np.unique(merge)) == n_bins, what)


def expect_finite(array: Any, shape: Sequence[int | None], what: str) -> None:
    """Refuse anything but finite floats of a shape."""
    expect_array(array, FLOAT, shape, what)
    expect(bool(np.isfinite(array).all()), what)


def expect_counts(array: Any, shape: Sequence[int | None], what: str) -> None:
    """Refuse anything but sums of weights: none is negative, and none so large that adding a row changes nothing."""
    expect_finite(array, shape, what)
    expect(bool((array >= 0).all() and array.sum() <= LARGEST_SUM), what)


def expect_weights(array: Any, shape: Sequence[int | None], what: str) -> None:
    """Refuse anything but weights of columns: finite, and none negative."""
    expect_finite(array, shape, what)
    expect(bool(((array >= 0) & (array < LARGEST_LOG)).all()), what)


def expect_increasing(array: Any, shape: Sequence[int | None], what: str) -> None:
    """Refuse anything but finite floats, each larger than the one before."""
    expect_finite(array, shape, what)
    expect(bool((array[1:] > array[:-1]).all()), what)


def expect_places(
    array: Any, shape: Sequence[int | None], low: int, stop: int, what: str, dtype: Any = WHOLE
) -> None:
    """Refuse anything but whole numbers of a shape, from ``low`` to below ``stop``: places in something else."""
    expect_array(array, dtype, shape, what)
    expect(array.size == 0 or bool(low <= array.min() and array.max() < stop), what)


def expect_whole(value: Any, low: int, stop: int, what: str) -> None:
    """Refuse a whole number below ``low``, or not below ``stop``."""
    expect(low <= value < stop, what)


def expect_labels(groups: Any, n_groups: int, what: str) -> None:
    """Refuse anything but one label per group, no two equal."""
    expect(isinstance(groups, np.ndarray) and groups.shape == (n_groups,), what)
    expect(len(set(groups.tolist())) == n_groups, what)


def count_scores(n_groups: int) -> int:
    """Scores of so many groups: a single one for the contrast of two."""
    return 1 if n_groups == 2 else n_groups
