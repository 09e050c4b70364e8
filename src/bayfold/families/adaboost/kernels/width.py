"""How many scores kernels of this method sum up at a time; apart, as it must not load numba."""

from __future__ import annotations

SCORES_AT_ONCE = 4
"""As many doubles as fit into a vector register; tables of more groups are padded to a multiple."""
