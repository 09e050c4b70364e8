"""The one place that decides how kernels are compiled.

``nogil`` lets the engine run blocks in threads. ``parallel=True`` is never used: its default
threading layer aborts the process when two Python threads enter it. ``fastmath`` is never used:
NaN marks a missing cell and infinity an impossible class; fused.py fuses single operations by name.
``error_model="numpy"`` only removes the checks for division by zero.
"""

from __future__ import annotations

import numba

import bayfold.core.kernels.notice  # noqa: F401  # says when kernels are compiled

kernel = numba.njit(cache=True, nogil=True, error_model="numpy")

c_function = numba.cfunc
"""Of a signature: what C code can call. It is compiled anew in every process, which takes a blink."""
