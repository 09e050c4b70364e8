"""What a source is, and sources made of batches in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from bayfold.core.frames.sources.chunk import Chunk


class Source(Protocol):
    """Rows that can be read again and again, in the same order."""

    @property
    def names(self) -> list[str]:
        """The columns, in order."""

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known without reading them."""

    @property
    def n_bytes(self) -> int | None:
        """How many bytes the whole source is read from, where that is known."""

    def chunks(
        self, columns: Sequence[str], skip: int = 0, plain: Sequence[str] = ()
    ) -> Iterator[Chunk]:
        """Some columns of all rows but the first ``skip``; those of ``plain`` in the types of the source."""

    def text_bytes(self, columns: Sequence[str]) -> float:
        """Bytes of the strings of some columns in a row, on average; zero where that is not known without reading."""

    def identity(self) -> Any:
        """What another source must be equal in to be taken for this one; plain enough for JSON."""

    def check_unchanged(self) -> None:
        """Raise if the source is seen to have changed since it was opened."""


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
