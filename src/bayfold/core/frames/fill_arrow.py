"""Gaps of an Arrow table, column by column: every type stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayfold.core.frames.filling import Filling, places, text_of


def fill_arrow(X: Any, fillings: Mapping[int, Filling]) -> Any:
    """A copy of the table with the gaps of some columns, by position, filled."""
    import pyarrow as pa

    table = pa.table(X)
    for j, filling in fillings.items():
        field, data = table.schema.field(j), table.column(j)
        if pa.types.is_dictionary(field.type):
            column = _fill_dictionary(data, filling)
        else:
            field = field.with_type(_kind(field.type, filling))
            # Arrow does not take from views
            kind = pa.string() if pa.types.is_string_view(field.type) else field.type
            whole = pa.concat_arrays([*data.cast(kind).chunks, _values(kind, filling)])
            column = whole.take(pa.array(places(len(data), filling))).cast(field.type)
        table = table.set_column(j, field, column)
    return table


def _kind(kind: Any, filling: Filling) -> Any:
    """The type of the filled column: another one only where the old one has no room."""
    import pyarrow as pa

    if not filling.is_numeric:
        numeric = pa.types.is_floating(kind) or pa.types.is_integer(kind)
        no_room = pa.types.is_null(kind) or (numeric and not filling.fits_numbers)
        return pa.string() if no_room else kind
    if not pa.types.is_null(kind):
        return kind
    return pa.timestamp("us") if filling.is_time else pa.float64()


def _values(kind: Any, filling: Filling) -> Any:
    import pyarrow as pa
    from pyarrow import types

    if types.is_floating(kind):
        return pa.array(filling.numbers()).cast(kind, safe=False)
    if types.is_integer(kind):
        return pa.array(filling.whole_numbers()).cast(kind)
    if types.is_decimal(kind):
        return pa.array(filling.decimals(-kind.scale), kind)
    if types.is_boolean(kind):
        return pa.array(filling.booleans())
    if types.is_temporal(kind):
        ticks = pa.array(filling.microseconds())
        unit = pa.duration("us") if types.is_duration(kind) else pa.timestamp("us")
        return ticks.cast(unit).cast(kind, safe=False)
    return pa.array(filling.labels(), kind)


def _fill_dictionary(data: Any, filling: Filling) -> Any:
    """The same dictionary in the same order, new labels behind it."""
    import pyarrow as pa

    position: dict[str, int] = {}
    cells: list[Any] = []

    def place(cell: Any) -> int:
        if cell is None:
            return -1
        index = position.setdefault(text_of(cell), len(cells))
        if index == len(cells):
            cells.append(cell)
        return index

    parts = [np.empty(0, np.int64)]
    for chunk in data.chunks:
        lookup = np.array([*map(place, chunk.dictionary.to_pylist()), -1], np.int64)
        found = chunk.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        parts.append(lookup[found])
    indices = np.concatenate(parts)
    indices[filling.rows] = [place(label) for label in filling.labels()]
    codes = pa.array(indices, data.type.index_type, mask=indices < 0)
    dictionary = pa.array(cells, data.type.value_type)
    return pa.DictionaryArray.from_arrays(codes, dictionary, ordered=data.type.ordered)
