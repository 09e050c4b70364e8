"""Read a CSV file: the cells as they were written, and the columns a model sees."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, TextIO

from bayfold import errors
from bayfold.core.frames.files import formats
from bayfold.core.frames.files.infer_types import Typed, type_columns
from bayfold.core.frames.files.table_file import TableFile, check_unrepeated


@dataclass(frozen=True, eq=False)
class CsvCells:
    """A CSV file, or the first rows of one, and how it was understood."""

    dialect: formats.CsvDialect
    header_bytes: int
    written: Any
    texts: dict[str, Any]
    typed: dict[str, Typed]
    line_of: Callable[[int], int]
    notices: tuple[str, ...]


def read_csv(path: str, data: bytes, options: formats.ReadOptions) -> TableFile:
    """Read the bytes of a CSV file whose first line has the names of the columns."""
    import pyarrow as pa

    found = understand_csv(path, data, options)
    frame = pa.table({name: column.cells for name, column in found.typed.items()})
    return TableFile(path, "csv", frame, found.written, found.dialect, found.line_of, found.notices)


def understand_csv(
    path: str, data: bytes, options: formats.ReadOptions, is_whole: bool = True
) -> CsvCells:
    """Find encoding, delimiter, decimal sign and types in the bytes of a file, or in those it begins with."""
    text, encoding = formats.decode(path, data, options.encoding, is_whole)
    if options.decimal not in (None, ".", ","):
        raise errors.bad_decimal(options.decimal)
    delimiter = _choose_delimiter(path, text, options.delimiter)
    text = text if is_whole else _whole_rows(text, delimiter)
    check_no_nul(path, text)
    names, repeated, header_bytes = _read_header(path, text, delimiter)
    if text.count('"') % 2:
        check_quotes(path, text, delimiter)
    utf8 = data if is_whole and encoding == "utf-8" else text.encode()
    written = _parse_cells(path, memoryview(utf8)[header_bytes:], text, delimiter, names)

    def line_of(row: int) -> int:
        return find_line(text, delimiter, row)

    texts = {name: formats.without_missing(written[name], options.missing) for name in names}
    # A semicolon between cells is what spreadsheets write where the comma is the decimal sign.
    typed, decimal = type_columns(texts, options, delimiter == ";")
    is_guess = not (encoding.startswith("utf") or options.encoding)
    notices = [errors.read_in_encoding(path, encoding)] if is_guess else []
    notices += [errors.names_numbered(path, repeated)] if repeated else []
    notices += _judge_strays(path, typed, options, line_of)
    orders = [t.time_format[:3] for t in typed.values() if t.time_format]
    month_first = "%m/" in orders if {"%m/", "%d/"}.intersection(orders) else options.month_first
    dialect = formats.CsvDialect(encoding, delimiter, decimal, month_first)
    return CsvCells(dialect, header_bytes, written, texts, typed, line_of, tuple(notices))


def _whole_rows(text: str, delimiter: str) -> str:
    """The text without its last row, which may have been cut; a line break within quotes ends no row."""
    rows = formats.rows_of(text, delimiter)
    n_whole = 0
    n_lines = 0
    with suppress(csv.Error):  # a cell without end, which is an error when all rows are read
        for _ in rows:
            n_whole = n_lines
            n_lines = rows.line_num
    lines = io.StringIO(text, newline="")
    return "".join(islice(lines, n_whole)) or text


def _choose_delimiter(path: str, text: str, given: str | None) -> str:
    """As given, as the name ends, or as most lines have it."""
    if given is not None:
        return formats.check_delimiter(given)
    ending = path.lower().removesuffix(".gz")
    return "\t" if ending.endswith((".tsv", ".tab")) else formats.find_delimiter(text)


def _read_header(path: str, text: str, delimiter: str) -> tuple[list[str], list[str], int]:
    """Names of the columns, those that came more than once, and the bytes of UTF-8 of the header.

    Arrow knows no header longer than its blocks.
    """
    rows = formats.rows_of(text, delimiter)
    cells = next((row for row in rows if any(cell.strip() for cell in row)), None)
    if cells is None:
        raise errors.empty_file(path)
    names = [cell.strip() or f"column_{k}" for k, cell in enumerate(cells, start=1)]
    repeated = [name for name, times in Counter(names).items() if times > 1]
    names = number_repeated(names)
    check_unrepeated(path, rows.line_num, names)
    header = "".join(islice(io.StringIO(text, newline=""), rows.line_num))
    return names, repeated, len(header.encode())


def number_repeated(names: list[str]) -> list[str]:
    """Columns of one name get numbers, all of them: a name that means two of them is none.

    >>> number_repeated(["a", "b", "a"])
    ['a (1)', 'b', 'a (2)']
    """
    times = Counter(names)
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(f"{name} ({seen[name]})" if times[name] > 1 else name)
    return numbered


def check_no_nul(path: str, text: str | TextIO) -> None:
    """Refuse a byte of zero, which no text has: the file is damaged, or something else than CSV."""
    if isinstance(text, str) and "\0" not in text:
        return
    lines = io.StringIO(text, newline="") if isinstance(text, str) else text
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise errors.not_text(path, number)


def check_quotes(path: str, text: str | TextIO, delimiter: str) -> None:
    """Refuse a quote that is never closed: the rest of the file would be taken for one cell."""
    rows = formats.rows_of(text, delimiter, strict=True)
    start = 1
    try:
        for _ in rows:
            start = rows.line_num + 1
    except csv.Error as error:
        # the reader gives up on a cell of more than 131,072 characters, too: a large file after an open quote
        if "end of data" in str(error) or "field limit" in str(error):
            raise errors.open_quote(path, start) from None


def _parse_cells(path: str, utf8: memoryview, text: str, delimiter: str, names: list[str]) -> Any:
    """All cells as text; ``utf8`` begins behind the header."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    try:
        return arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(utf8)),
            arrow_csv.ReadOptions(column_names=names),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
    except pa.ArrowInvalid as reason:
        if "Empty CSV" in str(reason):  # names, and not a single row
            return pa.table({name: pa.array([], pa.string()) for name in names})
        raise explain_line(path, text, delimiter, len(names), str(reason)) from None


def explain_line(
    path: str, text: str | TextIO, delimiter: str, width: int, reason: str
) -> Exception:
    """Which line is wrong: Arrow does not know, Python's reader does."""
    rows = formats.rows_of(text, delimiter)
    start = 1
    try:
        for row in rows:
            if row and len(row) != width:
                return errors.ragged_line(path, start, width, len(row), delimiter)
            start = rows.line_num + 1
    except csv.Error as error:
        return errors.unreadable_file(path, f"{error} (line {start})")
    return errors.unreadable_file(path, reason)


def find_line(text: str | TextIO, delimiter: str, row: int) -> int:
    """The line on which a row begins, blank lines and line breaks within quotes counted."""
    rows = formats.rows_of(text, delimiter)
    start = 1
    seen = -1
    for cells in rows:
        if cells:
            if seen == row:
                return start
            seen += 1
        start = rows.line_num + 1
    return start


def _judge_strays(
    path: str, typed: dict[str, Typed], options: formats.ReadOptions, line_of: Any
) -> list[str]:
    """Refuse a cell that is not of the kind its column is known to have; tell of columns that are nearly numbers."""
    notices = []
    for name, column in typed.items():
        stray = column.stray
        if stray is None:
            continue
        place = line_of(stray.row)
        kind = options.kinds.get(name)
        if kind is not None:
            raise errors.not_of_kind(path, place, name, stray.value, kind)
        notices.append(
            errors.nearly_numbers(
                path, place, name, stray.value, count=stray.n_others, share=stray.share
            )
        )
    return notices
