"""Which columns may share a table: the parameters ``interactions`` as a list, and ``forbidden_interactions``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.columns import find_column
from bayfold.core.schema import Schema


def check_interactions(interactions: Any, forbidden: Any) -> None:
    """Refuse what is neither a number of columns nor a list of pairs, or no list of pairs and columns."""
    if isinstance(interactions, str) or not isinstance(interactions, Iterable):
        errors.check_whole("interactions", interactions, 1, 2, suffix=", or a list of pairs")
    elif not (pairs := list(interactions)) or not all(map(_is_pair, pairs)):
        raise errors.bad_pairs("interactions", "a list of pairs of columns", interactions)
    if forbidden is not None and (
        isinstance(forbidden, str) or not isinstance(forbidden, Iterable)
    ):
        what = "None or a list of columns and pairs of columns"
        raise errors.bad_pairs("forbidden_interactions", what, forbidden)


def find_allowed(interactions: Any, forbidden: Any, schema: Schema) -> np.ndarray | None:
    """Which two columns may share a table, of shape (n_columns, n_columns); None where all may."""
    names = schema.names
    n_columns = len(names)
    named = [] if errors.is_whole(interactions) else list(interactions)
    if not named and not forbidden:
        return None
    allowed = np.ones((n_columns, n_columns), bool) if not named else np.eye(n_columns, dtype=bool)
    pairable = set(schema.narrow.tolist())
    pairs = []
    for pair in named:
        a, b = _find_pair("interactions", pair, names)
        for j in (a, b):
            if j not in pairable:
                raise errors.unpaired_column(names[j])
        pairs.append((a, b))
        allowed[a, b] = allowed[b, a] = True
    for entry in forbidden or ():
        if _is_pair(entry):
            a, b = _find_pair("forbidden_interactions", entry, names)
            allowed[a, b] = allowed[b, a] = False
        else:
            j = find_column("forbidden_interactions", entry, names)
            allowed[j] = allowed[:, j] = False
            allowed[j, j] = True
    for a, b in pairs:
        if not allowed[a, b]:
            raise errors.pair_allowed_and_forbidden(names[a], names[b])
    return allowed


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, tuple | list) and len(entry) == 2


def _find_pair(parameter: str, pair: Any, names: list[str]) -> tuple[int, int]:
    a, b = (find_column(parameter, column, names) for column in pair)
    if a == b:
        raise errors.bad_pairs(parameter, "about pairs of two different columns", pair)
    return a, b
