"""Databases that exported SQL is run in: a frame goes in as the table, rows come back in the order of its key."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import duckdb
import pandas as pd
import pytest

KEY = "row key"


def run_duckdb(sql, frame, table="data", key=KEY):
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.register(table, frame)
        return sort_rows(connection.execute(sql).df(), key)


def run_sqlite(sql, frame, table="data", key=KEY):
    connection = sqlite3.connect(":memory:")
    write_sqlite(connection, frame, table)
    cursor = connection.execute(sql)
    names = [found[0] for found in cursor.description]
    return sort_rows(pd.DataFrame(cursor.fetchall(), columns=names), key)


def write_sqlite(connection, frame, table="data"):
    """A table without declared types, as SQLite keeps whatever a cell is."""
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame.columns)
    connection.execute(f'CREATE TABLE "{table}" ({names})')
    holes = ", ".join("?" * frame.shape[1])
    connection.executemany(f'INSERT INTO "{table}" VALUES ({holes})', plain_rows(frame))


def plain_rows(frame):
    """Rows of Python values; times as text with microseconds, missing cells as None."""
    columns = []
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind == "M":
            column = column.astype(str)
        cells = column.astype(object).tolist()
        columns.append([None if pd.isna(c) or c == "NaT" else c for c in cells])
    return list(zip(*columns, strict=True))


def sort_rows(frame, key=KEY):
    return frame.sort_values(key).reset_index(drop=True)


class Postgres:
    """A server of its own in a temporary folder, reached through a socket there."""

    def __init__(self):
        self.programs = find_programs()
        self.folder = Path(tempfile.mkdtemp(prefix="pg"))
        # the server refuses to run as root
        self.user = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
        if self.user:
            shutil.chown(self.folder, "nobody")
        self._call("initdb", "-D", "data", "-U", "bayfold", "-A", "trust", "-N", "--locale=C.UTF-8")
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off -c timezone=Asia/Tokyo"
        self._call("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start")

    def _call(self, program, *arguments):
        command = [str(self.programs / program), *arguments]
        environment = {**os.environ, "HOME": str(self.folder)}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(command, cwd=self.folder, check=True, env=environment, **quiet, **self.user)

    def stop(self):
        self._call("pg_ctl", "-D", "data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, sql, frame, types, before=()):
        """Rows of the statement over a table with columns of the given types."""
        import psycopg

        with psycopg.connect(host=str(self.folder), user="bayfold", dbname="postgres") as link:
            names = ['"' + name.replace('"', '""') + '"' for name in frame.columns]
            pairs = zip(names, frame.columns, strict=True)
            listed = ", ".join(f"{quoted} {types[name]}" for quoted, name in pairs)
            link.execute("DROP TABLE IF EXISTS data")
            link.execute(f"CREATE TABLE data ({listed})".encode())
            holes = ", ".join(["%s"] * len(names))
            with link.cursor() as cursor:
                cursor.executemany(f"INSERT INTO data VALUES ({holes})", plain_rows(frame))
            for statement in before:
                link.execute(statement)
            cursor = link.execute(sql.encode())
            found = [column.name for column in cursor.description]
            return sort_rows(pd.DataFrame(cursor.fetchall(), columns=found))


def find_programs():
    """Where initdb is; skips with the reason if it is nowhere."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    places = [shutil.which("initdb"), *Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    found = [Path(place) for place in places if place and Path(place).exists()]
    if not found:
        pytest.skip("no PostgreSQL server is installed (initdb was not found)")
    return found[-1].parent
