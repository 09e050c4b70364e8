"""The bytes of a text file, unzipped and in UTF-8 whatever it is written in."""

from __future__ import annotations

import codecs
import gzip
import io
from pathlib import Path
from typing import IO, Any

from bayfold.core.frames.files.formats import GZIP


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
    """

    def __init__(self, path: str, encoding: str) -> None:
        self._file = open_bytes(path)
        # bytes in UTF-8 are handed on as they are: Arrow checks them
        is_utf8 = codecs.lookup(encoding).name == "utf-8"
        self._decoder = None if is_utf8 else codecs.getincrementaldecoder(encoding)()
        self._waiting = b""
        self.n_quotes = 0

    @property
    def closed(self) -> bool:
        """Whether nothing can be read any more."""
        return self._file.closed

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size) if self._decoder is None else self._recode(size)
        self.n_quotes += data.count(b'"')
        return data

    def _recode(self, size: int) -> bytes:
        """As many bytes as asked for, unless the file ends; what is left over waits for the next time."""
        assert self._decoder is not None
        while len(self._waiting) < size:
            data = self._file.read(size)
            self._waiting += self._decoder.decode(data, final=not data).encode()
            if not data:
                break
        given, self._waiting = self._waiting[:size], self._waiting[size:]
        return given

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Utf8Bytes:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
