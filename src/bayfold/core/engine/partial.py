"""What a worker of a cluster does: it reduces its part of the rows to sums, and adds the sums of other parts."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bayfold.core.engine.tree import TreeSum
from bayfold.core.frames.sources import Chunk
from bayfold.core.frames.sources.chunk import cut_chunks, partition_rows


class ChunkFunction(Protocol):
    """What is run over partitions. It can be sent to another process, and runs in any thread.

    Attributes
    ----------
    plain : sequence of str
        Columns of which it wants the cells as they are: labels are made of them for nothing.
    """

    plain: Sequence[str]

    def __call__(self, chunk: Chunk) -> Any:
        """Something that adds up."""

    def learn_from(self, tree: TreeSum) -> None:
        """Take notice of the sums so far, which may save work on later chunks but change no sum."""


class Part(Protocol):
    """Neighbouring rows of a source, which whoever holds the part can read."""

    def chunks(self, columns: Sequence[str]) -> Iterable[Chunk]:
        """Some columns of the rows."""


@dataclass(frozen=True, eq=False)
class Partial:
    """The sum over some neighbouring rows, and how much was read for it.

    Attributes
    ----------
    total : object or None
        None where there was no row.
    n_rows, n_bytes : int
    """

    total: Any = None
    n_rows: int = 0
    n_bytes: int = 0

    def __add__(self, other: Partial) -> Partial:
        """Of the rows of both, those of ``other`` behind those of this one."""
        totals = [part.total for part in (self, other) if part.total is not None]
        total = totals[0] + totals[1] if len(totals) == 2 else next(iter(totals), None)
        return Partial(total, self.n_rows + other.n_rows, self.n_bytes + other.n_bytes)

    @property
    def size(self) -> tuple[int, int]:
        """Rows and bytes, without the sum."""
        return self.n_rows, self.n_bytes


def reduce_part(function: ChunkFunction, part: Part, columns: Sequence[str]) -> Partial:
    """Reduce one part, a partition at a time."""
    function = copy.copy(function)  # it learns from the sums of this part alone
    tree = TreeSum()
    n_rows = 0
    n_bytes = 0
    for chunk in cut_chunks(part.chunks(columns), partition_rows(len(columns))):
        tree.add(function(chunk))
        function.learn_from(tree)
        n_rows = n_rows + chunk.n_rows
        n_bytes = n_bytes + chunk.n_bytes
    return Partial(tree.total(), n_rows, n_bytes)
