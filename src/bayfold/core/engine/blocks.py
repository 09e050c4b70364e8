"""Row blocks of a fixed size, and in how many threads they are worked on."""

from __future__ import annotations

from numbers import Integral

import joblib

from bayfold.errors import bad_n_jobs

BLOCK_CELLS = 1 << 19
"""Cells per block: the half megabyte of codes stays in the core's cache between encoding, counting and hashing."""


TEXT_ROWS = 1 << 12
"""Rows per block where there are texts: the words of so many messages take some megabytes."""


def block_rows(n_columns: int, n_texts: int = 0) -> int:
    """Rows per block: a power of two that depends on the number of columns alone.

    >>> block_rows(20), block_rows(1), block_rows(1, n_texts=1)
    (16384, 65536, 4096)
    """
    rows = max(BLOCK_CELLS // max(n_columns, 1), 256)
    return int(min(1 << (rows.bit_length() - 1), TEXT_ROWS if n_texts else 1 << 16))


def resolve_threads(n_jobs: int | None) -> int:
    """Number of threads: all cores by default, one inside a joblib worker.

    Negative numbers count from the number of cores, as in joblib.
    """
    if n_jobs == 0 or not (n_jobs is None or isinstance(n_jobs, Integral)):
        raise bad_n_jobs(n_jobs)
    if n_jobs is None:
        backend, _ = joblib.parallel.get_active_backend()
        return 1 if getattr(backend, "nesting_level", 0) else joblib.cpu_count()
    return max(joblib.cpu_count() + 1 + n_jobs, 1) if n_jobs < 0 else n_jobs
