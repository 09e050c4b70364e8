"""Whether a table fits in memory."""

from __future__ import annotations

import os
import re
from pathlib import Path

from bayfold import errors
from bayfold.cli.failures import say
from bayfold.cli.options import FileOptions

BYTES_PER_BYTE = 12
"""Memory that reading and fitting take per byte of a file: 9 of CSV, 10 of Arrow and 12 of Parquet were measured
(400,000 rows of 8 random floats, whole numbers and two columns of labels; naive Bayes)."""
ZIPPED = 10
"""Bytes of text per byte of its gzip: 2 to 4 were measured for tables of floats, 9 to 25 for tables of few values
(adult 9, satimage 12, kr-vs-kp 19, nursery 25)."""
SHARE = 0.8
"""Of the available memory; the rest is for other programs, which do not stand still."""


def choose_stream(path: str, options: FileOptions, asked: bool | None) -> bool:
    """Whether to read a chunk at a time: as asked for, or because the file would not fit in memory."""
    if asked is not None:
        return asked
    # what goes through a pipe or a query is not on disk to be read twice
    if options.table or options.query or not Path(path).is_file() or _is_database(path, options):
        return False
    size, available = os.path.getsize(path), find_memory()
    factor = BYTES_PER_BYTE * (ZIPPED if path.lower().endswith(".gz") else 1)
    if available is None or size * factor <= SHARE * available:
        return False
    say(errors.reads_in_chunks(path, size, available))
    return True


def _is_database(path: str, options: FileOptions) -> bool:
    from bayfold.core.frames.files.formats import name_format

    return (options.format or name_format(path)) in ("duckdb", None)


def find_memory() -> int | None:
    """Bytes that a program can have without others being put on disk; None where the system does not say."""
    try:
        told = re.search(r"MemAvailable: +([0-9]+) kB", Path("/proc/meminfo").read_text())
        if told:
            return 1024 * int(told[1])
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None
