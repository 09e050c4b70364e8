"""Formats of table files: how a file is recognised, its dialect, and which options reading has."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from bayfold import errors
from bayfold.core.frames.cells import MISSING


def without_missing(cells: Any, missing: tuple[str, ...]) -> Any:
    """The cells with null for those that spell a missing one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    spellings = pa.array([*{*missing, ""}], pa.string())
    gone = pc.is_in(pc.utf8_trim_whitespace(cells), value_set=spellings)
    return pc.if_else(gone, pa.scalar(None, pa.string()), cells)


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file.

    Attributes
    ----------
    format : {"csv", "parquet", "arrow", "arff", "duckdb"} or None
        By default what the name ends with, or how the file begins.
    delimiter, decimal, encoding : str or None
        Of a CSV file.
    missing : tuple of str
        What stands for a missing cell in a CSV file.
    table, query : str or None
        Of a DuckDB file; a query may also be put to other files, where it finds them as ``data``.
    month_first : bool or None
        Whether 03/04/2025 is in March, where no other cell of its column tells.
    kinds : dict of str to {"numeric", "nominal", "boolean", "time"}
        What columns are known to be; of the others it is inferred.
    """

    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = MISSING
    table: str | None = None
    query: str | None = None
    month_first: bool | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)


FORMATS = ("csv", "parquet", "arrow", "arff", "duckdb")
ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arff": "arff",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
}
GZIP = b"\x1f\x8b"


def check_format(name: str | None) -> None:
    """Refuse a format that is not known."""
    if name is not None and name not in FORMATS:
        raise errors.unknown_file_format(name, list(FORMATS))


def name_format(path: str) -> str | None:
    """The format a name ends with, ``.gz`` aside.

    >>> name_format("sales.CSV.gz"), name_format("sales"), name_format("-")
    ('csv', None, None)
    """
    return ENDINGS.get(Path(without_gz(path)).suffix.lower())


def ending_without_format(path: str) -> str | None:
    """The ending of a name, if it has one that stands for no format.

    >>> ending_without_format("sales.xlsx"), ending_without_format("sales.csv.gz"), ending_without_format("sales")
    ('.xlsx', None, None)
    """
    return None if name_format(path) else Path(without_gz(path)).suffix or None


def without_gz(path: str) -> str:
    """The name without ``.gz``."""
    return path[:-3] if path.lower().endswith(".gz") else path


def recognise(start: bytes) -> str:
    r"""The format of a file by its first bytes; what looks like nothing else is taken for CSV.

    >>> recognise(b"PAR1..."), recognise(b"a,b\n1,2"), recognise(b"% Iris\n@RELATION iris")
    ('parquet', 'csv', 'arff')
    """
    if start[:4] == b"PAR1":
        return "parquet"
    if start[:6] == b"ARROW1" or start[:4] == b"\xff\xff\xff\xff":
        return "arrow"
    if start[8:12] == b"DUCK":
        return "duckdb"
    lines = [line.strip().lower() for line in start.splitlines()]
    content = [line for line in lines if line and not line.startswith(b"%")]
    is_arff = content and content[0].startswith((b"@relation", b"@attribute"))
    return "arff" if is_arff else "csv"


DELIMITERS = (",", ";", "\t", "|")
SNIFFED_BYTES = 1 << 18
"""Of so much of a file the delimiter is read: hundreds of rows even of a thousand columns."""
NAMES = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}


@dataclass(frozen=True)
class CsvDialect:
    """Encoding, delimiter and decimal sign of a CSV file, and whether its dates with slashes begin with the month."""

    encoding: str = "utf-8"
    delimiter: str = ","
    decimal: str = "."
    month_first: bool | None = None


def check_delimiter(delimiter: str) -> str:
    """One character, which may be given by its name."""
    found = NAMES.get(delimiter.lower(), delimiter)
    if len(found) != 1 or found in '"\r\n' or not found.isascii():
        raise errors.bad_delimiter(delimiter)
    return found


def decode(path: str, data: bytes, encoding: str | None, is_whole: bool = True) -> tuple[str, str]:
    """The text of a file, or of its beginning, and its encoding: as given, by its first bytes, UTF-8, or else
    Windows-1252. A file that is UTF-8 but for some bytes is an error that names the line.
    """
    try:
        known = encoding or _find_mark(data)
        if known:
            return codecs.getincrementaldecoder(known)().decode(data, is_whole), known
    except UnicodeError as error:
        raise errors.bad_encoding(path, known, _line_of_byte(data, error)) from None
    except LookupError:
        raise errors.unknown_encoding(known) from None
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data, is_whole), "utf-8"
    except UnicodeDecodeError as error:
        if _is_mostly_utf8(data, is_whole):
            raise errors.bad_encoding(path, "utf-8", _line_of_byte(data, error)) from None
        # Five bytes mean nothing in Windows-1252; Latin-1 has a character for each.
        undefined = any(byte in data for byte in b"\x81\x8d\x8f\x90\x9d")
        other = "latin-1" if undefined else "cp1252"
        return data.decode(other), other


def _is_mostly_utf8(data: bytes, is_whole: bool) -> bool:
    """Whether more characters beyond ASCII are right in UTF-8 than are not: another encoding would spoil those."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data, is_whole)
    n_wrong = text.count("\ufffd")
    n_beyond = len(text) - len(text.encode("ascii", "ignore"))
    return n_beyond > 2 * n_wrong


def _find_mark(data: bytes) -> str | None:
    """The encoding that a byte order mark tells of."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    return "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None


def _line_of_byte(data: bytes, error: UnicodeError) -> int:
    return data.count(b"\n", 0, getattr(error, "start", 0)) + 1


def find_delimiter(text: str) -> str:
    r"""The delimiter that cuts most lines into the same number of cells, and into more than one.

    >>> find_delimiter("a;b\n1,5;2,5\n1,0;3,25\n"), find_delimiter("name\nAnn\n")
    (';', ',')
    """
    sample = text[:SNIFFED_BYTES]
    whole = sample if len(sample) == len(text) else sample[: sample.rfind("\n") + 1] or sample
    return max(DELIMITERS, key=lambda delimiter: _regularity(whole, delimiter))


def _regularity(text: str, delimiter: str) -> tuple[float, int, int]:
    """Share of the lines with the most frequent number of cells, if that is above one, that number, and the lines."""
    lengths: list[int] = []
    with suppress(csv.Error):  # a quote that is never closed: the rows above it tell enough
        lengths.extend(len(row) for row in rows_of(text, delimiter) if row)
    counts = Counter(lengths)
    if not counts:
        return 0.0, 0, 0
    width, frequency = max(counts.items(), key=lambda item: (item[1], item[0]))
    # of two lines a single cell in the header is as good as the rest: the header decides
    share = frequency / len(lengths) if width > 1 and lengths[0] > 1 else 0.0
    return share, width, len(lengths)


def rows_of(text: str | TextIO, delimiter: str, strict: bool = False) -> Any:
    """Python's reader of a text or of a file of text; its ``line_num`` counts lines as an editor does."""
    lines = io.StringIO(text, newline="") if isinstance(text, str) else text
    return csv.reader(_without_comments(lines, delimiter), delimiter=delimiter, strict=strict)


def _without_comments(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    r"""The lines, blank ones for those above the header that begin with ``#``: ``#id,name`` is a header itself.

    >>> list(_without_comments(["# device 12\n", "#id,name\n", "1,#2\n"], ","))
    ['\n', '#id,name\n', '1,#2\n']
    """
    before = ""
    is_above = True
    for line in lines:
        if is_above and before:
            is_last = not line.startswith("#")
            is_header = is_last and line.count(delimiter) == before.count(delimiter) > 0
            yield before if is_header else "\n"
            is_above = not is_header
        is_above = is_above and line.startswith("#")
        before = line if is_above else ""
        if not is_above:
            yield line
    if before:
        yield before
