"""Whether a table fits in memory."""

from __future__ import annotations

import os
import re
from pathlib import Path

from bayfold import errors
from bayfold.cli.command import say
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
    size = os.path.getsize(path)
    available = find_memory()
    factor = BYTES_PER_BYTE * (ZIPPED if path.lower().endswith(".gz") else 1)
    if available is None or size * factor <= SHARE * available:
        return False
    say(errors.reads_in_chunks(path, size, available))
    return True


def _is_database(path: str, options: FileOptions) -> bool:
    from bayfold.core.frames.files.formats import name_format

    return (options.format or name_format(path)) in ("duckdb", None)


def find_memory() -> int | None:
    """Bytes that this program can have without others being put on disk; None where the system does not say."""
    found = [bytes_ for bytes_ in (_of_the_machine(), _of_the_container()) if bytes_ is not None]
    return min(found, default=None)


def _of_the_machine() -> int | None:
    try:
        found = re.search(r"MemAvailable: +([0-9]+) kB", Path("/proc/meminfo").read_text())
        if found:
            return 1024 * int(found[1])
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


CONTROL_GROUPS = Path("/sys/fs/cgroup")
OWN_GROUP = Path("/proc/self/cgroup")


def _of_the_container() -> int | None:
    """What is left below the limits of the control groups this process is in: all of them hold, up to the root."""
    try:
        lines = OWN_GROUP.read_text().splitlines()
    except OSError:
        return None
    left: list[int] = []
    for line in lines:
        _, controllers, inside = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        root = CONTROL_GROUPS / controllers
        own = root / inside.lstrip("/")
        # within a container the path is often that outside of it: then the root is its own group
        groups = [own, *own.parents] if own.is_dir() else [root]
        found = (_below_limit(g) for g in groups if g.is_relative_to(root))
        left += [n for n in found if n is not None]
    return min(left, default=None)


def _below_limit(group: Path) -> int | None:
    """Bytes up to the limit of one group, version 2 or 1, where there is one; files that were read can be let go."""
    for limit, usage, cached in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            most, used = ((group / name).read_text().strip() for name in (limit, usage))
            found = re.search(rf"^{cached} ([0-9]+)", (group / "memory.stat").read_text(), re.M)
            return max(int(most) - int(used) + (int(found[1]) if found else 0), 0)
        except (OSError, ValueError):  # no such file, or "max" for no limit
            continue
    return None
