"""Types of one column that differ from file to file, and what they are read as."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any


def is_text(t: Any) -> bool:
    """Whether an Arrow type holds strings, or indices into a dictionary of strings.

    >>> import pyarrow as pa
    >>> is_text(pa.dictionary(pa.int8(), pa.string())), is_text(pa.int8())
    (True, False)
    """
    from pyarrow import types

    if types.is_dictionary(t):
        return is_text(t.value_type)
    return types.is_string(t) or types.is_large_string(t) or types.is_string_view(t)


def text_columns(schema: Any) -> list[str]:
    """The columns of strings, whose distinct ones are wanted rather than all."""
    return [field.name for field in schema if is_text(field.type)]


def unite_types(a: Any, b: Any) -> Any:
    """The type that holds the cells of both; None where there is none."""
    import pyarrow as pa
    from pyarrow import types

    if a == b or types.is_null(b):
        return a
    if types.is_null(a):
        return b
    if is_text(a) and is_text(b):
        return pa.string()
    numbers = [types.is_integer(t) or types.is_floating(t) or types.is_decimal(t) for t in (a, b)]
    if all(numbers):
        return pa.float64()
    times = [types.is_timestamp(t) or types.is_date(t) for t in (a, b)]
    return pa.timestamp("us") if all(times) else None


def find_labelled(types: dict[str, Any], plain: Sequence[str]) -> frozenset[str]:
    """The columns of text that are read as labels."""
    return frozenset(name for name, t in types.items() if name not in plain and is_text(t))


def bring_to_types(data: Any, types: dict[str, Any], labelled: frozenset[str]) -> Any:
    """The table with every column in the type of the source, and those of ``labelled`` as labels."""
    for place, (name, column) in enumerate(zip(data.column_names, data.columns, strict=True)):
        found = column
        if name in labelled:
            found = as_labels(column)
        elif column.type != types[name]:
            found = column.cast(types[name], safe=False)
        if found is not column:
            data = data.set_column(place, name, found)
    return data


def make_alike(tables: list[Any]) -> list[Any]:
    """Tables of the same columns, each in a type that holds the cells of all: batches of a stream may differ."""
    import pyarrow as pa

    schemas = [table.schema for table in tables]
    if all(schema.equals(schemas[0]) for schema in schemas):
        return tables
    names = schemas[0].names
    types = [reduce(unite_types, (schema.field(name).type for schema in schemas)) for name in names]
    common = pa.schema(list(zip(names, types, strict=True)))
    return [table.cast(common, safe=False) for table in tables]


def as_labels(column: Any) -> Any:
    """Text as 32-bit indices into dictionaries, one per chunk: what parts of a source have in common."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column.cast(pa.string()).dictionary_encode()
    common = pa.dictionary(pa.int32(), pa.string())
    if column.type == common:
        return column
    chunks = [
        pa.DictionaryArray.from_arrays(c.indices.cast(pa.int32()), c.dictionary.cast(pa.string()))
        for c in column.chunks
    ]
    return pa.chunked_array(chunks, common)
