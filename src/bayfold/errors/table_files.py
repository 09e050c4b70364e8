"""What is wrong with a file, and what a reader should know about one that was read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bayfold.errors.kinds import DatasetError, UsageError, few


@dataclass
class _Audience:
    is_at_shell: bool = False


_AUDIENCE = _Audience()


@contextmanager
def on_command_line() -> Iterator[None]:
    """Advice names the options of commands, as long as this lasts, instead of what Python can do."""
    before = _AUDIENCE.is_at_shell
    _AUDIENCE.is_at_shell = True
    try:
        yield
    finally:
        _AUDIENCE.is_at_shell = before


def _advise(at_shell: str, in_python: str) -> str:
    return at_shell if _AUDIENCE.is_at_shell else in_python


def shown_path(path: str) -> str:
    """A path as people know it."""
    return "standard input" if path == "-" else path


def suggest(name: str, known: list[str]) -> str:
    """Names that are close, or the first few of all."""
    folded = {each.casefold(): each for each in reversed(known)}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=3)
    if close:
        return f"Did you mean {' or '.join(repr(folded[each]) for each in close)}?"
    return f"There are {few(known)}." if known else ""


def file_not_found(path: str, near: list[str]) -> UsageError:
    """A path that leads nowhere."""
    name = Path(path).name
    close = difflib.get_close_matches(name, near, n=1)
    hint = f" Did you mean {str(Path(path).with_name(close[0]))!r}?" if close else ""
    return UsageError(f"{path}: the file must exist. Got no such file.{hint}")


def folder_not_file(path: str) -> UsageError:
    """A folder where a file is wanted."""
    return UsageError(f"{path}: must be a file. Got a folder. Name a file in it.")


def output_not_writable(path: str, reason: object) -> UsageError:
    """An output that cannot be made."""
    return UsageError(f"{path}: the output must be writable. Got: {reason}. Choose another path.")


def unknown_output_ending(path: str, endings: list[str]) -> UsageError:
    """A name that promises a format nobody writes."""
    return UsageError(
        f"The name of an output must end in {', '.join(endings)}, or have no ending. Got {path!r}. Choose another "
        "ending; without one the output has the format of the input."
    )


def unknown_file_format(name: str, known: list[str]) -> UsageError:
    """A format nobody reads."""
    return UsageError(f"`--format` must be one of {', '.join(known)}. Got {name!r}.")


def bad_delimiter(delimiter: str) -> UsageError:
    """More than one character between cells."""
    return UsageError(
        f"`--delimiter` must be one character, or tab, comma, semicolon, pipe or space. Got {delimiter!r}."
    )


def bad_decimal(decimal: str | None) -> UsageError:
    """Something else than a point or a comma."""
    return UsageError(f"`--decimal` must be . or , (a point or a comma). Got {decimal!r}.")


def unknown_encoding(encoding: str | None) -> UsageError:
    """An encoding Python does not know."""
    return UsageError(
        f"`--encoding` must be an encoding such as utf-8, cp1252 or latin-1. Got {encoding!r}."
    )


def only_for_duckdb(path: str, found: str) -> UsageError:
    """A table of a file that has only one."""
    return UsageError(
        f"`--table` must go with a DuckDB file. Got {shown_path(path)}, which is {found}. Leave it out."
    )


def database_not_a_stream(path: str) -> UsageError:
    """A database through a pipe."""
    return UsageError(
        f"{shown_path(path)}: a DuckDB database must be a file of its own, not zipped. Give the path of the file."
    )


def no_such_table(path: str, table: str, known: list[str]) -> UsageError:
    """A table a database does not have."""
    return UsageError(
        f"{path}: `--table` must be a table of the database. Got {table!r}. {suggest(table, known)}"
    )


def which_table(path: str, known: list[str]) -> UsageError:
    """A database with several tables, or none."""
    return UsageError(
        f"{path}: one table must be meant. Got {len(known)}: {few(known)}. "
        + _advise("Add `--table NAME` or `--query SQL`.", "Give the result of a DuckDB query.")
        if known
        else f"{path}: the database must have a table. Got none."
    )


def duckdb_not_installed() -> UsageError:
    """A database without the library that reads it."""
    return UsageError(
        "DuckDB files and queries must have duckdb installed. Got no module of that name. Run `pip install duckdb`."
    )


def query_failed(path: str, reason: object) -> DatasetError:
    """What DuckDB says to a query or a file."""
    return DatasetError(f"{shown_path(path)}: DuckDB could not read it. {reason}")


def empty_file(path: str) -> DatasetError:
    """A file without a header."""
    return DatasetError(
        f"{shown_path(path)}: the file must have a line with the names of its columns. Got an empty file."
    )


def no_rows(path: str) -> DatasetError:
    """A header and nothing below it."""
    return DatasetError(f"{shown_path(path)}: the table must have at least one row. Got none.")


def not_text(path: str, line: int) -> DatasetError:
    """Something else than text where CSV is wanted."""
    return DatasetError(
        f"{shown_path(path)}, line {line}: a CSV file must be text. Got binary data. Save a spreadsheet as CSV first. "
        + _advise(
            "Give another format with `--format`, an encoding with `--encoding`.",
            "Read another format or encoding with another library, and give the table.",
        )
    )


def unreadable_file(path: str, reason: object) -> DatasetError:
    """A damaged file, in the words of the library that reads it."""
    return DatasetError(
        f"{shown_path(path)}: the file must be whole and of the format its name says. Got: {reason}"
    )


def bad_encoding(path: str, encoding: str | None, line: int) -> DatasetError:
    """Bytes that mean nothing in an encoding."""
    return DatasetError(
        f"{shown_path(path)}, line {line}: the text must be {encoding}. Got bytes that are not. "
        + _advise(
            "Give the encoding with `--encoding`, such as cp1252 or latin-1.",
            "Write the file in UTF-8, or read it with another library and give the table.",
        )
    )


def repeated_column(
    path: str, line: int | None, name: str, first: int, second: int
) -> DatasetError:
    """Two columns of one name."""
    place = shown_path(path) + (f", line {line}" if line else "")
    return DatasetError(
        f"{place}: column names must differ. Got {name!r} for columns {first} and {second}. Rename one of them."
    )


def names_numbered(path: str, names: list[str]) -> str:
    """Columns of one name."""
    return f"{shown_path(path)}: columns of the same name are numbered: {few([f'{n} (1)' for n in names])} and on."


def ragged_line(path: str, line: int, expected: int, found: int, delimiter: str) -> DatasetError:
    """A line with more or fewer cells than the header."""
    return DatasetError(
        f"{shown_path(path)}, line {line}: a row must have {expected} cells, one per column. Got {found}. "
        f"Cells are told apart by {delimiter!r}{_advise(' (`--delimiter` for another)', '')}; quote a cell in which "
        "that stands."
    )


def open_quote(path: str, line: int) -> DatasetError:
    """A quote that runs to the end of the file."""
    return DatasetError(
        f"{shown_path(path)}, line {line}: every quote must be closed. Got one that is not. Add the closing quote."
    )


_KINDS = {
    "numeric": "a number",
    "whole": "a whole number",
    "time": "a date or time with one way to read it, such as 2021-01-31",
    "boolean": "true or false",
}


def not_of_kind(path: str, line: int | None, column: str, value: str, kind: str) -> DatasetError:
    """A cell that is not what its column was in training."""
    return DatasetError(
        f"{shown_path(path)}, line {line}, column {column!r}: must be {_KINDS[kind]}. Got {value!r}. "
        + _advise(
            "Correct it, or give it with `--missing` if it stands for a missing cell.",
            "Correct it, or leave the cell empty if it stands for a missing one.",
        )
    )


def not_as_above(path: str, line: int, column: str, value: str, kind: str) -> DatasetError:
    """A cell that is not what the first rows of a file that is read in blocks say of its column."""
    return DatasetError(
        f"{path}, line {line}, column {column!r}: must be {_KINDS[kind]}, as the first rows have it. Got {value!r}. "
        + _advise(
            f"Correct it; or add `--missing {value!r}` if it stands for a missing cell, or `--categorical {column}` if "
            "the column holds labels.",
            "Correct it, or give a DuckDB query that says what the column is as the source.",
        )
    )


def _floor_percent(share: float) -> str:
    """Not 100 % where one cell is none."""
    return f"{int(share * 1000) / 10:g} %"


def nearly_numbers(
    path: str, line: int, column: str, value: str, *, count: int, share: float
) -> str:
    """A column of numbers but for a few cells."""
    others = f" and {count - 1} more" if count > 1 else ""
    return (
        f"{shown_path(path)}, line {line}, column {column!r}: taken for categories because of {value!r}{others}; "
        f"{_floor_percent(share)} of the cells are numbers. "
        + _advise(
            f"Add `--missing {value!r}` if that stands for a missing cell.",
            "Leave the cell empty if that stands for a missing one.",
        )
    )


def read_in_encoding(path: str, encoding: str) -> str:
    """A file that is not UTF-8."""
    other = _advise("`--encoding` says otherwise.", "Write it in UTF-8 if that is not right.")
    return f"{shown_path(path)}: not UTF-8, read as {encoding}. {other}"
