"""ARFF files as sources: header, rows, quoted labels."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from bayfold import errors
from bayfold.core.frames.output import Categories
from bayfold.core.frames.sources.chunk import name_place

_WORD = re.compile(
    r"""
      '(?P<single>(?:[^'\\]|\\.)*)'
    | "(?P<double>(?:[^"\\]|\\.)*)"
    | (?P<comment>%.*)
    | (?P<brace>[{}])
    | (?P<bare>[^\s,'"%{}]+)
    | (?P<open_quote>['"].*)
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class Place(NamedTuple):
    """Where in a file something is wrong."""

    path: Path
    line: int

    def refuse(self, rule: str, value: object = None, **details: object) -> NoReturn:
        """Raise the error that names this place and the broken rule."""
        raise errors.bad_arff(f"{self.path}:{self.line}", rule, value, **details)


class Word(NamedTuple):
    """One word of a line; a brace outside quotes is a word of its own."""

    text: str
    quoted: bool

    @property
    def is_missing(self) -> bool:
        """Whether the word stands for a missing cell."""
        return self == ("?", False)

    def is_brace(self, brace: str) -> bool:
        """Whether the word is this brace, outside quotes."""
        return self == (brace, False)


def split_words(line: str, place: Place) -> list[Word]:
    """Split a line into words, leaving out a comment at its end."""
    words = []
    for match in _WORD.finditer(line):
        kind = match.lastgroup
        text = match[match.lastgroup or 0]
        if kind == "comment":
            break
        if kind == "open_quote":
            place.refuse("quote", text)
        quoted = kind in ("single", "double")
        words.append(Word(_unescape(text) if quoted else text, quoted))
    return words


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text)


_NUMERIC = ("numeric", "real", "integer")

Cell = str | None  # None is a missing cell
NumberedLine = tuple[int, str]

_TEXT_PIECE = 1 << 20  # bytes looked at together when the encoding is found


@dataclass(frozen=True)
class Attribute:
    """One declared column; `labels` are those of a nominal one, `kind` is lower case."""

    name: str
    kind: str
    labels: tuple[str, ...] = ()


def find_encoding(path: Path) -> str:
    """UTF-8, or what files from before Unicode use."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        try:
            while piece := file.read(_TEXT_PIECE):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "latin-1"
    return "utf-8-sig"


def content_lines(lines: Iterable[str]) -> Iterator[NumberedLine]:
    """Give the lines that hold something, with their numbers from 1."""
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if line and line[0] != "%":
            yield number, line


def read_header(lines: Iterator[NumberedLine], path: Path) -> list[Attribute]:
    """Read the declarations and stop after the line `@data`."""
    attributes: dict[str, Attribute] = {}
    place = Place(path, 1)
    for number, line in lines:
        place = Place(path, number)
        keyword, *rest = line.split(maxsplit=1)
        if keyword.lower() == "@data":
            return list(attributes.values()) or place.refuse("no attributes")
        if keyword.lower() == "@attribute":
            attribute = _read_attribute(split_words("".join(rest), place), line, place)
            if attribute.name in attributes:
                place.refuse("repeated name", attribute.name)
            attributes[attribute.name] = attribute
        elif keyword.lower() != "@relation":
            place.refuse("header", line)
    return place.refuse("no data")


def _read_attribute(words: list[Word], line: str, place: Place) -> Attribute:
    if len(words) < 2:
        place.refuse("no type", line)
    name = words[0].text
    kind = words[1].text
    rest = words[2:]
    if words[1].is_brace("{"):
        return Attribute(name, "nominal", _read_labels(name, rest, line, place))
    if kind.lower() in _NUMERIC:
        return Attribute(name, "numeric")
    if kind.lower() == "string":
        return Attribute(name, "string")
    return place.refuse("type", kind, name=name)


def _read_labels(name: str, words: list[Word], line: str, place: Place) -> tuple[str, ...]:
    if not words or not words[-1].is_brace("}"):
        place.refuse("brace", line, name=name)
    labels = tuple(word.text for word in words[:-1])
    if len(set(labels)) < len(labels):
        place.refuse("repeated value", labels, name=name)
    return labels


def read_columns(lines: Iterator[NumberedLine], path: Path) -> dict[str, np.ndarray | Categories]:
    """All columns of a file, in the order of their declarations."""
    attributes = read_header(lines, path)
    line_numbers: list[int] = []
    rows: list[Sequence[Cell]] = []
    for number, line in lines:
        line_numbers.append(number)
        rows.append(split_row(number, line, len(attributes), path))
    # One pass turns rows into columns; without rows there is nothing to turn.
    cells = zip(*rows, strict=True) if rows else [()] * len(attributes)
    return {
        attribute.name: make_column(attribute, column, line_numbers, path)
        for attribute, column in zip(attributes, cells, strict=True)
    }


def split_row(number: int, line: str, n_attributes: int, path: Path) -> Sequence[Cell]:
    """The cells of a row, one per attribute."""
    row = _split_plain_row(line)
    if row is None or len(row) != n_attributes:
        row = _split_row(line, n_attributes, Place(path, number))
    return row


def _split_plain_row(line: str) -> list[Cell] | None:
    """Split a row without quotes, comments or braces: most rows, and ten times faster."""
    if "'" in line or '"' in line or "%" in line or "{" in line:
        return None
    return [None if (cell := part.strip()) == "?" else cell for part in line.split(",")]


def _split_row(line: str, n_attributes: int, place: Place) -> list[Cell]:
    words = split_words(line, place)
    if words and words[0].is_brace("{"):
        place.refuse("sparse", line)
    if len(words) != n_attributes:
        place.refuse("length", line, expected=n_attributes, found=len(words))
    return [None if word.is_missing else word.text for word in words]


def make_column(
    attribute: Attribute, cells: Sequence[Cell], line_numbers: list[int], path: Path
) -> np.ndarray | Categories:
    if attribute.kind == "numeric":
        return _make_numbers(attribute, cells, line_numbers, path)
    labels = attribute.labels
    if attribute.kind == "string":  # nothing is declared: values in order of appearance
        labels = tuple(dict.fromkeys(cell for cell in cells if cell is not None))
    code_of: dict[Cell, int] = {label: code for code, label in enumerate(labels)}
    code_of[None] = -1
    codes = [code_of.get(cell) for cell in cells]
    if None in codes:
        row = codes.index(None)
        place = Place(path, line_numbers[row])
        place.refuse("undeclared", cells[row], name=attribute.name, labels=list(labels))
    return Categories(np.array(codes, dtype=np.int32), labels)


def _make_numbers(
    attribute: Attribute, cells: Sequence[Cell], line_numbers: list[int], path: Path
) -> np.ndarray:
    try:
        return np.array(cells, dtype=np.float64)  # None becomes NaN
    except ValueError:
        row = next(row for row, cell in enumerate(cells) if not _is_number(cell))
        place = Place(path, line_numbers[row])
        return place.refuse("number", cells[row], name=attribute.name)


def _is_number(cell: Cell) -> bool:
    try:
        np.float64(cell)
    except ValueError:
        return False
    return True


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

        path = Path(self.path)
        places = [a.name for a in self._attributes]
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
