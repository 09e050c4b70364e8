"""One function over all partitions of a source, the results added up: whoever can do this can train a model.

A partition is a number of neighbouring rows that depends on the number of columns alone, so the tree in which results
are added depends on the rows and on nothing else: not on files, row groups, batches or threads. A cluster, which has no
order of rows, cuts as it likes: sums of whole numbers, samples by content hash and ranges are the same in any cut.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from bayfold.core.engine.kept_rows import KeptRows, RowsHere, StartPart
from bayfold.core.engine.partial import ChunkFunction, Partial
from bayfold.core.engine.tree import TreeSum
from bayfold.core.frames.sources import Chunk, Source
from bayfold.core.frames.sources.chunk import cut_chunks, partition_rows

Follow = Callable[[int, int], None]
"""Called with the rows and bytes of a partition, or of several, once they are in the sum."""


class Engine(Protocol):
    """Where partitions are worked on."""

    can_resume: bool
    """Whether a pass can go on from the sums that another left."""

    def reduce(
        self,
        function: ChunkFunction,
        source: Source,
        columns: Sequence[str],
        tree: TreeSum,
        follow: Follow,
    ) -> Any:
        """The sum of what the function makes of every partition.

        Parameters
        ----------
        function : ChunkFunction
        source : Source
        columns : sequence of str
            Those that the function looks at.
        tree : TreeSum
            Sums to begin with: partitions that are in it already are not read again. Empty for a cluster.
        follow : callable
        """

    def keep(
        self,
        function: ChunkFunction,
        source: Source,
        columns: Sequence[str],
        start: StartPart,
        follow: Follow,
    ) -> KeptRows:
        """What the function makes of the rows stays where it is made.

        Parameters
        ----------
        function : ChunkFunction
        source, columns
            As for ``reduce``.
        start : StartPart
            Makes a part of the sum of neighbouring rows.
        follow : callable
        """


class ThreadEngine:
    """Partitions in threads, while the next ones are read."""

    can_resume = True

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads

    def reduce(
        self,
        function: ChunkFunction,
        source: Source,
        columns: Sequence[str],
        tree: TreeSum,
        follow: Follow,
    ) -> Any:
        """See ``Engine``."""
        size = partition_rows(len(columns), source.text_bytes(columns))
        source.check_unchanged()
        skip = tree.n_parts * size
        chunks = cut_chunks(source.chunks(columns, skip=skip, plain=function.plain), size)
        for n_rows, n_bytes, part in map_in_order(function, chunks, self.n_threads):
            tree.add(part)
            function.learn_from(tree)
            follow(n_rows, n_bytes)
        source.check_unchanged()
        return tree.total()

    def keep(
        self,
        function: ChunkFunction,
        source: Source,
        columns: Sequence[str],
        start: StartPart,
        follow: Follow,
    ) -> KeptRows:
        """See ``Engine``."""
        total = self.reduce(function, source, columns, TreeSum(), follow)
        return RowsHere(start(Partial(total)).part)


def map_in_order(
    function: Callable[[Chunk], Any], chunks: Iterable[Chunk], n_threads: int
) -> Iterator[tuple[int, int, Any]]:
    """Rows, bytes and result of every chunk, in order.

    No more chunks are held than there are threads, the one that is being read included: more would wait, outside of the
    caches, for threads that have no core of their own. With two more, two threads took 2 to 9 % more CPU time.
    """

    def apply(chunk: Chunk) -> tuple[int, int, Any]:
        return chunk.n_rows, chunk.n_bytes, function(chunk)

    # by ``map``, which holds on to no chunk while the next one is read: its memory is used again
    if n_threads == 1:
        yield from map(apply, chunks)
        return
    waiting: deque[Future] = deque()
    with ThreadPoolExecutor(n_threads) as pool:

        def submit(chunk: Chunk) -> Future:
            return pool.submit(apply, chunk)

        try:
            for future in map(submit, chunks):
                waiting.append(future)
                if len(waiting) >= n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
