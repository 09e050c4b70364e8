"""CSV and other text files as sources, cut into blocks at line ends."""

from __future__ import annotations

import codecs
import gzip
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from bayfold import errors
from bayfold.core.frames.files.column_rule import find_rules
from bayfold.core.frames.files.csv_file import (
    check_no_nul,
    check_quotes,
    explain_line,
    find_line,
    understand_csv,
)
from bayfold.core.frames.files.formats import GZIP, ReadOptions
from bayfold.core.frames.sources.chunk import name_place
from bayfold.core.frames.sources.types import text_columns


def open_bytes(path: str) -> IO[bytes]:
    """Open a file, zipped or not."""
    with Path(path).open("rb") as file:
        is_zipped = file.read(len(GZIP)) == GZIP
    return gzip.open(path) if is_zipped else Path(path).open("rb")  # type: ignore[return-value]


def open_text(path: str, encoding: str) -> IO[str]:
    """Open a file as text, its line ends as they are."""
    return io.TextIOWrapper(open_bytes(path), encoding, newline="")


def find_bad_line(path: str, encoding: str) -> int | None:
    """The first line that is not in an encoding; None if all are."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 0
    with open_bytes(path) as file:
        for line, data in enumerate(file, start=1):
            try:
                decoder.decode(data)
            except UnicodeError:
                return line
    return None


class Utf8Bytes:
    """What Arrow reads of a file.

    Attributes
    ----------
    n_quotes : int
        The quotes among what was read: an odd number of them tells that one is not closed.
    n_nuls : int
        The bytes of zero, which no text has.
    """

    def __init__(self, path: str, encoding: str) -> None:
        self._file = open_bytes(path)
        # bytes in UTF-8 are handed on as they are: Arrow checks them
        is_utf8 = codecs.lookup(encoding).name == "utf-8"
        self._decoder = None if is_utf8 else codecs.getincrementaldecoder(encoding)()
        self._waiting = b""
        self.n_quotes = 0
        self.n_nuls = 0

    @property
    def closed(self) -> bool:
        """Whether nothing can be read any more."""
        return self._file.closed

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size) if self._decoder is None else self._recode(size)
        self.n_quotes += data.count(b'"')
        self.n_nuls += data.count(b"\0")
        return data

    def _recode(self, size: int) -> bytes:
        """As many bytes as asked for, unless the file ends; what is left over waits for the next time."""
        assert self._decoder is not None
        while len(self._waiting) < size:
            data = self._file.read(size)
            self._waiting += self._decoder.decode(data, final=not data).encode()
            if not data:
                break
        given = self._waiting[:size]
        self._waiting = self._waiting[size:]
        return given

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Utf8Bytes:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


TEXT_BLOCK = 1 << 22
"""Bytes read at a time; types are settled by the first so many of each file, some ten thousand rows."""

WRITTEN = "\0written "
"""Before the name of a column stands for its cells as they were written."""


class CsvFile:
    """One file with a line of names at its top."""

    n_rows: int | None = None

    def __init__(self, path: str, options: ReadOptions | None = None) -> None:
        import pyarrow as pa

        self.path = path
        self._options = options or ReadOptions()
        with name_place(path), open_bytes(path) as file:
            start = file.read(TEXT_BLOCK)
            is_whole = len(start) < TEXT_BLOCK
        self.is_empty = not start.strip()
        self.schema: Any = pa.schema([])
        self.notices: tuple[str, ...] = ()
        self.text_sizes: dict[str, float] = {}
        if self.is_empty:
            return
        found = understand_csv(path, start, self._options, is_whole)
        self.dialect = found.dialect
        self._header_bytes = found.header_bytes
        self._rules = find_rules(found.typed, self._options.kinds)
        self.notices = found.notices
        typed = found.typed.items() if is_whole else ()
        # of a column without a known cell in the whole file, other files say what it holds
        self._unknown = {name for name, c in typed if pa.types.is_null(c.cells.type)}
        self._unknown -= set(self._options.kinds)
        types = {name: rule.type for name, rule in self._rules.items()}
        self.schema = pa.schema(types | dict.fromkeys(self._unknown, pa.null()))
        self.text_sizes = _find_text_sizes(self.schema, found.texts)

    def pieces(self) -> list[CsvFile]:
        """The file as a whole: where lines end is not known before they are read."""
        return [] if self.is_empty else [self]

    def batches(self, columns: Sequence[str], plain: Sequence[str]) -> Iterator[Any]:
        """Some columns."""
        n_before = 0
        with name_place(self.path), Utf8Bytes(self.path, self.dialect.encoding) as file:
            reader = self._open(file, columns)
            while (batch := self._next(reader)) is not None:
                yield self._read(batch, columns, n_before)
                n_before += batch.num_rows
            if file.n_nuls:
                with self._text() as text:
                    check_no_nul(self.path, text)
            if file.n_quotes % 2:
                with self._text() as text:
                    check_quotes(self.path, text, self.dialect.delimiter)

    def _open(self, file: Utf8Bytes, columns: Sequence[str]) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        every = list(self._rules)
        file.read(self._header_bytes)
        read = csv.ReadOptions(
            use_threads=False,
            block_size=TEXT_BLOCK,
            column_names=every,
        )
        parse = csv.ParseOptions(delimiter=self.dialect.delimiter, newlines_in_values=True)
        types = dict.fromkeys(every, pa.string())
        names = list(dict.fromkeys(map(name_inside, columns)))
        convert = csv.ConvertOptions(
            column_types=types,
            include_columns=names,
            null_values=["", *self._options.missing],
            # Arrow is quick to find missing cells, but forgets how they were written
            strings_can_be_null=not any(column.startswith(WRITTEN) for column in columns),
        )
        try:
            return csv.open_csv(pa.PythonFile(file, "r"), read, parse, convert)
        except pa.ArrowInvalid as reason:
            if "Empty CSV" in str(reason):  # names, and not a single row
                return iter(())
            raise self._explain(reason) from None
        except UnicodeError as reason:
            raise self._explain(reason) from None

    def _next(self, reader: Any) -> Any:
        import pyarrow as pa

        try:
            return next(reader, None)
        except (pa.ArrowInvalid, UnicodeError) as reason:
            raise self._explain(reason) from None

    def _read(self, batch: Any, columns: Sequence[str], n_before: int) -> Any:
        """The cells of a block by the rules of their columns."""
        import pyarrow as pa

        data = pa.Table.from_batches([batch])
        arrays = []
        for column in columns:
            name = name_inside(column)
            cells = data.column(name)
            if column in self._unknown:
                cells = pa.nulls(len(cells))
            elif column == name:
                typed = self._rules[name].read(name, cells, self._options.missing)
                if typed.stray is not None:
                    raise self._refuse(replace(typed.stray, row=typed.stray.row + n_before))
                cells = typed.cells
            arrays.append(cells)
        return pa.table(arrays, names=list(columns))

    def _refuse(self, stray: Any) -> Exception:
        """The error of a cell that is not what the rows above it are."""
        with self._text() as text:
            line = find_line(text, self.dialect.delimiter, stray.row)
        kind = self._rules[stray.column].kind
        if stray.column in self._options.kinds:
            return errors.not_of_kind(self.path, line, stray.column, stray.value, kind)
        return errors.not_as_above(self.path, line, stray.column, stray.value, kind)

    def _explain(self, reason: Exception) -> Exception:
        """Which line is wrong: Arrow does not know, Python's reader does."""
        bad = find_bad_line(self.path, self.dialect.encoding)
        if bad is not None:
            return errors.bad_encoding(self.path, self.dialect.encoding, bad)
        with self._text() as text:
            check_quotes(self.path, text, self.dialect.delimiter)
        with self._text() as text:
            width = len(self._rules)
            return explain_line(self.path, text, self.dialect.delimiter, width, str(reason))

    def _text(self) -> Any:
        return open_text(self.path, self.dialect.encoding)


def _find_text_sizes(schema: Any, cells: dict[str, Any]) -> dict[str, float]:
    """Bytes of a cell of each column of text, on average over the first rows."""
    return {name: cells[name].nbytes / max(len(cells[name]), 1) for name in text_columns(schema)}


def name_inside(column: str) -> str:
    """The name in the file of a column or of its cells as they were written."""
    return column.removeprefix(WRITTEN)
