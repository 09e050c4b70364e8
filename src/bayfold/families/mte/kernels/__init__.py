"""Kernels of this method."""

from __future__ import annotations

from bayfold.core.kernels import load_on_use

_MODULE_OF = {
    "score_exponentials": "exponentials",
    "solve_nonnegative": "nonnegative",
    "thin_points": "exponentials",
}

__all__ = list(_MODULE_OF)

__getattr__ = load_on_use(__name__, _MODULE_OF)
