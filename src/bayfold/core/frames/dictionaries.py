"""The labels of Arrow's dictionaries, of which the row groups of a file often have the same ones."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from bayfold.core.frames.strings import Strings
from bayfold.core.remembered import MetAgain

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
        Of a short dictionary the same list whenever it is met again; not to be changed.
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
    cells = MetAgain(cells) if is_short else cells
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
