"""The one place that decides how kernels are compiled.

``nogil`` lets the engine run blocks in threads. ``parallel=True`` is never used: its default
threading layer aborts the process when two Python threads enter it. ``fastmath`` is never used:
NaN marks a missing cell and infinity an impossible class; fused.py fuses single operations by name.
``error_model="numpy"`` only removes the checks for division by zero.
"""

from __future__ import annotations

from typing import Any

import numba

import bayfold.core.kernels.notice  # noqa: F401  # says when kernels are compiled
from bayfold.core.kernels.cache import enable_cache


def kernel(function: Any) -> Any:
    """Compile a function when it is first called, and keep what was compiled (see cache.py)."""
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    if compiled is not function:  # with NUMBA_DISABLE_JIT it stays what it is
        enable_cache(compiled)
    return compiled


c_function = numba.cfunc
"""Of a signature: what C code can call. It is compiled anew in every process, which takes a blink."""
