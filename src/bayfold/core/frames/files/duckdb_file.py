"""Tables of DuckDB files, and queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.core.frames.files.formats import ReadOptions
from bayfold.core.frames.files.infer_types import type_booleans
from bayfold.core.frames.files.table_file import TableFile

LIST_TABLES = "select table_name from information_schema.tables order by table_name"


def read_duckdb(path: str, options: ReadOptions) -> TableFile:
    """Read a table of a DuckDB file, or what a query finds in it."""
    if not Path(path).is_file():
        raise errors.file_not_found(path, [])
    duckdb = _import_duckdb()
    try:
        with duckdb.connect(path, read_only=True) as database:
            query = options.query or f"select * from {_quote(_find_table(path, database, options))}"
            frame = _to_arrow(database.sql(query))
    except duckdb.Error as reason:
        raise errors.query_failed(path, reason) from None
    return TableFile(path, "duckdb", type_booleans(frame), frame)


def query_frame(path: str, frame: Any, query: str) -> Any:
    """What a query makes of a table that it knows as ``data``."""
    duckdb = _import_duckdb()
    try:
        with duckdb.connect() as database:
            database.register("data", frame)
            return _to_arrow(database.sql(query))
    except duckdb.Error as reason:
        raise errors.query_failed(path, reason) from None


def write_duckdb(path: str, frame: Any, table: str) -> None:
    """Write a new DuckDB file with one table."""
    duckdb = _import_duckdb()
    with duckdb.connect(path) as database:
        database.register("rows_to_write", frame)
        database.execute(f"create table {_quote(table)} as select * from rows_to_write")


def _to_arrow(relation: Any) -> Any:
    import pyarrow as pa

    if relation is None:  # a statement that gives no rows
        return pa.table({})
    return pa.table(relation)


def _find_table(path: str, database: Any, options: ReadOptions) -> str:
    tables = [name for (name,) in database.execute(LIST_TABLES).fetchall()]
    if options.table is not None:
        if options.table not in tables:
            raise errors.no_such_table(path, options.table, tables)
        return options.table
    if len(tables) != 1:
        raise errors.which_table(path, tables)
    return tables[0]


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _import_duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise errors.duckdb_not_installed() from None
    return duckdb
