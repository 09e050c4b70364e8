"""Dataframes of Dask: partitions that are pandas frames once they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import dask
from dask.delayed import Delayed, delayed

from bayfold import errors
from bayfold.core.frames.sources.parts import (
    find_frame_types,
    find_unsettled,
    is_settled,
    open_partition,
    settle_types,
)
from bayfold.core.frames.sources.streams import StreamSource


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
        schema, open_one = delayed(self.schema), delayed(open_partition, pure=True)
        promised = self._select(columns).to_delayed()
        return [open_one(partition, schema, k) for k, partition in enumerate(promised)]

    def _find_schema(self) -> Any:
        """From the types of the frame or, where they leave open what is in a column, from its cells."""
        frame, look = self._frame, delayed(find_frame_types, pure=True)
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
