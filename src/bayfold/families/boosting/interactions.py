"""Which columns may share a table: the parameters ``interactions`` as a list, and ``forbidden_interactions``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.columns import find_column
from bayfold.core.schema import Schema


def check_interactions(interactions: Any, forbidden: Any) -> None:
    """Refuse what is neither a number of columns nor a list of pairs, or no list of pairs and columns."""
    if isinstance(interactions, str) or not isinstance(interactions, Iterable):
        more = ", or a list of pairs"
        errors.check_whole("interactions", interactions, 1, 3, words=["auto"], suffix=more)
    elif not (pairs := list(interactions)) or not all(_is_pair(p) or _is_triple(p) for p in pairs):
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
    named = _list_named(interactions)
    if not named and not forbidden:
        return None
    allowed = np.ones((n_columns, n_columns), bool) if not named else np.eye(n_columns, dtype=bool)
    pairable = set(schema.narrow.tolist())
    pairs = []
    for pair in (pair for some in named for pair in combinations(some, 2)):
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


def choose_triples(interactions: Any) -> str:
    """Whether three columns may share a table: "never", "always" or "auto"."""
    if named := _list_named(interactions):
        return "always" if any(map(_is_triple, named)) else "never"
    return {"auto": "auto", 3: "always"}.get(interactions, "never")


def find_named_triples(interactions: Any, schema: Schema) -> list[tuple[int, ...]] | None:
    """Which three columns may share a table; None where any may."""
    if not (named := _list_named(interactions)):
        return None
    triples = [some for some in named if _is_triple(some)]
    return [tuple(find_column("interactions", c, schema.names) for c in some) for some in triples]


def _list_named(interactions: Any) -> list:
    """The columns that may share a table; none where any may."""
    is_one = isinstance(interactions, str) or errors.is_whole(interactions)
    return [] if is_one else list(interactions)


def _is_triple(entry: Any) -> bool:
    return isinstance(entry, tuple | list) and len(entry) == 3


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, tuple | list) and len(entry) == 2


def _find_pair(parameter: str, pair: Any, names: list[str]) -> tuple[int, int]:
    a, b = (find_column(parameter, column, names) for column in pair)
    if a == b:
        raise errors.bad_pairs(parameter, "about pairs of two different columns", pair)
    return a, b
