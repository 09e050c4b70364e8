"""Each measurement runs in a process of its own.

So that none inherits another's memory, warm caches or thread pools, and because thread counts
and numba's cache directory can be set only before the libraries are imported.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "POLARS_MAX_THREADS",
    ),
    "1",
)

_NO_MEMORY = re.compile("MemoryError|bad_alloc|out of memory", re.IGNORECASE)


class ChildFailedError(RuntimeError):
    """A measuring process ended with an error.

    Attributes
    ----------
    in_short : str
        What a cell of a table says of it.
    """

    def __init__(self, message: str, in_short: str = "failed") -> None:
        super().__init__(message)
        self.in_short = in_short


class ChildTooLongError(ChildFailedError):
    """A measuring process took longer than it may."""


@dataclass(frozen=True)
class Job:
    """One measurement: ``module:function``, its keyword arguments, its environment, most seconds it may take.

    ``timeout`` is by the clock, ``cpu_timeout`` of the processor, which other load on the machine does not shorten.
    """

    title: str
    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    timeout: float | None = None
    cpu_timeout: int | None = None


def run_job(job: Job) -> Any:
    """Run in a new interpreter; return what the function returned, by way of JSON."""
    command = [sys.executable, "-m", "benchmarks.child", job.function, json.dumps(job.arguments)]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **job.environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=job.timeout,
            preexec_fn=None if job.cpu_timeout is None else partial(_limit_cpu, job.cpu_timeout),
        )
    except subprocess.TimeoutExpired:
        raise _too_long(job, f"more than {job.timeout:g} s") from None
    if done.returncode == -signal.SIGXCPU:
        raise _too_long(job, f"more than {job.cpu_timeout} s of CPU")
    if done.returncode < 0:  # what it said last is no reason
        raise ChildFailedError(f"{job.title}: ended by signal {-done.returncode}", "killed")
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        in_short = "out of memory" if _NO_MEMORY.search(reason[0]) else "failed"
        raise ChildFailedError(f"{job.title}: {reason[0]}", in_short)
    return json.loads(done.stdout.splitlines()[-1])


def _limit_cpu(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def _too_long(job: Job, words: str) -> ChildFailedError:
    return ChildTooLongError(f"{job.title}: {words}", words)


def main() -> None:
    """Call the function named on the command line and print its result as the last line."""
    module, function = sys.argv[1].split(":")
    result = getattr(import_module(module), function)(**json.loads(sys.argv[2]))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
