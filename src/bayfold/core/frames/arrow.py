"""Anything that speaks the Arrow PyCapsule interface: polars, pyarrow, DuckDB, and more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bayfold.core.frames.columns import (
    Column,
    LabelColumn,
    NullColumn,
    NumberColumn,
    StringColumn,
    number_column,
)
from bayfold.core.frames.labels import drop_unused, label_of, merge_equal_labels, read_dictionary
from bayfold.core.frames.strings import Strings
from bayfold.core.frames.table import Table, check_names
from bayfold.core.frames.times import seconds
from bayfold.core.threads import map_in_threads
from bayfold.errors import cell_type_error, damaged_arrow, not_arrow, not_two_dimensional


def read_arrow(X: Any, n_threads: int = 1) -> Table:
    """Read an object with ``__arrow_c_stream__`` or ``__arrow_c_array__``."""
    import pyarrow as pa

    _refuse_objects(X)
    try:
        data = X if isinstance(X, pa.Table) else pa.table(X)
    except pa.ArrowInvalid as error:
        if "non-struct" in str(error):  # a single column without a name
            raise not_two_dimensional(1) from error
        raise not_arrow(error) from error
    return read_checked(check_arrow(data), n_threads)


def read_checked(data: Any, n_threads: int = 1) -> Table:
    """Read a pyarrow Table whose memory was made here, or has passed ``check_arrow``."""
    names = check_names(data.column_names)
    columns = map_columns(arrow_column, data.column_names, data.columns, n_threads)
    return Table(columns, data.num_rows, names)


def check_arrow(data: Any) -> Any:
    """A pyarrow Table or ChunkedArray from outside, once it is known to keep the rules of its types."""
    import pyarrow as pa

    try:
        return clean_arrow(data)
    except (pa.ArrowInvalid, UnicodeDecodeError) as reason:
        raise damaged_arrow(reason) from reason


def clean_arrow(data: Any) -> Any:
    """The same in the words of Arrow, for readers that say of which file they are.

    Arrow and the kernels follow offsets and indices without a look: beyond their buffers the interpreter crashes.
    Numbers without missing cells cost nothing; strings are read once.
    """
    import pyarrow as pa

    data.validate(full=True)
    if isinstance(data, pa.ChunkedArray):
        return _without_stray_views(data)
    check_decodable(data.schema)
    for place, column in enumerate(data.columns):
        cleaned = _without_stray_views(column)
        if cleaned is not column:
            data = data.set_column(place, data.schema.field(place), cleaned)
    return data


def check_decodable(schema: Any) -> None:
    """Raise UnicodeDecodeError for names and time zones that are not UTF-8."""
    for field in schema:
        _ = field.name, getattr(field.type, "tz", None)


def _without_stray_views(column: Any) -> Any:
    """Views with nothing where cells are missing: anything may stand there, and Arrow's cast follows it."""
    import pyarrow as pa
    from pyarrow import types

    def clean(array: Any) -> Any:
        if types.is_dictionary(array.type):
            if not array.dictionary.null_count:
                return array
            labels = clean(array.dictionary)
            return pa.DictionaryArray.from_arrays(array.indices, labels, ordered=array.type.ordered)
        _, views, *content = array.buffers()
        if not array.null_count or views is None:
            return array
        rows = slice(array.offset, array.offset + len(array))
        kept = np.frombuffer(views, np.int32).reshape(-1, 4)[rows].copy()
        known = array.is_valid()
        kept[~known.to_numpy(zero_copy_only=False)] = 0
        buffers = [pa.array(known).buffers()[1], pa.py_buffer(kept), *content]
        return pa.Array.from_buffers(array.type, len(array), buffers)

    t = column.type.value_type if types.is_dictionary(column.type) else column.type
    if not (types.is_string_view(t) or types.is_binary_view(t)):
        return column
    return pa.chunked_array([clean(chunk) for chunk in column.chunks], column.type)


def _refuse_objects(X: Any) -> None:
    """Columns of Python objects in polars: it hands out their addresses, which Arrow takes for bytes."""
    dtypes = getattr(X, "dtypes", ())
    for name, dtype in zip(X.columns if dtypes else (), dtypes, strict=True):
        if str(dtype) == "Object":
            raise cell_type_error(name, "polars Object")


def map_columns(
    read: Callable[[str, Any], Column], names: Iterable[str], columns: Iterable[Any], n_threads: int
) -> tuple[Column, ...]:
    """Read columns in threads: Arrow lets go of the interpreter while it hashes strings."""
    pairs = zip(names, columns, strict=True)
    return tuple(map_in_threads(lambda pair: read(*pair), pairs, n_threads))


def arrow_column(name: str, data: Any) -> Column:
    """A pyarrow ChunkedArray as a column."""
    import pyarrow as pa

    data = _as_plain(data)
    t = data.type
    if pa.types.is_null(t):
        return NullColumn(name, len(data))
    if pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_decimal(t):
        return _numbers(name, data)
    if pa.types.is_timestamp(t) or pa.types.is_date(t):
        return _times(
            name, data.cast(_fitting_unit(t), safe=False), zone=getattr(t, "tz", None) or ""
        )
    if pa.types.is_duration(t):
        return _times(name, data)
    if pa.types.is_time(t):
        return number_column(name, _time_of_day(data))
    if pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t):
        return StringColumn(name, Strings.of_arrow(data))
    if _is_label_type(t):
        return label_column(name, data)
    raise cell_type_error(name, str(t))


def _as_plain(data: Any) -> Any:
    """The cells without the wrapping of extension types and run ends."""
    import pyarrow as pa
    import pyarrow.compute as pc

    t = data.type
    if isinstance(t, pa.BaseExtensionType):
        data = pa.chunked_array([chunk.storage for chunk in data.chunks], type=t.storage_type)
        return data.cast(pa.bool_()) if t.extension_name == "arrow.bool8" else _as_plain(data)
    if pa.types.is_run_end_encoded(t):
        return pc.run_end_decode(data)
    return data.cast(pa.large_binary()) if pa.types.is_binary_view(t) else data


def _fitting_unit(t: Any) -> Any:
    """Timestamps in a unit that neither overflows nor is finer than seconds in a float are."""
    import pyarrow as pa

    unit = "s" if pa.types.is_date(t) else t.unit
    return pa.timestamp("us" if unit == "ns" else unit)


def _is_label_type(t: Any) -> bool:
    from pyarrow import types

    tests = (
        types.is_boolean,
        types.is_binary,
        types.is_large_binary,
        types.is_fixed_size_binary,
    )
    if types.is_dictionary(t):
        return not types.is_nested(t.value_type)
    return any(test(t) for test in tests)


def _numbers(name: str, data: Any) -> NumberColumn:
    """Numbers read slice by slice, so that a column with nulls is never copied as a whole."""
    import pyarrow as pa

    if data.num_chunks == 1 and data.null_count == 0 and not pa.types.is_decimal(data.type):
        return number_column(name, data.chunk(0).to_numpy())

    def read(start: int, stop: int) -> np.ndarray:
        piece = data.slice(start, stop - start)
        return piece.cast(pa.float64(), safe=False).to_numpy()

    return NumberColumn(name, read, len(data))


def _times(name: str, data: Any, zone: str | None = None) -> NumberColumn:
    def read(start: int, stop: int) -> np.ndarray:
        return seconds(data.slice(start, stop - start).to_numpy())

    return NumberColumn(name, read, len(data), zone)


def _time_of_day(data: Any) -> np.ndarray:
    import pyarrow as pa

    ticks = data.cast(pa.time64("ns")).cast(pa.int64()).cast(pa.float64())
    return ticks.to_numpy() / 1e9


def label_column(name: str, data: Any) -> LabelColumn:
    """Each distinct label once, and an index per row; labels nobody uses are dropped."""
    import pyarrow as pa

    if not pa.types.is_dictionary(data.type):
        data = data.dictionary_encode()
    is_text = pa.types.is_string(data.type.value_type)
    parts: list[np.ndarray] = []
    cells: list = []
    chunks = _united(data)
    for chunk in chunks:
        found = _indices_of(chunk)
        known = read_dictionary(chunk.dictionary)
        if len(chunks) == 1 and known.are_distinct:  # the list itself, which others know again
            return LabelColumn(name, *drop_unused(found, known.cells))
        parts.append(np.where(found >= 0, found + len(cells), -1) if cells else found)
        cells += known.cells
    indices = parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, np.int32), *parts])
    indices, cells = drop_unused(indices.astype(np.int32, copy=False), cells)
    labels = cells if is_text else [label_of(cell) for cell in cells]
    return LabelColumn(name, *merge_equal_labels(indices, labels))


def _united(data: Any) -> list[Any]:
    """The chunks of a dictionary column, as one if their dictionaries can be united."""
    import pyarrow as pa

    if data.num_chunks <= 1:
        return data.chunks
    try:
        united = data.unify_dictionaries().combine_chunks()
    except pa.ArrowInvalid:  # dictionaries that hold a null are not united
        return data.chunks
    return united.chunks if isinstance(united, pa.ChunkedArray) else [united]


def _indices_of(chunk: Any) -> np.ndarray:
    import pyarrow as pa

    indices = chunk.indices.cast(pa.int32())
    if indices.null_count:
        indices = indices.fill_null(-1)
    return indices.to_numpy(zero_copy_only=False)
