"""Kernels of this method."""

from __future__ import annotations

from bayfold.core.kernels import load_on_use

_MODULE_OF = {
    "run_em": "em",
    "estimate_terms": "em",
    "find_posteriors": "em",
    "draw_seeds": "starts",
    "move_to_seed": "starts",
    "sum_memberships": "starts",
}

__all__ = list(_MODULE_OF)

__getattr__ = load_on_use(__name__, _MODULE_OF)
