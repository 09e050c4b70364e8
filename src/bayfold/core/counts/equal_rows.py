"""Rows that are equal: found by their hashes, sorted, and counted once with their weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayfold.core import kernels
from bayfold.core.long_arrays import cut_pieces, fill_rows, release_beyond_limit, take_in_pieces

FEW_HASHES = 1 << 14
"""NumPy sorts fewer in less than a millisecond; the kernel, which is no faster there, need not be compiled."""


@dataclass(frozen=True, eq=False)
class EqualRows:
    """Which rows of a table are equal.

    Attributes
    ----------
    hashes : ndarray of uint64
        The content hashes of the distinct rows, in increasing order.
    first : ndarray of int
        A row of the table with this content.
    weights : ndarray
        Summed weight of the rows with this content.
    order : ndarray of int
        The rows of the table in the order of their hashes.
    starts : ndarray of int or None
        Where the rows of each content begin in this order; None if no two are equal.
    """

    hashes: np.ndarray
    first: np.ndarray
    weights: np.ndarray
    order: np.ndarray
    starts: np.ndarray | None

    @property
    def inverse(self) -> np.ndarray:
        """The distinct row of each row of the table."""
        place = np.arange(len(self.hashes))
        if self.starts is not None:
            place = np.repeat(place, np.diff(self.starts, append=len(self.order)))
        inverse = np.empty(len(self.order), np.int64)
        inverse[self.order] = place
        return inverse


def collapse_equal_rows(hashes: np.ndarray, weights: np.ndarray | None) -> EqualRows:
    """Collapse rows with the same content hash.

    >>> equal = collapse_equal_rows(np.array([7, 3, 7], np.uint64), np.array([1.0, 2.0, 0.5]))
    >>> equal.first, equal.inverse, equal.weights
    (array([1, 0]), array([1, 0, 1]), array([2. , 1.5]))
    """
    keys, order = sort_by_hash(hashes)
    each = np.ones(len(keys)) if weights is None else weights.take(order).astype(float, copy=False)
    starts = _find_starts(keys)
    if starts is None:
        return EqualRows(keys, order, each, order, None)
    summed = _sum_runs(np.append(starts, len(keys)), each)
    return EqualRows(keys[starts], order[starts], summed, order, starts)


def number_keys(keys: np.ndarray) -> np.ndarray:
    """A number for each row that rows of equal keys share; the first come first, of few rows the smallest keys.

    >>> number_keys(np.array([7, 3, 7], np.uint64))
    array([1, 0, 1])
    """
    if len(keys) < FEW_HASHES:
        return np.unique(keys, return_inverse=True)[1]
    return kernels.number_equal(keys)[0]


def sort_by_hash(hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The hashes in increasing order, and the rows that they are of; rows of equal hashes as they stood.

    >>> sort_by_hash(np.array([7, 3, 7], np.uint64))
    (array([3, 7, 7], dtype=uint64), array([1, 0, 2]))
    """
    if len(hashes) < FEW_HASHES:
        order = np.argsort(hashes, kind="stable")
        return hashes[order], order
    keys = np.empty(len(hashes), np.uint64)
    order = np.empty(len(hashes), np.int64)
    kernels.sort_hashes(hashes, np.empty((2, len(hashes)), np.uint64), keys, order)
    return keys, order


BUCKET_ROWS = 1 << 15
"""Rows of a bucket, or half as many: their codes and hashes stay in the second-level cache."""

LET_GO_ROWS = 1 << 18
"""Rows between two looks at what is mapped."""

MOST_BITS = 12
"""That tell buckets apart: the places where the next rows of 4,096 buckets go stay in the cache."""

WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
"""By their bytes: what is only moved need not be known, and kernels are compiled for these alone."""


def sort_rows(
    hashes: np.ndarray, arrays: Sequence[np.ndarray]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The hashes in increasing order, and the rows of arrays in the same order; those of equal hashes as they stood.

    >>> sort_rows(np.array([7, 3, 7], np.uint64), [np.array([0.0, 1.0, 2.0])])
    (array([3, 7, 7], dtype=uint64), [array([1., 0., 2.])])
    """
    n_bits = min((len(hashes) // BUCKET_ROWS).bit_length(), MOST_BITS)
    if n_bits == 0:
        keys, order = sort_by_hash(hashes)
        return keys, [array.take(order, axis=0) for array in arrays]
    bounds, (keys, *found) = _put_in_buckets(hashes, arrays, n_bits)
    n_rows = 0  # since pages were let go of
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        keys[start:stop], order = sort_by_hash(keys[start:stop])
        for array in found:
            array[start:stop] = array[start:stop].take(order, axis=0)
        n_rows += stop - start
        if n_rows >= LET_GO_ROWS:
            release_beyond_limit()
            n_rows = 0
    return keys, found


def _put_in_buckets(
    hashes: np.ndarray, arrays: Sequence[np.ndarray], n_bits: int
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Where the rows of each bucket begin, and hashes and arrays by buckets."""
    shift = np.uint64(64 - n_bits)
    counts = np.zeros(1 << n_bits, np.int64)
    for piece in cut_pieces(len(hashes)):
        kernels.count_beginnings(hashes[piece], shift, counts)
    bounds = np.append(0, np.cumsum(counts))
    ends = bounds[:-1].copy()
    given = [hashes, *arrays]
    found = [np.empty(array.shape, array.dtype) for array in given]
    for piece in cut_pieces(len(hashes)):
        places = np.empty(piece.stop - piece.start, np.int64)
        kernels.find_bucket_places(hashes[piece], shift, ends, places)
        for array, target in zip(given, found, strict=True):
            put_rows(array[piece], places, target)
    return bounds, found


def put_rows(rows: np.ndarray, places: np.ndarray, target: np.ndarray) -> None:
    """Write rows to their places in an array of the same type."""
    if rows.size:
        kernels.scatter_rows(_as_words(rows), places, _as_words(target))


def _as_words(array: np.ndarray) -> np.ndarray:
    """The cells of an array as whole numbers, row by row."""
    return np.ascontiguousarray(array).view(WORDS[array.itemsize]).reshape(len(array), -1)


def merge_equal_rows(
    hashes: np.ndarray, arrays: Sequence[np.ndarray], weights: np.ndarray | None
) -> tuple[list[np.ndarray], np.ndarray]:
    """One row of each content in the order of the hashes, and the summed weights: as ``collapse_equal_rows`` does.

    >>> merge_equal_rows(np.array([7, 3, 7], np.uint64), [np.arange(3)], np.array([1.0, 2.0, 0.5]))
    ([array([1, 0])], array([2. , 1.5]))
    """
    keys, found = sort_rows(hashes, [*arrays, *([] if weights is None else [weights])])
    each = None if weights is None else found.pop().astype(float, copy=False)
    starts = _find_starts(keys)
    if starts is None:
        return found, fill_rows(len(keys), 1.0) if each is None else each
    summed = _sum_runs(np.append(starts, len(keys)), each)
    return [take_in_pieces(array, starts) for array in found], summed


def _find_starts(keys: np.ndarray) -> np.ndarray | None:
    """Where keys stand that are not those before them; None if all are."""
    n_starts = sum(int(_are_new(keys, piece).sum()) for piece in cut_pieces(len(keys)))
    if n_starts == len(keys):
        return None
    starts = np.empty(n_starts, np.int64)
    n = 0
    for piece in cut_pieces(len(keys)):
        own = piece.start + np.flatnonzero(_are_new(keys, piece))
        starts[n : n + len(own)] = own
        n += len(own)
    return starts


def _are_new(keys: np.ndarray, piece: slice) -> np.ndarray:
    """Which keys of a piece are not those before them."""
    if piece.start == 0:
        return np.append(True, keys[1 : piece.stop] != keys[: piece.stop - 1])
    return keys[piece] != keys[piece.start - 1 : piece.stop - 1]


def _sum_runs(bounds: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The weight between each bound and the next, added one after the other."""
    summed = np.empty(len(bounds) - 1)
    for piece in cut_pieces(len(summed)):
        lengths = np.diff(bounds[piece.start : piece.stop + 1])
        summed[piece] = lengths
        if weights is not None:
            own = weights[bounds[piece.start] : bounds[piece.stop]]
            summed[piece] = np.bincount(np.repeat(np.arange(len(lengths)), lengths), own)
    return summed
