"""CSV files, block by block."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from bayfold.core.frames.sources.naming import name_place

TEXT_BLOCK = 1 << 22
"""Bytes read at a time; types are settled by the first so many of each file, some ten thousand rows."""

MISSING_CELLS = ["", "NA", "N/A", "NULL", "null", "NaN", "nan", "None", "?"]
"""What stands for a missing cell, in columns of any type."""


class CsvFile:
    """One file with a line of names at its top; tabs separate cells where its name ends in .tsv."""

    n_rows: int | None = None

    def __init__(self, path: str) -> None:
        import pyarrow as pa

        self.path = path
        self.schema: Any = pa.schema([])
        self.is_empty = os.path.getsize(path) == 0
        if not self.is_empty:
            with name_place(path), self._open(None) as reader:
                self.schema = pa.schema([_settle_type(field) for field in reader.schema])

    def pieces(self) -> list[CsvFile]:
        """The file as a whole: where lines end is not known before they are read."""
        return [] if self.is_empty else [self]

    def batches(self, columns: Sequence[str], plain: Sequence[str]) -> Iterator[Any]:
        """Some columns."""
        import pyarrow as pa

        with name_place(self.path):
            reader = self._open(list(columns))
        with reader:
            while True:
                with name_place(self.path):
                    batch = next(reader, None)
                if batch is None:
                    return
                yield pa.Table.from_batches([batch])

    def _open(self, columns: list[str] | None) -> Any:
        from pyarrow import csv

        return csv.open_csv(
            self.path,
            # one thread: only then are errors told with their line
            read_options=csv.ReadOptions(use_threads=False, block_size=TEXT_BLOCK),
            parse_options=csv.ParseOptions(delimiter="\t" if self.path.endswith(".tsv") else ","),
            convert_options=csv.ConvertOptions(
                column_types=None if columns is None else self.schema,
                include_columns=columns,
                null_values=MISSING_CELLS,
                strings_can_be_null=True,
            ),
        )


def _settle_type(field: Any) -> Any:
    """Whole numbers may have a point further down, and columns without a cell so far may have numbers."""
    import pyarrow as pa

    if pa.types.is_integer(field.type) or pa.types.is_null(field.type):
        return field.with_type(pa.float64())
    return field
