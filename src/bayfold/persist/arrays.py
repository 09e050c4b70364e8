"""Arrays as plain bytes one behind the other, and a table of what they are.

Equal contents are stored once. Whole numbers are stored in the fewest bytes that hold them all, whatever their
type: counts are floats that are mostly small and whole. The bytes of items are sorted by their place within the item
(all first bytes, then all second ones), since compression finds nothing in the floats themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.stored import NARROW_TYPES, narrow_numbers
from bayfold.persist.checks import LEAST_BUDGET, MOST_DIMENSIONS, MOST_GROWTH, expect

KINDS = "biufMmUS"
"""Of types that are plain bytes: no objects, no records, no complex numbers."""

WIDEST_SHUFFLED = 8
"""Bytes of a number. Strings are longer, and are stored as they are."""

LAST_LETTER = 0x10FFFF
"""The largest number of a letter in Unicode."""


def is_plain(dtype: np.dtype) -> bool:
    """Whether arrays of a type are plain bytes, the same on every machine."""
    if dtype.kind == "f" and dtype.itemsize > WIDEST_SHUFFLED:  # the long double of this machine
        return False
    return dtype.kind in KINDS and dtype.names is None and dtype.itemsize > 0


class ArrayWriter:
    """Collects arrays; ``table`` and ``pieces`` describe them, ``blob`` holds them."""

    def __init__(self) -> None:
        self.table: list[dict[str, Any]] = []
        self.pieces: list[list[Any]] = []
        self._stored: list[bytes] = []
        self._piece_of: dict[tuple[str, bytes], int] = {}
        self._place_of: dict[int, int] = {}
        self._kept: list[np.ndarray] = []

    def add(self, array: np.ndarray) -> int:
        """The place of an array in the table; the same for the same array."""
        if id(array) not in self._place_of:
            self._place_of[id(array)] = len(self.table)
            self._kept.append(array)  # so that no other array can have its id
            self.table.append(self._describe(array))
        return self._place_of[id(array)]

    def _describe(self, array: np.ndarray) -> dict[str, Any]:
        by_column = array.flags.f_contiguous and not array.flags.c_contiguous
        items = array.ravel(order="F" if by_column else "C")
        entry: dict[str, Any] = {"dtype": array.dtype.str, "shape": list(array.shape)}
        entry["piece"] = self._store(narrow_numbers(items))
        # the order in memory decides in which order sums are rounded
        return entry | {"order": "F"} if by_column else entry

    def _store(self, items: np.ndarray) -> int:
        content = _shuffle(items)
        key = (items.dtype.str, content)
        if key not in self._piece_of:
            self._piece_of[key] = len(self.pieces)
            self.pieces.append([items.dtype.str, len(items)])
            self._stored.append(content)
        return self._piece_of[key]

    @property
    def n_bytes(self) -> int:
        """Of all arrays as they are in memory."""
        return sum(array.nbytes for array in self._kept)

    @property
    def blob(self) -> bytes:
        """All pieces one behind the other."""
        return b"".join(self._stored)


def find_budget(n_stored: int) -> int:
    """Bytes that all arrays may take in memory where so many are stored."""
    return max(LEAST_BUDGET, MOST_GROWTH * n_stored)


def _shuffle(items: np.ndarray) -> bytes:
    size = items.dtype.itemsize
    if not 1 < size <= WIDEST_SHUFFLED:
        return items.tobytes()
    return items.view(np.uint8).reshape(-1, size).T.tobytes()


class StoredArrays:
    """Gives back the arrays that a writer has described, each checked before it is made.

    Parameters
    ----------
    table, pieces : list
        As the writer had them.
    blob : bytes
    """

    def __init__(self, table: Any, pieces: Any, blob: bytes) -> None:
        expect(isinstance(table, list) and isinstance(pieces, list), "the table of arrays")
        self._table = table
        self._blob = blob
        self._pieces = _place_pieces(pieces, len(blob))
        self._made: dict[int, np.ndarray] = {}
        self._budget = find_budget(len(blob))

    def array(self, place: Any) -> np.ndarray:
        """The array at a place; the same object each time."""
        expect(type(place) is int and 0 <= place < len(self._table), "a reference to an array")
        if place not in self._made:
            self._made[place] = self._make(self._table[place])
        return self._made[place]

    def _make(self, entry: Any) -> np.ndarray:
        expect(isinstance(entry, dict) and {"dtype", "shape", "piece"} <= set(entry), "an array")
        dtype = read_dtype(entry["dtype"])
        shape = entry["shape"]
        piece = entry["piece"]
        order = entry.get("order", "C")
        expect(order in ("C", "F"), "the order of an array")
        expect(type(piece) is int and 0 <= piece < len(self._pieces), "a reference to a piece")
        stored, start, n_items = self._pieces[piece]
        expect(_is_shape(shape, n_items), "the shape of an array")
        self._budget -= n_items * dtype.itemsize
        expect(self._budget >= 0, "the size of all arrays")
        items = _unshuffle(self._blob[start : start + n_items * stored.itemsize], stored)
        _check_items(items)
        if stored != dtype:
            expect(stored in NARROW_TYPES and _widens(stored, dtype), "the type of an array")
            items = items.astype(dtype)
        return items.reshape(shape, order=order)


def read_dtype(name: Any) -> np.dtype:
    """The type of a name, if arrays of it may be in a file."""
    expect(isinstance(name, str) and len(name) <= 16, "the type of an array")
    dtype = np.dtype(name)
    expect(dtype.str == name and is_plain(dtype), "the type of an array")
    return dtype


def _place_pieces(pieces: list, size: int) -> list[tuple[np.dtype, int, int]]:
    """The type, the first byte and the number of items of each piece; together they are all bytes."""
    placed = []
    start = 0
    for piece in pieces:
        expect(isinstance(piece, list) and len(piece) == 2, "a piece of the arrays")
        dtype = read_dtype(piece[0])
        n_items = piece[1]
        expect(type(n_items) is int and 0 <= n_items <= size, "the length of a piece")
        placed.append((dtype, start, n_items))
        start += n_items * dtype.itemsize
        expect(start <= size, "the length of the arrays")
    expect(start == size, "the length of the arrays")
    return placed


def _is_shape(shape: Any, n_items: int) -> bool:
    if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS:
        return False
    if not all(type(n) is int and 0 <= n < 1 << 40 for n in shape):
        return False
    product = 1
    for n in shape:
        product *= n
    return product == n_items


def _widens(stored: np.dtype, dtype: np.dtype) -> bool:
    """Whether whole numbers of the first type may have been of the second."""
    return dtype.kind in "iuf" and dtype.itemsize > stored.itemsize


def _unshuffle(content: bytes, dtype: np.dtype) -> np.ndarray:
    raw = np.frombuffer(content, np.uint8)
    if 1 < dtype.itemsize <= WIDEST_SHUFFLED:
        raw = raw.reshape(dtype.itemsize, -1).T
    # a copy: what comes from a file can be written to like any other array
    return np.array(raw, order="C").reshape(-1).view(dtype)


def _check_items(items: np.ndarray) -> None:
    """Refuse bytes that no item of the type has."""
    if items.dtype.kind == "b":
        expect(bool((items.view(np.uint8) <= 1).all()), "an array of truth values")
    if items.dtype.kind == "U":
        letters = items.view(items.dtype.str[0] + "u4")
        expect(bool((letters <= LAST_LETTER).all()), "an array of strings")
