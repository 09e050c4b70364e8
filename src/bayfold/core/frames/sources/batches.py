"""Arrow batches as bytes in a column of bytes, which is how they travel where only tables do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


def write_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Every record batch as a batch of one cell that holds it."""
    import pyarrow as pa

    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield make_batch({"batch": [sink.getvalue().to_pybytes()]})


def read_batches(content: bytes) -> Iterator[Any]:
    """The batches of a cell."""
    import pyarrow as pa

    with pa.ipc.open_stream(pa.py_buffer(content)) as reader:
        yield from reader


def name_columns(batches: Iterable[Any], names: Sequence[str]) -> Iterator[Any]:
    """The batches with other names of their columns."""
    return (batch.rename_columns(list(names)) for batch in batches)


def make_batch(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A record batch of bytes, text and whole numbers."""
    import pyarrow as pa

    return pa.record_batch({name: pa.array(list(cells)) for name, cells in columns.items()})


def list_rows(batches: Iterable[Any]) -> list[dict[str, Any]]:
    """The rows of record batches."""
    return [row for batch in batches for row in batch.to_pylist()]
