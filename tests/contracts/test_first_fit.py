"""The kernels that a default fit and predict of a small table compile: a new user waits for each of them.

numba loads from its cache or compiles the kernels that Python calls; both count, so a full cache makes this cheap.
Beside each stands how many functions of this library are lowered for it: itself and all that it calls. A kernel or
function that is added on purpose is added to ``first_fit.json`` by ``python -m tests.contracts.test_first_fit``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

from benchmarks.startup import ESTIMATORS

LISTED = Path(__file__).with_name("first_fit.json")

LIST_KERNELS = """
import gc, json, sys, warnings
warnings.simplefilter("ignore")
from numba.core.dispatcher import Dispatcher
from benchmarks.startup import make_small_table, use

def list_lowered(dispatcher, seen):
    seen.add(dispatcher)
    for name in dispatcher.py_func.__code__.co_names:
        value = dispatcher.py_func.__globals__.get(name)
        if isinstance(value, Dispatcher) and value not in seen:
            list_lowered(value, seen)
    return seen


X, y = make_small_table(sys.argv[1])
use(sys.argv[1], X, y)
called = {}
for found in gc.get_objects():
    if isinstance(found, Dispatcher) and found.py_func.__module__.startswith("bayfold."):
        if found.signatures:
            name = found.py_func.__module__.removeprefix("bayfold.") + "." + found.__name__
            called[name] = {"signatures": len(found.signatures), "functions": len(list_lowered(found, set()))}
print(json.dumps(called, sort_keys=True))
"""


def list_kernels(estimator: str) -> dict[str, dict[str, int]]:
    """Signatures and lowered functions of each kernel; one process fills the cache, a second one reads it."""
    command = [sys.executable, "-c", LIST_KERNELS, estimator]
    for _ in range(2):  # those that a kernel calls have signatures where it is compiled
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_default_fit_compiles_the_listed_kernels_and_no_other(estimator):
    assert list_kernels(estimator) == json.loads(LISTED.read_text())[estimator]


if __name__ == "__main__":
    found = {estimator: list_kernels(estimator) for estimator in ESTIMATORS}
    LISTED.write_text(json.dumps(found, indent=1) + "\n")
