"""Parquet out: one file, or a folder of parts, row group by row group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from bayfold.core.frames.sources.chunk import Chunk

ONE_FILE = (".parquet", ".pq")
"""How the name of an output of a single file ends; any other is that of a folder."""

ROWS_PER_FILE = 1 << 22
"""Rows of one part in a folder: some hundred megabytes, which every reader can take at once."""


def attach_answers(chunk: Chunk, keep: Sequence[str], answers: Mapping[str, np.ndarray]) -> Any:
    """Some columns of a chunk as they are, and the answers for its rows beside them."""
    import pyarrow as pa

    data = chunk.data.select(list(keep))
    for name, values in answers.items():
        data = data.append_column(name, pa.array(values))
    return data


class ParquetSink:
    """Writes tables one below the other.

    Parameters
    ----------
    path : Path
        Where the file or folder is made.
    is_folder : bool
        Whether there are parts.
    """

    def __init__(self, path: Path, is_folder: bool) -> None:
        self._path, self._is_folder = path, is_folder
        self._writer: Any = None
        self._n_parts = self._n_rows = 0
        if is_folder:
            path.mkdir()

    def write(self, table: Any) -> None:
        """Write the next rows."""
        import pyarrow.parquet as pq

        if self._is_folder and self._n_rows >= ROWS_PER_FILE:
            self._close()
        if self._writer is None:
            part = self._path / f"part-{self._n_parts:05}.parquet"
            self._writer = pq.ParquetWriter(part if self._is_folder else self._path, table.schema)
            self._n_parts, self._n_rows = self._n_parts + 1, 0
        self._writer.write_table(table, row_group_size=max(table.num_rows, 1))
        self._n_rows += table.num_rows

    def _close(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def __enter__(self) -> ParquetSink:
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
