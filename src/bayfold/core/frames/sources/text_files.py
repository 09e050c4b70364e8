"""CSV files, block by block: understood by their first rows as a file that is read as a whole is by all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bayfold import errors
from bayfold.core.frames.files.column_rule import find_rules
from bayfold.core.frames.files.csv_file import (
    check_quotes,
    explain_line,
    find_line,
    understand_csv,
)
from bayfold.core.frames.files.options import ReadOptions
from bayfold.core.frames.sources.naming import name_place
from bayfold.core.frames.sources.text_bytes import Utf8Bytes, find_bad_line, open_bytes, open_text
from bayfold.core.frames.sources.types import text_columns

TEXT_BLOCK = 1 << 22
"""Bytes read at a time; types are settled by the first so many of each file, some ten thousand rows."""

WRITTEN = "\0written "
"""Before the name of a column stands for its cells as they were written."""


class CsvFile:
    """One file with a line of names at its top."""

    n_rows: int | None = None

    def __init__(self, path: str, options: ReadOptions | None = None) -> None:
        import pyarrow as pa

        self.path, self._options = path, options or ReadOptions()
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
        self.dialect, self._header_lines = found.dialect, found.header_lines
        self._rules = find_rules(found.texts, found.typed, self._options.kinds)
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
            if file.n_quotes % 2:
                with self._text() as text:
                    check_quotes(self.path, text, self.dialect.delimiter)

    def _open(self, file: Utf8Bytes, columns: Sequence[str]) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        every = list(self._rules)
        read = csv.ReadOptions(
            use_threads=False,
            block_size=TEXT_BLOCK,
            column_names=every,
            skip_rows=self._header_lines,
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

        data, arrays = pa.Table.from_batches([batch]), []
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
