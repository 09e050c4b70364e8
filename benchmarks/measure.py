"""Seconds, bytes and slopes."""

from __future__ import annotations

import ctypes
import gc
import os
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

Action = Callable[[], object]
Times = dict[str, list[float]]


def time_once(action: Action) -> float:
    """Seconds of one call. What it returns is freed after the clock has stopped."""
    start = time.perf_counter()
    result = action()
    seconds = time.perf_counter() - start
    del result
    return seconds


def time_interleaved(actions: Mapping[str, Action], repeats: int) -> Times:
    """Seconds of each action in each round; a round calls all of them one after another.

    Whatever slows the machine for a while slows a whole round, and so cancels in the ratios taken
    within it. Every second round runs backwards, so that nobody always follows the same neighbour.
    """
    times: Times = {name: [] for name in actions}
    for k in range(repeats):
        for name in list(actions)[:: -1 if k % 2 else 1]:
            times[name].append(time_once(actions[name]))
    return times


def median_ratio(numerator: Sequence[float], denominator: Sequence[float]) -> float:
    """Median over the rounds of the ratio within a round."""
    return statistics.median(a / b for a, b in zip(numerator, denominator, strict=True))


def best_time(action: Action, repeats: int) -> float:
    """The shortest of several calls, after one that is not counted."""
    action()
    return min(time_once(action) for _ in range(repeats))


def growth_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Slope of log time over log rows by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def peak_resident_bytes(action: Action) -> int | None:
    """By how much resident memory rises at most during a call; None where it cannot be known."""
    gc.collect()
    _return_free_pages()
    if not _reset_peak():
        return _rise_of_lifetime_peak(action)
    before = _status_bytes("VmRSS")
    action()
    return max(_status_bytes("VmHWM") - before, 0)


def peak_traced_bytes(action: Action) -> int:
    """The same as Python's and NumPy's allocators saw it; blind to other native memory."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        action()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def _return_free_pages() -> None:
    """Give freed pages back: reused silently, they would hide what a fit takes."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # other C libraries have no malloc_trim
            ctypes.CDLL(None).malloc_trim(0)


def _reset_peak() -> bool:
    """Set the peak of resident memory back to what is resident now (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _status_bytes(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status must have a line {field}.")


def _rise_of_lifetime_peak(action: Action) -> int | None:
    """Without a reset: too small if the process once held more than now, never too large."""
    if os.name != "posix":
        return None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    action()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit
