"""What a source can be asked, whatever it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from bayfold.core.frames.sources.chunk import Chunk


class Source(Protocol):
    """Rows that can be read again and again, in the same order."""

    @property
    def names(self) -> list[str]:
        """The columns, in order."""

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known without reading them."""

    @property
    def n_bytes(self) -> int | None:
        """How many bytes the whole source is read from, where that is known."""

    def chunks(
        self, columns: Sequence[str], skip: int = 0, plain: Sequence[str] = ()
    ) -> Iterator[Chunk]:
        """Some columns of all rows but the first ``skip``; those of ``plain`` in the types of the source."""

    def text_bytes(self, columns: Sequence[str]) -> float:
        """Bytes of the strings of some columns in a row, on average; zero where that is not known without reading."""

    def identity(self) -> Any:
        """What another source must be equal in to be taken for this one; plain enough for JSON."""

    def check_unchanged(self) -> None:
        """Raise if the source is seen to have changed since it was opened."""
