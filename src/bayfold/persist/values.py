"""Values as JSON and back: numbers, strings, containers, arrays, and objects of registered kinds.

JSON has fewer types than models do, so what it lacks is written as an object with one key, the name of the type:
``{"list": [...]}``, ``{"scalar": ["<f4", "0000c03f"]}``. A plain JSON list is a tuple. Objects stand in one flat list,
each behind those it is made of, and are referred to by their place: shared ones are stored once.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.frames import Strings
from bayfold.core.frames.times import is_timestamp, read_timestamp, write_timestamp
from bayfold.persist.arrays import ArrayWriter, StoredArrays, is_plain, read_dtype
from bayfold.persist.checks import expect
from bayfold.persist.kinds import find_kind, kind_named

PLAIN = (str, int, bool, type(None))
"""What JSON has too. Not its subclasses, which would come back as something else."""


class Encoder:
    """Turns values into JSON, and collects the objects and arrays they refer to.

    Parameters
    ----------
    statistics : bool
        Whether to keep what only learning needs.
    is_compact : bool
        Whether long lists of strings, and what strings stand for, become arrays: a checkpoint may hold millions.
    """

    def __init__(self, statistics: bool, is_compact: bool = False) -> None:
        self.objects: list[dict[str, Any]] = []
        self.arrays = ArrayWriter()
        self._statistics = statistics
        self._is_compact = is_compact
        self._place_of: dict[int, int] = {}
        self._kept: list[Any] = []

    def encode(self, value: Any, path: str) -> Any:
        """A value as JSON; ``path`` says in errors where it stands."""
        if type(value) in PLAIN:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": struct.pack(">d", value).hex()}
        if find_kind(value) is not None:
            return {"object": self._place(value, path)}
        if isinstance(value, np.ndarray):
            return self._encode_array(value, path)
        if isinstance(value, np.generic):
            return self._encode_scalar(value, path)
        for kinds, name, items_of in CONTAINERS:
            if isinstance(value, kinds):
                if self._is_compact and _is_packed(value):
                    return self._pack(value, path)
                items = [self.encode(item, path) for item in items_of(value)]
                return items if name == "tuple" else {name: items}
        if type(value) in TEXTS:
            name, to_text, _ = TEXTS[type(value)]
            return {name: to_text(value)}
        if is_timestamp(value):
            return {"Timestamp": write_timestamp(value)}
        if hasattr(value, "to_numpy"):  # a column given as a parameter
            return self.encode(value.to_numpy(), path)
        raise errors.cannot_be_saved(path, value)

    def _pack(self, value: list | dict, path: str) -> dict[str, Any]:
        """Strings as one array of their bytes, and the numbers that they stand for as another."""
        texts = {"object": self._place(Strings.of_texts(value), path)}
        if isinstance(value, list):
            return {"texts": texts}
        return {"numbers": [texts, self.encode(np.array([*value.values()]), path)]}

    def _place(self, thing: Any, path: str) -> int:
        """The place of an object among the objects, behind all that it is made of."""
        if id(thing) not in self._place_of:
            kind = find_kind(thing)
            assert kind is not None
            parts = kind.take(thing, self._statistics)
            encoded = {
                name: self.encode(part, f"{path}.{name}".lstrip("."))
                for name, part in parts.items()
            }
            self._place_of[id(thing)] = len(self.objects)
            self._kept.append(thing)  # so that no other object can have its id
            self.objects.append({"kind": kind.name, "parts": encoded})
        return self._place_of[id(thing)]

    def _encode_array(self, array: np.ndarray, path: str) -> dict[str, Any]:
        if array.dtype.hasobject:
            cells = [self.encode(cell, path) for cell in array.ravel().tolist()]
            return {"cells": [list(array.shape), cells]}
        if type(array) is not np.ndarray or not is_plain(array.dtype):
            raise errors.cannot_be_saved(path, array)
        return {"array": self.arrays.add(array)}

    def _encode_scalar(self, scalar: np.generic, path: str) -> dict[str, Any]:
        dtype = scalar.dtype
        if dtype.kind == "U":
            return {"np.str": str(scalar)}
        if not is_plain(dtype):
            raise errors.cannot_be_saved(path, scalar)
        return {"scalar": [dtype.str, scalar.tobytes().hex()]}


MANY = 64
"""Strings from which on they are packed: a reference and two arrays take about as much."""


def _is_packed(value: Any) -> bool:
    """Whether a value is a long list of strings, or a mapping of many to numbers of one type."""
    if not isinstance(value, (list, dict)) or len(value) < MANY:
        return False
    if not all(type(text) is str for text in value):
        return False
    return isinstance(value, list) or set(map(type, value.values())) in ({float}, {int})


RESOLUTION = timedelta(microseconds=1)
"""Of a time span, which is written as a number of these."""

CONTAINERS: tuple[tuple[Any, str, Callable[[Any], Any]], ...] = (
    (tuple, "tuple", iter),
    (list, "list", iter),
    (Mapping, "dict", lambda mapping: mapping.items()),
    (set, "set", lambda items: sorted(items, key=repr)),
    (frozenset, "frozenset", lambda items: sorted(items, key=repr)),
)

TEXTS: dict[type, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    date: ("date", date.isoformat, date.fromisoformat),
    time: ("time", time.isoformat, time.fromisoformat),
    timedelta: ("timedelta", lambda d: str(d // RESOLUTION), lambda text: int(text) * RESOLUTION),
    Decimal: ("decimal", str, Decimal),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    range: (
        "range",
        lambda r: f"{r.start} {r.stop} {r.step}",
        lambda text: range(*map(int, text.split())),
    ),
}
"""Types that are written as text: the name, and the functions that write and read it."""


class Decoder:
    """Makes values of JSON.

    Parameters
    ----------
    objects : list
        As the encoder had them.
    arrays : StoredArrays
    """

    def __init__(self, objects: Any, arrays: StoredArrays) -> None:
        expect(isinstance(objects, list), "the list of objects")
        self._arrays = arrays
        self._made: list[Any] = []
        for entry in objects:
            self._made.append(self._make(entry))

    def _make(self, entry: Any) -> Any:
        fits = isinstance(entry, dict) and entry.keys() == {"kind", "parts"}
        expect(fits and isinstance(entry["parts"], dict), "an object")
        parts = {name: self.decode(part) for name, part in entry["parts"].items()}
        return kind_named(entry["kind"]).make(parts)

    def decode(self, encoded: Any) -> Any:
        """The value that was encoded."""
        if isinstance(encoded, list):
            return tuple(map(self.decode, encoded))
        if not isinstance(encoded, dict):
            expect(not isinstance(encoded, float) or math.isfinite(encoded), "a number")
            return encoded
        expect(len(encoded) == 1, "a value")
        ((name, content),) = encoded.items()
        if name in READ_TEXT:
            expect(isinstance(content, str), f"a {name}")
            return READ_TEXT[name](content)
        expect(name in self._READERS, "a value")
        return self._READERS[name](self, content)

    def _object(self, place: Any) -> Any:
        """An object that stands before the one that is being made: there are no circles."""
        expect(type(place) is int and 0 <= place < len(self._made), "a reference to an object")
        return self._made[place]

    def _array(self, place: Any) -> np.ndarray:
        return self._arrays.array(place)

    def _items(self, content: Any) -> list:
        expect(isinstance(content, list), "a list")
        return [self.decode(item) for item in content]

    def _dict(self, content: Any) -> dict:
        pairs = self._items(content)
        expect(all(isinstance(p, tuple) and len(p) == 2 for p in pairs), "a mapping")
        return dict(pairs)

    def _texts(self, content: Any) -> list[str]:
        strings = self.decode(content)
        expect(isinstance(strings, Strings) and bool(strings.known.all()), "a list of strings")
        data = strings.data.tobytes()
        bounds = strings.bounds.tolist()
        pieces = (data[begin:end] for begin, end in pairwise(bounds))
        return [piece.decode(errors="surrogatepass") for piece in pieces]

    def _numbers(self, content: Any) -> dict[str, Any]:
        expect(isinstance(content, list) and len(content) == 2, "a mapping")
        texts = self._texts(content[0])
        numbers = self.decode(content[1])
        fits = isinstance(numbers, np.ndarray) and numbers.shape == (len(texts),)
        expect(fits and numbers.dtype.kind in "if", "a mapping")
        return dict(zip(texts, numbers.tolist(), strict=True))

    def _cells(self, content: Any) -> np.ndarray:
        expect(isinstance(content, list) and len(content) == 2, "an array of objects")
        shape = content[0]
        cells = self._items(content[1])
        array = np.empty(len(cells), object)
        array[:] = cells
        return array.reshape(shape)

    def _scalar(self, content: Any) -> np.generic:
        expect(isinstance(content, list) and len(content) == 2, "a number")
        dtype = read_dtype(content[0])
        text = content[1]
        expect(isinstance(text, str) and len(text) == 2 * dtype.itemsize, "a number")
        return np.frombuffer(bytes.fromhex(text), dtype)[0]

    _READERS: Mapping[str, Callable[[Any, Any], Any]] = {
        "object": _object,
        "array": _array,
        "list": _items,
        "dict": _dict,
        "set": lambda self, content: set(self._items(content)),
        "frozenset": lambda self, content: frozenset(self._items(content)),
        "cells": _cells,
        "texts": _texts,
        "numbers": _numbers,
        "scalar": _scalar,
    }


READ_TEXT: dict[str, Callable[[str], Any]] = {
    "float": lambda text: struct.unpack(">d", bytes.fromhex(text))[0],
    "np.str": np.str_,
    "Timestamp": read_timestamp,
    **{name: from_text for name, _, from_text in TEXTS.values()},
}
"""What reads the types that are written as text."""
