"""Dask as an engine: partitions of a Dask dataframe, and their results added up on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import dask
from dask.delayed import Delayed, delayed

from bayfold import errors
from bayfold.core.engine.engine import Follow
from bayfold.core.engine.kept_rows import StartPart, Step, Stepped
from bayfold.core.engine.partial import ChunkFunction, Partial, reduce_part
from bayfold.core.engine.tree import TreeSum
from bayfold.core.frames.sources import Source
from bayfold.core.frames.sources.chunk import partition_rows
from bayfold.core.frames.sources.many_files import FileSource
from bayfold.core.frames.sources.open import StreamSource
from bayfold.core.frames.sources.parts import (
    find_frame_types,
    find_unsettled,
    is_settled,
    open_partition,
    settle_types,
    split_files,
)


class DaskSource(StreamSource):
    """The rows of a dataframe, one partition after the other.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    """

    def __init__(self, frame: Any) -> None:
        if getattr(frame, "ndim", 0) != 2:
            raise errors.not_a_source(type(frame).__name__)
        names = [str(name) for name in frame.columns]
        if len(set(names)) < len(names):
            raise errors.repeated_columns("the dataframe", names)
        self._frame = frame
        super().__init__(self._compute_in_turn, self._find_schema())

    def parts(self, columns: Sequence[str]) -> list[Delayed]:
        """Each partition, with some of its columns, as a promise of a part that can be read."""
        schema = delayed(self.schema)
        open_one = delayed(open_partition, pure=True)
        promised = self._select(columns).to_delayed()
        return [open_one(partition, schema, k) for k, partition in enumerate(promised)]

    def _find_schema(self) -> Any:
        """From the types of the frame or, where they leave open what is in a column, from its cells."""
        frame = self._frame
        look = delayed(find_frame_types, pure=True)
        if is_settled(frame._meta) or not frame.npartitions:
            return find_frame_types(frame._meta)
        (schema,) = dask.compute(look(frame.partitions[0].to_delayed()[0]))
        unsettled = find_unsettled(schema)
        if not unsettled:
            return schema
        others = self._select(unsettled).to_delayed()[1:]
        return settle_types(schema, dask.compute(*map(look, others)))

    def _select(self, columns: Sequence[str]) -> Any:
        name_of = {str(name): name for name in self._frame.columns}
        return self._frame[[name_of[name] for name in columns]]

    def _compute_in_turn(self, columns: Sequence[str] | None) -> Iterator[Any]:
        """The rows as Arrow tables, here: for who wants them in their order, such as predictions."""
        for part in self.parts(self.names if columns is None else columns):
            (opened,) = dask.compute(part)
            for chunk in opened.chunks(opened.names if columns is None else columns):
                yield chunk.data


PARTS_PER_THREAD = 4
"""Of files: workers that are done early find more to do, and each part is still many partitions long."""


class DaskEngine:
    """Parts on the workers of a cluster.

    Parameters
    ----------
    client : distributed.Client or None
        None: the client that is there, or Dask's own threads.
    """

    can_resume = False

    def __init__(self, client: Any = None) -> None:
        self._client = client or _find_client()

    def reduce(
        self,
        function: ChunkFunction,
        source: Source,
        columns: Sequence[str],
        tree: TreeSum,
        follow: Follow,
    ) -> Any:
        """See ``Engine``."""
        assert tree.n_parts == 0
        source.check_unchanged()
        # one node of the graph: every task refers to it, and it is sent to each worker once
        shared = delayed(function, pure=False, traverse=False)
        reduce_one = delayed(reduce_part, pure=False)
        leaves = [reduce_one(shared, part, list(columns)) for part in self._split(source, columns)]
        if not leaves:
            return None
        for leaf in leaves:
            tree.add(leaf)  # promises add up to a promise, in the same tree
        total = self._compute(leaves, tree.total(), follow)
        source.check_unchanged()
        return total.total

    def keep(
        self,
        function: ChunkFunction,
        source: Source,
        columns: Sequence[str],
        start: StartPart,
        follow: Follow,
    ) -> DaskRows:
        """See ``Engine``."""
        source.check_unchanged()
        shared = delayed(function, pure=False, traverse=False)
        read = delayed(reduce_part, pure=False)
        parts = [read(shared, part, list(columns)) for part in self._split(source, columns)]
        rows = DaskRows(self._client, _apply(start, parts))
        follow(*rows.size)
        source.check_unchanged()
        return rows

    def _split(self, source: Source, columns: Sequence[str]) -> list[Any]:
        if isinstance(source, DaskSource):
            return source.parts(columns)
        assert isinstance(source, FileSource)
        n_threads = sum(self._client.nthreads().values()) if self._client else 1
        wanted = PARTS_PER_THREAD * max(n_threads, 1)
        size = partition_rows(len(columns), source.text_bytes(columns))
        return split_files(source, size, wanted)

    def _compute(self, leaves: list[Delayed], root: Delayed, follow: Follow) -> Partial:
        if self._client is None:
            (total,) = dask.compute(root)
            follow(*total.size)
            return total
        return _follow_futures(self._client, leaves, root, follow)


def _follow_futures(client: Any, leaves: list[Delayed], root: Delayed, follow: Follow) -> Partial:
    """The sum, and meanwhile the sizes of the parts that are done: only those are sent here."""
    from distributed import KilledWorker, as_completed

    find_size = delayed(attrgetter("size"), pure=False)
    futures = client.compute([root, *map(find_size, leaves)])
    try:
        for _, size in as_completed(futures[1:], with_results=True):
            follow(*size)
        return futures[0].result()
    except KilledWorker as reason:
        raise errors.workers_lost(reason) from reason
    finally:
        client.cancel(futures)


STEP_RETRIES = 2
"""Times that a step with a part is tried again after an error: its rows were read before, so what goes wrong is the
machine. A round number."""


class DaskRows:
    """Parts of rows that stay with the workers.

    A part is what the last step made of the one before. The scheduler knows how each was made, so that of a lost worker
    is made again.

    Parameters
    ----------
    client : distributed.Client or None
    parts : list of Delayed
        Of ``Stepped``.
    """

    def __init__(self, client: Any, parts: list[Delayed]) -> None:
        self._client = client
        self._parts = self._hold(parts)
        self.size = self._add(self._parts).size

    def update(self, method: str, *args: Any) -> None:
        """See ``KeptRows``."""
        self._parts = self._hold(_apply(Step(method, args), self._parts))

    def step(self, method: str, *args: Any) -> Any:
        """See ``KeptRows``."""
        self.update(method, *args)
        return self._add(self._parts).total

    def reduce(self, method: str, *args: Any) -> Any:
        """See ``KeptRows``."""
        return self._add(_apply(Step(method, args, keeps=False), self._parts)).total

    def close(self) -> None:
        """See ``KeptRows``."""
        if self._client is not None:
            self._client.cancel(self._parts)
        self._parts = []

    def _hold(self, parts: list[Delayed]) -> list[Delayed]:
        """The parts as promises that are being kept."""
        if self._client is None:
            return list(dask.persist(*parts))
        return self._client.persist(parts, retries=STEP_RETRIES)

    def _add(self, parts: list[Delayed]) -> Partial:
        """The sum of what the last step returned."""
        tree = TreeSum()
        find_answer = delayed(attrgetter("answer"), pure=False)
        for part in parts:
            tree.add(find_answer(part))
        if not parts:
            return Partial()
        if self._client is None:
            return dask.compute(tree.total())[0]
        return _wait_for(self._client, tree.total())


def _apply(function: Callable[[Any], Stepped], parts: list[Any]) -> list[Delayed]:
    """What a function makes of parts; it is sent to each worker once."""
    shared = delayed(function, pure=False, traverse=False)
    run = delayed(run_with_part, pure=False)
    return [run(shared, part) for part in parts]


def run_with_part(function: Callable[[Any], Stepped], part: Any) -> Stepped:
    """Apply a function."""
    return function(part)


def _wait_for(client: Any, promise: Delayed) -> Any:
    """What is promised; cancelled where nobody waits for it any more."""
    from distributed import KilledWorker

    future = client.compute(promise, retries=STEP_RETRIES)
    try:
        return future.result()
    except KilledWorker as reason:
        raise errors.workers_lost(reason) from reason
    finally:
        client.cancel(future)


def _find_client() -> Any:
    """The client that was made last, if there is one; then its library has been imported."""
    distributed = sys.modules.get("distributed")
    try:
        return distributed and distributed.get_client()
    except ValueError:  # nobody has made one
        return None
