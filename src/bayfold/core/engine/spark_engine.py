"""Spark as an engine: partitions of a Spark dataframe, and their results added up on a cluster."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from bayfold.core.engine.engine import Follow
from bayfold.core.engine.kept_rows import StartPart, Step, Stepped
from bayfold.core.engine.partial import ChunkFunction, Partial, reduce_part
from bayfold.core.engine.tree import TreeSum
from bayfold.core.frames.sources import Source
from bayfold.core.frames.sources.chunk import (
    list_rows,
    make_batch,
    name_columns,
    read_batches,
    write_batches,
)
from bayfold.core.frames.sources.open import StreamSource


class SparkSource(StreamSource):
    """The rows of a dataframe, one partition after the other.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    """

    def __init__(self, frame: Any) -> None:
        # here, as in all of the engine: the library is an extra that few have
        from pyspark.sql.pandas.types import to_arrow_schema

        self._frame = frame
        super().__init__(self._collect_in_turn, to_arrow_schema(frame.schema))

    def select(self, columns: Sequence[str]) -> Any:
        """The dataframe with some of its columns, under names that are safe: Spark takes a dot for a field."""
        from pyspark.sql.functions import col

        named = (col(_quote(name)).alias(f"c{k}") for k, name in enumerate(columns))
        return self._frame.select(*named)

    def _collect_in_turn(self, columns: Sequence[str] | None) -> Iterator[Any]:
        """The rows as Arrow batches, here: for who wants them in their order, such as predictions."""
        names = self.names if columns is None else list(columns)
        for row in self.select(names).mapInArrow(write_batches, "batch binary").toLocalIterator():
            yield from name_columns(read_batches(row["batch"]), names)


def _quote(name: str) -> str:
    return "`{}`".format(name.replace("`", "``"))


FAN_IN = 8
"""Sums that one task adds, or the driver at the end: a power of two, so that they are a node of the fixed tree. So few
of some megabytes each fit anywhere, and five levels are enough for 32,768 partitions."""

ROW = "place long, parent long, n_rows long, n_bytes long, content binary"
"""The place of a sum among its level, that of the sum it goes into, what was read for it, and the sum itself, or the
error instead of it."""


class SparkEngine:
    """Partitions of a dataframe in the workers that have them."""

    can_resume = False

    def reduce(
        self,
        function: ChunkFunction,
        source: Source,
        columns: Sequence[str],
        tree: TreeSum,
        follow: Follow,
    ) -> Any:
        """See ``Engine``."""
        assert isinstance(source, SparkSource)
        reduce_one = _ReducePartition(function, source.schema, tuple(columns))
        # kept, so that looking how many there are does not reduce twice
        sums = source.select(columns).mapInArrow(reduce_one, ROW).persist()
        try:
            read = sums.select("n_rows", "n_bytes").collect()
            for row in read:
                follow(row["n_rows"], row["n_bytes"])
            return _collect_total(sums, len(read))
        finally:
            sums.unpersist()

    def keep(
        self,
        function: ChunkFunction,
        source: Source,
        columns: Sequence[str],
        start: StartPart,
        follow: Follow,
    ) -> SparkRows:
        """See ``Engine``."""
        assert isinstance(source, SparkSource)
        keep_one = _KeepPartition(_ReducePartition(function, source.schema, tuple(columns)), start)
        rows = SparkRows(source.select(columns).mapInArrow(keep_one, PART_ROW).persist())
        for row in rows.sizes:
            follow(row["n_rows"], row["n_bytes"])
        return rows


PART_ROW = f"{ROW}, part binary"
"""A part of the rows beside what the last step returned for it."""


MOST_WAITING_STEPS = 8
"""Steps that are run again in each job before their outcome is kept. To keep it is to write all cells, and it makes the
plan longer that Spark goes through for every job: of hundreds of rounds it would take longer than the rounds."""


class SparkRows:
    """Parts of rows as cells of a dataframe that is kept: one that is lost is made again by the steps so far.

    The last few steps wait: each job takes the cells through them on its way.

    Parameters
    ----------
    parts : pyspark.sql.DataFrame
    """

    def __init__(self, parts: Any) -> None:
        self._parts = parts
        self._before: list[Any] = []
        self._waiting: list[Step] = []
        self.sizes = parts.select("n_rows", "n_bytes").collect()
        self._add(parts)

    def update(self, method: str, *args: Any) -> None:
        """See ``KeptRows``."""
        self._waiting.append(Step(method, args))
        if len(self._waiting) >= MOST_WAITING_STEPS:
            self._before.append(self._parts)
            self._parts = self._run(self._waiting).persist()
            self._waiting = []

    def reduce(self, method: str, *args: Any) -> Any:
        """See ``KeptRows``."""
        return self._add(self._run([*self._waiting, Step(method, args, keeps=False)]))

    def step(self, method: str, *args: Any) -> Any:
        """See ``KeptRows``."""
        found = self.reduce(method, *args)  # in a job, parts are copies
        self.update(method, *args)
        return found

    def close(self) -> None:
        """See ``KeptRows``."""
        for parts in (*self._before, self._parts):
            parts.unpersist()

    def _run(self, steps: Sequence[Step]) -> Any:
        run = _StepPartition(tuple(steps))
        return self._parts.select("place", "part").mapInArrow(run, PART_ROW)

    def _add(self, parts: Any) -> Any:
        """The sum of what a step returned, after which the parts before it are not needed any more."""
        total = _collect_total(parts.drop("part"), len(self.sizes))
        while self._before:
            self._before.pop().unpersist()
        return total


def _collect_total(sums: Any, n_sums: int) -> Any:
    """Add level by level on the workers, and the last few sums here."""
    while n_sums > FAN_IN:
        n_sums = -(-n_sums // FAN_IN)
        sums = sums.repartition(n_sums, "parent").mapInArrow(add_neighbours, ROW)
    rows = sorted(sums.select("place", "content").collect(), key=lambda row: row["place"])
    total = _add([pickle.loads(row["content"]) for row in rows])
    if isinstance(total, Exception):
        raise total
    return total.total


@dataclass(frozen=True, eq=False)
class _ReducePartition:
    """The sum of one partition, computed in a worker."""

    function: ChunkFunction
    schema: Any
    columns: tuple[str, ...]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """One row with the sum."""
        yield make_batch(_pack(*self.find(batches)))

    def find(self, batches: Iterable[Any]) -> tuple[int, Partial | Exception]:
        """The place of the partition, and the sum."""
        from pyspark import TaskContext

        context = TaskContext.get()
        place = 0 if context is None else context.partitionId()
        named = name_columns(batches, self.columns)
        part = StreamSource(lambda _: named, self.schema)
        try:
            found: Partial | Exception = reduce_part(self.function, part, self.columns)
        except (
            ValueError,
            TypeError,
        ) as error:  # what is wrong with the rows is wrong at every try
            found = error
        return place, found


@dataclass(frozen=True, eq=False)
class _KeepPartition:
    """What is kept of one partition, made in a worker."""

    read: _ReducePartition
    start: StartPart

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """One row with the part."""
        place, found = self.read.find(batches)
        kept = Stepped(None, found) if isinstance(found, Exception) else self.start(found)
        yield _pack_part(place, kept)


@dataclass(frozen=True, eq=False)
class _StepPartition:
    """Steps with the parts of one partition, made in a worker; what the last one returns is kept."""

    steps: tuple[Step, ...]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """A row for each part."""
        for row in list_rows(batches):
            after = Stepped(pickle.loads(row["part"]), None)
            for step in self.steps:
                after = step(after)
            yield _pack_part(row["place"], after)


def _pack_part(place: int, kept: Stepped) -> Any:
    part = pickle.dumps(kept.part, protocol=5)
    return make_batch(_pack(place, kept.answer) | {"part": [part]})


def add_neighbours(batches: Iterable[Any]) -> Iterator[Any]:
    """The sums of every parent, in the order of their places."""
    rows = sorted(list_rows(batches), key=lambda row: row["place"])
    for parent, children in groupby(rows, key=lambda row: row["parent"]):
        yield make_batch(
            _pack(parent, _add([pickle.loads(child["content"]) for child in children]))
        )


def _add(parts: list[Partial | Exception]) -> Partial | Exception:
    """The sum, or the first error."""
    tree = TreeSum()
    for part in parts:
        if isinstance(part, Exception):
            return part
        tree.add(part)
    return tree.total() or Partial()


def _pack(place: int, content: Partial | Exception) -> dict[str, list[Any]]:
    n_rows, n_bytes = content.size if isinstance(content, Partial) else (0, 0)
    cells = (place, place // FAN_IN, n_rows, n_bytes, pickle.dumps(content, protocol=5))
    names = ("place", "parent", "n_rows", "n_bytes", "content")
    return {name: [cell] for name, cell in zip(names, cells, strict=True)}
