"""The first rows of files, held in memory from one pass to the next: small files are read once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from bayfold.core.frames.sources.chunk import Chunk
from bayfold.core.frames.sources.files import FileSource

MOST_KEPT_BYTES = 1 << 27
"""A quarter of what a fit needs anyway, libraries included: a tenth of the cells of 20 million rows by 15 columns."""


class KeptFiles:
    """A source of files of which the first rows that are read are given once more without being read.

    Files that have changed in between are refused as ever.

    Parameters
    ----------
    files : FileSource
    """

    def __init__(self, files: FileSource) -> None:
        self._files = files
        self._kept: deque[Chunk] = deque()
        self._kept_of: tuple[list[str], list[str]] | None = None
        self._is_whole = False

    @property
    def names(self) -> list[str]:
        """See ``Source``."""
        return self._files.names

    @property
    def n_rows(self) -> int | None:
        """See ``Source``."""
        return self._files.n_rows

    @property
    def n_bytes(self) -> int | None:
        """See ``Source``."""
        return self._files.n_bytes

    def text_bytes(self, columns: Sequence[str]) -> float:
        """See ``Source``."""
        return self._files.text_bytes(columns)

    def identity(self) -> Any:
        """See ``Source``."""
        return self._files.identity()

    def check_unchanged(self) -> None:
        """See ``Source``."""
        self._files.check_unchanged()

    def chunks(
        self, columns: Sequence[str], skip: int = 0, plain: Sequence[str] = ()
    ) -> Iterator[Chunk]:
        """All rows, the first of them kept in the first pass and let go of in the second."""
        asked, is_first = (list(columns), list(plain)), self._kept_of is None
        self._kept_of = self._kept_of or asked
        if is_first and not skip:
            return self._keep(columns, plain)
        if skip or self._kept_of != asked:
            self._kept.clear()
            return self._files.chunks(columns, skip, plain)
        return self._give(columns, plain)

    def _keep(self, columns: Sequence[str], plain: Sequence[str]) -> Iterator[Chunk]:
        room = MOST_KEPT_BYTES
        for chunk in self._files.chunks(columns, plain=plain):
            room -= chunk.data.nbytes
            if room >= 0:
                self._kept.append(chunk)
            found = [chunk]
            del chunk  # who gets a chunk that is not kept is the last to hold it
            yield found.pop()
        self._is_whole = room >= 0

    def _give(self, columns: Sequence[str], plain: Sequence[str]) -> Iterator[Chunk]:
        is_whole, n_given = self._is_whole and bool(self._kept), 0
        while self._kept:
            n_given += self._kept[0].n_rows
            yield self._kept.popleft()
        if not is_whole:
            yield from self._files.chunks(columns, n_given, plain)
