"""Kernels of this method."""

from __future__ import annotations

from bayfold.core.kernels import load_on_use

_MODULE_OF = {
    "estimate_leaves": "leaves",
    "count_nodes": "nodes",
    "open_children": "nodes",
    "count_routed": "nodes",
    "route_rows": "nodes",
    "score_tree": "leaves",
    "weigh_splits": "gain_ratio",
    "score_left_out": "leaves",
}

__all__ = list(_MODULE_OF)

__getattr__ = load_on_use(__name__, _MODULE_OF)
