"""The words of an ARFF line, by WEKA's rules.

Commas and blanks separate words, quotes protect them, and `%` starts a comment. A bare `?` is a
missing cell but a quoted one is a value, so a word has to remember whether it was quoted.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, NoReturn

from bayfold import errors

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
        kind, text = match.lastgroup, match[match.lastgroup or 0]
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
