"""From what the user has to a source."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from bayfold import errors
from bayfold.core.frames.sources.many_files import FileSource
from bayfold.core.frames.sources.source import Source
from bayfold.core.frames.sources.streams import open_duckdb, open_factory, open_frame


def _is_path(thing: Any) -> bool:
    return isinstance(thing, (str, os.PathLike))


def _is_paths(thing: Any) -> bool:
    return isinstance(thing, (list, tuple)) and len(thing) > 0 and all(map(_is_path, thing))


def _is_relation(thing: Any) -> bool:
    return type(thing).__name__ == "DuckDBPyRelation"


_OPENERS: list[tuple[Callable[[Any], bool], Callable[[Any], Source]]] = [
    (lambda thing: hasattr(thing, "chunks") and hasattr(thing, "identity"), lambda thing: thing),
    (_is_path, FileSource),
    (_is_paths, FileSource),
    (_is_relation, open_duckdb),
    (lambda thing: hasattr(thing, "__arrow_c_stream__"), open_frame),
    (lambda thing: callable(thing) and not isinstance(thing, type), open_factory),
]
"""The first that accepts a thing opens it."""


def open_source(source: Any) -> Source:
    """Open files, a query, a stream or a function that makes one.

    Parameters
    ----------
    source : path-like, list of them, DuckDB relation, frame or callable
        Paths may be globs and folders. A callable takes no arguments and gives Arrow batches; it is called for
        every pass.
    """
    for accepts, opens in _OPENERS:
        if accepts(source):
            return opens(source)
    raise errors.not_a_source(type(source).__name__)
