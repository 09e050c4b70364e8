"""Parquet files and Arrow IPC files (Feather) as sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice, repeat
from typing import Any

from bayfold.core.frames.arrow import check_decodable, clean_arrow
from bayfold.core.frames.sources.chunk import name_place, partition_rows
from bayfold.core.frames.sources.types import text_columns

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


READ_BUFFER = 1 << 16
"""Bytes of a column held in front of the decoder, instead of all of its row group. With a megabyte each, a fit of five
million rows took 1.68 s of CPU time and with this 1.58 (medians of four runs on a busy machine): Arrow gives memory
back to the system between row groups, and to get it again is work."""

LONG_CELL = 64
"""Bytes of a cell, on average, beyond which few are expected twice: Arrow would keep them all until the end of the row
group, to number them."""


class ParquetFile:
    """One file. Its footer is read once, its rows at every pass."""

    def __init__(self, path: str) -> None:
        import pyarrow.parquet as pq

        self.path = path
        with name_place(path), pq.ParquetFile(path) as file:
            self.schema: Any = file.schema_arrow
            check_decodable(self.schema)
            self.metadata: Any = file.metadata

    def pieces(self) -> list[RowGroup]:
        """The row groups."""
        return [RowGroup(self, group) for group in range(self.metadata.num_row_groups)]


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Some rows of a file that were written together."""

    file: ParquetFile
    number: int

    @property
    def path(self) -> str:
        """Of the file."""
        return self.file.path

    @property
    def n_rows(self) -> int:
        """Known from the footer."""
        return self.file.metadata.row_group(self.number).num_rows

    @cached_property
    def text_sizes(self) -> dict[str, float]:
        """Bytes of a cell of each column of text, on average; of text that repeats, those of its place in a list."""
        group = self.file.metadata.row_group(self.number)
        names = text_columns(self.file.schema)
        chunks = (group.column(k) for k in range(group.num_columns))
        sizes = {chunk.path_in_schema: chunk.total_uncompressed_size for chunk in chunks}
        return {name: sizes.get(name, 0) / max(self.n_rows, 1) for name in names}

    def batches(self, columns: Sequence[str], plain: Sequence[str]) -> Iterator[Any]:
        """Some columns; those of text as indices into a dictionary, unless ``plain``."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        sizes = self.text_sizes
        as_labels = [
            name for name, size in sizes.items() if size <= LONG_CELL and name not in plain
        ]
        file = pq.ParquetFile(
            self.path,
            metadata=self.file.metadata,
            read_dictionary=as_labels,
            pre_buffer=False,
            buffer_size=READ_BUFFER,
            page_checksum_verification=True,  # of files that have checksums
        )
        with file:
            # a partition at a time: a row group of any size takes no more memory
            size = partition_rows(len(columns), sum(map(sizes.get, columns, repeat(0.0))))
            batches = file.iter_batches(size, row_groups=[self.number], columns=list(columns))
            found: list[Any] = []
            while True:
                with name_place(self.path, f"row group {self.number}"):
                    # Arrow does not compare the indices of a file with the length of their dictionary
                    for batch in islice(batches, 1):
                        found.append(clean_arrow(pa.Table.from_batches([batch])))
                if not found:
                    return
                yield found.pop()
