"""Row blocks of a fixed size, worked on in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import TypeVar

import joblib

from bayfold.errors import bad_n_jobs

BLOCK_CELLS = 1 << 19
"""Cells per block: the half megabyte of codes stays in the core's cache between encoding, counting and hashing."""

T = TypeVar("T")
R = TypeVar("R")


def block_rows(n_columns: int) -> int:
    """Rows per block: a power of two that depends on the number of columns alone.

    >>> block_rows(20), block_rows(1)
    (16384, 65536)
    """
    rows = max(BLOCK_CELLS // max(n_columns, 1), 256)
    return int(min(1 << (rows.bit_length() - 1), 1 << 16))


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


def map_blocks(function: Callable[[T], R], items: Iterable[T], n_threads: int) -> list[R]:
    """Apply ``function`` to every item, in order, in at most ``n_threads`` threads.

    The first error is raised and the items not yet begun are dropped.
    """
    items = list(items)
    n_threads = min(n_threads, len(items))
    if n_threads <= 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()
