"""Label lists of columns, the dictionaries that encode them, and memory lent by Arrow."""

from __future__ import annotations

import decimal
import math
import numbers
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold.core import kernels
from bayfold.core.frames.strings import Strings
from bayfold.core.label_cache import CachedLabels


def lend_cells(cells: np.ndarray) -> np.ndarray:
    """The same cells for a kernel that only reads them, without a copy where they lie in one piece.

    numba takes an array that cannot be written to, as all of Arrow's are, for another type, and would compile every
    kernel once more. This one says that it can be, and whoever is lent it must not write.

    >>> cells = np.frombuffer(bytes(16))
    >>> cells.flags.writeable, lend_cells(cells).flags.writeable
    (False, True)
    """
    if cells.flags.carray:  # most often, where columns were lent as a whole
        return cells
    cells = np.require(cells, requirements=["C", "A"])
    return cells if cells.flags.writeable else np.asarray(_Lent(cells))


class _Lent:
    """An array in NumPy's own words, which holds on to the cells for as long as somebody reads them."""

    def __init__(self, cells: np.ndarray) -> None:
        address, _ = cells.__array_interface__["data"]
        self._cells = cells
        self.__array_interface__ = {**cells.__array_interface__, "data": (address, False)}


KNOWN_KEPT = 64
"""Dictionaries to compare with, one for each column of labels of most tables. Those of another length are told apart at
once, and to compare labels takes a small part of what making them takes."""

MOST_KNOWN_BYTES = 1 << 16
"""Of a dictionary that is kept: some thousand labels. Texts, of which there are more, are not expected again."""


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """The cells of a dictionary.

    Attributes
    ----------
    cells : list
        The same list object every time a short dictionary is read; not to be changed.
    are_distinct : bool
        Whether they are strings, no two of them equal.
    """

    cells: list[Any]
    are_distinct: bool


def read_dictionary(dictionary: Any) -> KnownLabels:
    """The cells of a dictionary as Python has them."""
    is_short = dictionary.nbytes <= MOST_KNOWN_BYTES
    if is_short:
        for known, labels in tuple(_KNOWN):
            if len(known) == len(dictionary) and known.equals(dictionary):
                return labels
    cells = _list_cells(dictionary)
    cells = CachedLabels(cells) if is_short else cells
    labels = KnownLabels(cells, set(map(type, cells)) <= {str} and len(set(cells)) == len(cells))
    if is_short:
        _KNOWN.append((dictionary, labels))
    return labels


def _list_cells(array: Any) -> list:
    """The cells as Python has them; bytes that are no UTF-8, which Arrow does not look for, are marked as such."""
    import pyarrow as pa

    try:
        return array.to_pylist()
    except UnicodeDecodeError:
        return Strings.of_arrow(pa.chunked_array([array])).to_texts()


_KNOWN: deque[tuple[Any, KnownLabels]] = deque(maxlen=KNOWN_KEPT)
"""Those met last."""


FEW_INDICES = 1 << 14
"""NumPy marks fewer in some tens of microseconds; the kernel, three times as fast, need not be compiled for them."""


def label_of(value: Any) -> str:
    """The label of one cell: integral numbers print without a decimal point.

    pandas turns integers into floats as soon as a cell is missing; 1 and 1.0 must stay the same category.

    >>> label_of(1.0), label_of(1), label_of(2.5), label_of(True), label_of("1")
    ('1', '1', '2.5', 'True', '1')
    """
    if isinstance(value, str):  # nearly all are; those of NumPy's arrays have a type of their own
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(
        value, numbers.Integral
    ):  # not through a float, which ends telling them apart at 2**53
        return str(int(value))
    if isinstance(value, (numbers.Real, decimal.Decimal)):
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)
    return label_of_bytes(value) if isinstance(value, bytes) else str(value)


def label_of_bytes(value: bytes) -> str:
    r"""Bytes as the text they are; where they are none, each byte that does not fit by its number.

    >>> label_of_bytes("é".encode()), label_of_bytes(b"caf\xe9")
    ('é', 'caf\\xe9')
    """
    return value.decode(errors="backslashreplace")


def any_number(labels: Iterable[str]) -> bool:
    """Whether some label reads as a finite number.

    >>> any_number(["a", "1.5"]), any_number(["a", "nan"])
    (True, False)
    """
    return any(_is_number(label) for label in labels)


def _is_number(label: str) -> bool:
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False


def label_numbers(values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Indices and labels of a float array; NaN is missing."""
    distinct, inverse = np.unique(values, return_inverse=True)
    n_known = len(distinct) - int(np.isnan(distinct).sum())
    inverse = np.where(inverse < n_known, inverse, -1).astype(np.int32)
    return merge_equal_labels(inverse, [label_of(value) for value in distinct[:n_known]])


def merge_equal_labels(indices: np.ndarray, labels: list[str]) -> tuple[np.ndarray, list[str]]:
    """Give equal labels one index (0.0 and -0.0, or True beside "True")."""
    if len(set(labels)) == len(labels):
        return indices, labels
    position = {label: k for k, label in enumerate(dict.fromkeys(labels))}
    lookup = np.array([position[label] for label in labels] + [-1], np.int32)
    return lookup[indices], list(position)


def drop_unused(indices: np.ndarray, cells: list) -> tuple[np.ndarray, list]:
    """Drop cells no index points to, and None, which a dictionary may hold for a missing cell.

    >>> drop_unused(np.array([2, 2, -1]), ["a", "b", "c"])
    (array([ 0,  0, -1], dtype=int32), ['c'])
    """
    keep = _find_used(indices, len(cells))
    if type(None) in set(map(type, cells)):
        keep &= np.array([cell is not None for cell in cells], bool)
    if keep.all():
        return indices, cells
    lookup = np.full(len(cells) + 1, -1, np.int32)
    lookup[:-1][keep] = np.arange(keep.sum(), dtype=np.int32)
    return lookup[indices], [cell for cell, kept in zip(cells, keep, strict=True) if kept]


def _find_used(indices: np.ndarray, n_cells: int) -> np.ndarray:
    """Which cells some index points to; most often the first rows point to all of them, and no others are looked at."""
    used = np.zeros(n_cells + 1, bool)
    start = 0
    stop = 4 * n_cells
    while start < len(indices) and not used[:-1].all():
        if stop > FEW_INDICES:
            rest = indices[start:].astype(np.int32, copy=False)
            kernels.mark_used(lend_cells(rest), used[:-1])
            break
        used[indices[start:stop]] = True  # -1, a missing cell, marks the spare last entry
        start = stop
        stop = 4 * stop
    return used[:-1]


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA refuses to be a boolean
        return type(value).__name__ == "NAType"
    except ValueError:  # an array in a cell: not missing, and refused later by its type
        return False
