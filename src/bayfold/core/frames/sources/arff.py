"""ARFF files, some thousand lines at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from bayfold.core.frames.output import Categories
from bayfold.core.frames.sources.arff_lines import (
    Attribute,
    content_lines,
    find_encoding,
    make_column,
    read_header,
    split_row,
)
from bayfold.core.frames.sources.naming import name_place

ARFF_ROWS = 1 << 13
"""Rows that are Python objects at the same time: a few megabytes."""


class ArffFile:
    """One dense file; values of nominal attributes are labels."""

    n_rows: int | None = None

    def __init__(self, path: str) -> None:
        self.path = path
        with name_place(path):
            self._encoding = find_encoding(Path(path))
            with self._open() as file:
                self._attributes = read_header(content_lines(file), Path(path))
        self.schema = _schema_of(self._attributes)

    def pieces(self) -> list[ArffFile]:
        """The file as a whole."""
        return [self]

    def batches(self, columns: Sequence[str], plain: Sequence[str]) -> Iterator[Any]:
        """Some columns."""
        import pyarrow as pa

        path, places = Path(self.path), [a.name for a in self._attributes]
        wanted = [self._attributes[places.index(name)] for name in columns]
        with self._open() as file:
            lines = content_lines(file)
            read_header(lines, path)
            while numbered := list(islice(lines, ARFF_ROWS)):
                numbers = [number for number, _ in numbered]
                cells = [split_row(number, line, len(places), path) for number, line in numbered]
                by_name = dict(zip(places, zip(*cells, strict=True), strict=True))
                arrays = [_as_arrow(make_column(a, by_name[a.name], numbers, path)) for a in wanted]
                yield pa.table(arrays, names=list(columns))

    def _open(self) -> Any:
        # newline="\n": other characters that end a line may stand in a quoted value
        return Path(self.path).open(encoding=self._encoding, newline="\n")


def _schema_of(attributes: list[Attribute]) -> Any:
    import pyarrow as pa

    labels = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [(a.name, pa.float64() if a.kind == "numeric" else labels) for a in attributes]
    )


def _as_arrow(column: Any) -> Any:
    import pyarrow as pa

    if not isinstance(column, Categories):
        return pa.array(column, from_pandas=True)
    codes = pa.array(column.codes, mask=column.codes < 0)
    return pa.DictionaryArray.from_arrays(codes, pa.array(list(column.labels), pa.string()))
