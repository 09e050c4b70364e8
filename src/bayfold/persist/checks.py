"""What a model file must hold: limits, checks of values, and the reasons given when one fails."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np


class RefusedError(Exception):
    """A file that does not hold what it must; caught where the file's name is known."""


def expect(holds: bool, what: str) -> None:
    """Refuse a file unless something holds of it.

    Parameters
    ----------
    holds : bool
    what : str
        What does not fit otherwise, such as "the edges of a column".
    """
    if not holds:
        raise RefusedError(what)


MIB = 1 << 20  # bytes

MOST_JSON = 128 * MIB
"""Of the document. Twenty columns of 65,000 categories with 20 letters each take a fifth of it."""

MOST_JSON_VALUES = 1 << 22
"""In the document, by its commas and brackets. A value of two letters can take 200 bytes of memory once it is parsed;
64 columns of 65,000 categories have as many."""

MOST_ARRAYS = 3 * 1024 * MIB
"""Of all arrays as they are stored. AODE, the largest model, refuses tables of pairs beyond 2 GB; entries of a zip
without the 64-bit extension end at 4 GB."""

MOST_MANIFEST = 64 * 1024
"""Of the manifest, which takes less than a thousandth."""

UNSUSPICIOUS = 16 * MIB
"""Entries up to this size may be compressed as far as they can be."""

MOST_RATIO = 100
"""Larger entries may shrink so far; tables of counts, mostly zero, shrink by 20 to 60. The writer keeps to it."""

MOST_GROWTH = 16
"""Bytes of all arrays by bytes that are stored of them: whole numbers grow by 8, and equal arrays are stored once."""

LEAST_BUDGET = 256 * MIB
"""Of all arrays, however little is stored of them."""

MOST_DIMENSIONS = 8
"""Of an array; models have four at most."""


FLOAT = np.dtype(np.float64)
WHOLE = np.dtype(np.int64)
FLAG = np.dtype(np.bool_)

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


def expect_group_logs(array: Any, shape: Sequence[int | None], what: str) -> None:
    """Refuse anything but logarithms of what a value is worth in each group: none is impossible in all of them."""
    expect_logs(array, shape, what)
    expect(bool((array > -np.inf).any(axis=-1).all()), what)


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


def conforms(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that an annotation names.

    Protocols and functions are not looked into: what has them as a field checks them itself.

    >>> conforms((1, 2), tuple[int, ...]), conforms(1.5, int | None), conforms({1: "a"}, Mapping[int, str])
    (True, False, True)
    """
    if hint is Any or getattr(hint, "_is_protocol", False):
        return True
    origin = typing.get_origin(hint)
    if origin is None:
        return _is_instance(value, hint)
    if origin in (typing.Union, types.UnionType):
        return any(conforms(value, option) for option in typing.get_args(hint))
    return isinstance(value, origin) and _contents_conform(value, origin, typing.get_args(hint))


def _is_instance(value: Any, hint: Any) -> bool:
    if hint is None or hint is type(None):
        return value is None
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    if hint in (int, float):
        wanted = Integral if hint is int else Real
        is_exact = hint is int or not isinstance(value, Integral) or abs(int(value)) <= LARGEST_SUM
        return isinstance(value, wanted) and not isinstance(value, (bool, np.bool_)) and is_exact
    return isinstance(value, hint)


def _contents_conform(value: Any, origin: Any, of: tuple) -> bool:
    if isinstance(value, Mapping):
        pairs = value.items()
        return all(conforms(k, of[0]) and conforms(v, of[1]) for k, v in pairs)
    if origin is tuple and of[-1] is not Ellipsis:
        return len(value) == len(of) and all(map(conforms, value, of))
    return all(conforms(item, of[0]) for item in value)
