"""Dataframes of Spark: partitions that come as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bayfold.core.frames.sources.batches import name_columns, read_batches, write_batches
from bayfold.core.frames.sources.streams import StreamSource


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
