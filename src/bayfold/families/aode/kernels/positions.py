"""How cells are numbered; apart from the kernels, so that reading it does not import numba."""

from __future__ import annotations

NOWHERE = -1
"""The position of a cell that says nothing."""
