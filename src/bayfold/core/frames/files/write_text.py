"""Write CSV and ARFF, a column at a time: lines are put together by Arrow, not cell by cell."""

from __future__ import annotations

import io
from typing import Any

from bayfold.core.frames.files.formats import CsvDialect


def write_csv(buffer: io.BytesIO, frame: Any, dialect: CsvDialect) -> None:
    """Quotes only where a cell needs them; a missing cell is empty."""
    _encode(buffer, write_csv_text(frame, dialect), dialect)


def write_csv_text(frame: Any, dialect: CsvDialect, with_names: bool = True) -> str:
    """The lines of a table, the first with the names of its columns unless others went before."""
    special = f'["\\r\\n{_escape(dialect.delimiter)}]|^\\s|\\s$'
    cells = [
        _quoted(as_texts(column, dialect.decimal), special, '"', '""') for column in frame.columns
    ]
    header = [_quoted_name(name, dialect.delimiter) for name in frame.column_names]
    return _join_lines([dialect.delimiter.join(header)] if with_names else [], cells, dialect)


def write_arff(buffer: io.BytesIO, frame: Any, dialect: CsvDialect) -> None:
    """Strings become nominal attributes of the values they have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    header = ["@relation bayfold"]
    cells = []
    for name, column in zip(frame.column_names, frame.columns, strict=True):
        if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            kind = "numeric"
            texts = as_texts(column, ".")
        else:
            texts = _quoted(as_texts(column, "."), r"[^A-Za-z0-9_.+-]|^$", "'", "\\'", escape="\\")
            values = sorted(value for value in pc.unique(texts).to_pylist() if value is not None)
            kind = "{" + ",".join(values) + "}"
        header.append(f"@attribute {_arff_name(name)} {kind}")
        cells.append(pc.fill_null(texts, "?"))
    _encode(buffer, _join_lines([*header, "@data"], cells, CsvDialect()), CsvDialect())


def _join_lines(header: list[str], cells: list[Any], dialect: CsvDialect) -> str:
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = header
    if cells and len(cells[0]):
        joined = pc.binary_join_element_wise(
            *(column.cast(pa.large_string()) for column in cells),
            pa.scalar(dialect.delimiter, pa.large_string()),
            null_handling="replace",
            null_replacement="",
        )
        lines = [*header, *joined.to_pylist()]
    return "".join(line + "\n" for line in lines)


def _encode(buffer: io.BytesIO, text: str, dialect: CsvDialect) -> None:
    try:
        buffer.write(text.encode(dialect.encoding))
    except (
        UnicodeEncodeError
    ):  # a class or category that the encoding of the input has no letters for
        buffer.write(text.encode("utf-8"))


def as_texts(column: Any, decimal: str) -> Any:
    """Cells as text; numbers with all their digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    t = column.type
    if pa.types.is_dictionary(t):
        column = column.cast(t.value_type)
    texts = column.cast(pa.string())
    if decimal != "." and pa.types.is_floating(t):
        texts = pc.replace_substring(texts, ".", decimal)
    return texts


def _quoted(texts: Any, special: str, mark: str, doubled: str, escape: str = "") -> Any:
    """Quotes around the cells in which something special stands."""
    import pyarrow.compute as pc

    inner = pc.replace_substring(texts, escape, escape * 2) if escape else texts
    inner = pc.replace_substring(inner, mark, doubled)
    quoted = pc.binary_join_element_wise(mark, inner, mark, "")
    return pc.if_else(pc.match_substring_regex(texts, special), quoted, texts)


def _quoted_name(name: str, delimiter: str) -> str:
    needs = any(c in name for c in (delimiter, '"', "\r", "\n")) or name != name.strip()
    return '"' + name.replace('"', '""') + '"' if needs else name


def _arff_name(name: str) -> str:
    plain = name.replace("_", "").isalnum() and name.isascii()
    return name if plain else "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _escape(delimiter: str) -> str:
    return "\\" + delimiter if delimiter in "|\\^]-" else delimiter
