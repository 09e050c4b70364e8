"""A source in parts that can be read apart, each in another process or on another machine."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from bayfold import errors
from bayfold.core.frames.sources.chunk import Chunk
from bayfold.core.frames.sources.many_files import FileSource
from bayfold.core.frames.sources.open import StreamSource
from bayfold.core.frames.sources.types import is_text, unite_types


@dataclass(frozen=True, eq=False)
class FilePart:
    """Neighbouring rows of files.

    Attributes
    ----------
    source : FileSource
        Of the files they are in, and of no others.
    skip : int
        Rows of it that stand before them.
    n_rows : int or None
        How many they are; None for all that follow.
    """

    source: FileSource
    skip: int = 0
    n_rows: int | None = None

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """Some columns of the rows."""
        left = self.n_rows
        for chunk in self.source.chunks(columns, self.skip):
            if left is None or chunk.n_rows < left:
                yield chunk
                left = None if left is None else left - chunk.n_rows
                continue
            n_bytes = chunk.n_bytes * left // max(chunk.n_rows, 1)
            yield Chunk(chunk.data.slice(0, left), n_bytes)
            return


def split_files(source: FileSource, n_rows: int, n_parts: int) -> list[FilePart]:
    """The rows of files in parts.

    Parameters
    ----------
    source : FileSource
    n_rows : int
        Rows of a partition. Where files say how many rows they have, a part is a number of partitions that is a power
        of two, so that its sum is a node of the tree over all partitions, however many parts there are.
    n_parts : int
        About how many parts are wanted.
    """
    pieces = source.pieces
    if source.n_rows is None:
        return [FilePart(source.only([piece])) for piece in pieces]
    ends = list(accumulate(piece.n_rows or 0 for piece in pieces))
    longest = max((piece.n_rows or 0 for piece in pieces), default=0)
    # whoever begins in the middle of a row group reads what stands before: at most as much again
    wanted = max(source.n_rows // max(n_parts, 1), longest, 1)
    size = n_rows << max(-(-wanted // n_rows) - 1, 0).bit_length()
    parts = []
    for start in range(0, source.n_rows, size):
        first = bisect_right(ends, start)
        last = bisect_left(ends, start + size)
        n_before = ends[first - 1] if first else 0
        needed = source.only(pieces[first : last + 1])
        parts.append(FilePart(needed, start - n_before, size))
    return parts


def open_partition(frame: Any, schema: Any, number: int) -> StreamSource:
    """One partition of a distributed dataframe, which is a pandas frame, in the types of all."""
    import pyarrow as pa

    def read(columns: Sequence[str] | None) -> list[Any]:
        names = schema.names if columns is None else list(columns)
        return [_read_columns(frame, pa.schema([schema.field(n) for n in names]), number)]

    return StreamSource(read, schema, len(frame))


def _read_columns(frame: Any, schema: Any, number: int) -> Any:
    import pyarrow as pa

    arrays = []
    name_of = {str(name): name for name in frame.columns}  # of whole numbers, too
    for field in schema:
        try:
            cells = pa.Array.from_pandas(frame[name_of[field.name]])
            arrays.append(_bring_to_type(cells, field.type))
        except (pa.ArrowException, ValueError, TypeError) as reason:
            raise errors.bad_partition(number, field.name, field.type, reason) from reason
    return pa.table(arrays, schema=schema)


def _bring_to_type(cells: Any, t: Any) -> Any:
    """Cells in the type of the source; partitions may have categories, or whole numbers, of their own."""
    import pyarrow as pa

    if not pa.types.is_dictionary(t) or not pa.types.is_dictionary(cells.type):
        return cells if cells.type == t else cells.cast(t)
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    labels = whole.dictionary.cast(t.value_type)
    return pa.DictionaryArray.from_arrays(whole.indices.cast(t.index_type), labels)


def find_frame_types(frame: Any) -> Any:
    """The Arrow schema of a pandas frame."""
    import pyarrow as pa

    return pa.schema([(str(name), _type_of(str(name), frame[name])) for name in frame.columns])


def _type_of(name: str, column: Any) -> Any:
    import pyarrow as pa

    try:
        t = pa.Array.from_pandas(column).type
    except (pa.ArrowException, ValueError, TypeError) as reason:  # objects of several types
        raise errors.mixed_column(name, reason) from reason
    if pa.types.is_dictionary(t):
        return pa.dictionary(pa.int32(), pa.string() if is_text(t) else t.value_type)
    return t


def find_unsettled(schema: Any) -> list[str]:
    """The columns of which no cell has said what they hold."""
    import pyarrow as pa

    return [field.name for field in schema if pa.types.is_null(field.type)]


def settle_types(schema: Any, found: Iterable[Any]) -> Any:
    """The schema with the types that other partitions show of unsettled columns; where none does, they are empty."""
    for partition in found:
        for field in partition:
            place = schema.get_field_index(field.name)
            common = unite_types(schema.field(place).type, field.type)
            if common is None:
                first = ("some partitions", schema.field(place).type)
                other = ("others", field.type)
                raise errors.types_differ(field.name, first, other)
            schema = schema.set(place, field.with_type(common))
    return schema


def is_settled(frame: Any) -> bool:
    """Whether the types of an empty pandas frame say what its columns hold."""
    kinds = [str(dtype) for dtype in frame.dtypes]
    return not any(kind in ("object", "category") for kind in kinds)
