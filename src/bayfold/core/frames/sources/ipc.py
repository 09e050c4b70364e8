"""Arrow's own files, record batch by record batch: the file format, and the stream format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from bayfold.core.frames.arrow import check_decodable, clean_arrow
from bayfold.core.frames.sources.naming import name_place

_MAGIC = b"ARROW1"


class IpcFile:
    """One file, mapped rather than read."""

    n_rows: int | None = None

    def __init__(self, path: str) -> None:
        self.path = path
        with name_place(path), self._open() as mapped:
            self.schema: Any = self._reader(mapped).schema
            check_decodable(self.schema)

    def pieces(self) -> list[IpcFile]:
        """The file as a whole."""
        return [self]

    def batches(self, columns: Sequence[str], plain: Sequence[str]) -> Iterator[Any]:
        """Some columns."""
        import pyarrow as pa

        with self._open() as mapped:
            with name_place(self.path):
                batches = _batches_of(self._reader(mapped))
            for number in count():
                with name_place(self.path, f"record batch {number}"):
                    batch = next(batches, None)
                    if batch is None:
                        return
                    found = clean_arrow(pa.Table.from_batches([batch.select(list(columns))]))
                yield found

    def _open(self) -> Any:
        import pyarrow as pa

        return pa.memory_map(self.path)

    def _reader(self, mapped: Any) -> Any:
        from pyarrow import ipc

        is_file = mapped.read(len(_MAGIC)) == _MAGIC
        mapped.seek(0)
        return ipc.open_file(mapped) if is_file else ipc.open_stream(mapped)


def _batches_of(reader: Any) -> Iterator[Any]:
    n_batches = getattr(reader, "num_record_batches", None)
    if n_batches is None:
        return iter(reader)
    return (reader.get_batch(number) for number in range(n_batches))
