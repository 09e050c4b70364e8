"""From what the user has to a source: files, queries, streams, and functions that make one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bayfold import errors
from bayfold.core.frames.arrow import check_arrow
from bayfold.core.frames.sources.chunk import Chunk, Source
from bayfold.core.frames.sources.many_files import FileSource
from bayfold.core.frames.sources.types import bring_to_types, find_labelled, unite_types

BATCH_ROWS = 1 << 16
"""Rows asked for or handed on at a time, where a stream would give more."""

Batches = Callable[[Sequence[str] | None], Any]
"""Opens a stream anew, of some columns or of all: Arrow tables or batches one by one."""


class StreamSource:
    """Rows that come out of a function anew for every pass.

    Parameters
    ----------
    open_batches : callable
        From names of columns, or None for all, to an iterable of Arrow tables or record batches.
    schema : pyarrow.Schema
    n_rows : int or None
    """

    n_bytes: int | None = None

    def __init__(self, open_batches: Batches, schema: Any, n_rows: int | None = None) -> None:
        self._open = open_batches
        self.n_rows = n_rows
        self.schema = schema
        if len(set(schema.names)) < len(schema.names):
            raise errors.repeated_columns("the source", schema.names)

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self.schema.names)

    def text_bytes(self, columns: Sequence[str]) -> float:
        """Not known before rows are read."""
        return 0.0

    def identity(self) -> list:
        """Names and types: the rows themselves are not known before they are read."""
        return [[field.name, str(field.type)] for field in self.schema]

    def check_unchanged(self) -> None:
        """A stream shows only by its rows that it has changed."""

    def chunks(
        self, columns: Sequence[str], skip: int = 0, plain: Sequence[str] = ()
    ) -> Iterator[Chunk]:
        """Ask for the rows again."""
        types = {field.name: field.type for field in self.schema}
        for batch in self._open(columns):
            data = _as_table(batch)
            given = set(data.column_names)
            lacking = [name for name in columns if name not in given]
            if lacking:
                raise errors.column_lacking(lacking[0], "a later batch", "the first one")
            data = check_arrow(data.select(list(columns)))
            united = _unite_with_batch(types, data.schema)
            data = bring_to_types(data, united, find_labelled(united, plain))
            for start in range(0, data.num_rows, BATCH_ROWS):
                part = data.slice(start, BATCH_ROWS)
                if skip < part.num_rows:
                    yield Chunk(part.slice(skip), part.nbytes)
                skip = max(skip - part.num_rows, 0)


def _unite_with_batch(types: dict[str, Any], own: Any) -> dict[str, Any]:
    """What the columns of a batch are read as: the type of the first batch, or one that holds the cells of both.

    To cast a later batch to the types of the first would cut off decimals where the first has whole numbers alone.
    """
    united = {}
    for field in own:
        first = types[field.name]
        united[field.name] = unite_types(first, field.type)
        if united[field.name] is None:
            named = ("the first batch", first), ("a later batch", field.type)
            raise errors.types_differ(field.name, *named)
    return united


def _as_table(batch: Any) -> Any:
    import pyarrow as pa

    try:
        return (
            pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else pa.table(batch)
        )
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise errors.not_a_batch(type(batch).__name__) from error


def open_factory(factory: Callable[[], Any]) -> StreamSource:
    """A function without arguments that opens a stream of Arrow batches."""

    def open_batches(columns: Sequence[str] | None) -> Iterator[Any]:
        made = factory()
        return iter(_reader(made) if hasattr(made, "__arrow_c_stream__") else made)

    batches = open_batches(None)
    first = next(batches, None)
    if first is None:
        raise errors.nothing_to_read()
    return StreamSource(open_batches, _settle_types(_as_table(first).schema, batches))


def _settle_types(schema: Any, batches: Iterator[Any]) -> Any:
    """The types of the first batch, and of the first with a cell where it has none in a column."""
    import pyarrow as pa

    unsettled = {field.name for field in schema if pa.types.is_null(field.type)}
    while unsettled and (batch := next(batches, None)) is not None:
        for field in _as_table(batch).schema:
            if field.name in unsettled and not pa.types.is_null(field.type):
                schema = schema.set(schema.get_field_index(field.name), field)
                unsettled.remove(field.name)
    return schema


def open_frame(frame: Any) -> StreamSource:
    """An object that hands out its rows as an Arrow stream whenever it is asked."""
    import pyarrow as pa

    if isinstance(frame, pa.RecordBatchReader):
        raise errors.read_once(type(frame).__name__)
    schema = _reader(frame).schema
    n_rows = len(frame) if hasattr(frame, "__len__") else None
    return StreamSource(lambda columns: _reader(frame), schema, n_rows)


def open_duckdb(relation: Any) -> StreamSource:
    """A DuckDB relation, which runs its query for every pass and reads only the columns asked for."""

    def open_batches(columns: Sequence[str] | None) -> Any:
        wanted = relation
        if columns is not None:
            quoted = (name.replace('"', '""') for name in columns)
            wanted = relation.project(", ".join(f'"{name}"' for name in quoted))
        read = getattr(wanted, "to_arrow_reader", None) or wanted.fetch_record_batch
        return read(BATCH_ROWS)

    nothing = relation.limit(0)
    read = getattr(nothing, "to_arrow_reader", None) or nothing.fetch_record_batch
    return StreamSource(open_batches, read().schema)


def _reader(frame: Any) -> Any:
    import pyarrow as pa

    if isinstance(frame, pa.RecordBatchReader):
        return frame
    return pa.RecordBatchReader.from_stream(frame)


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
