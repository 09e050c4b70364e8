"""Kernels of this method."""

from __future__ import annotations

from bayfold.core.kernels import load_on_use

_MODULE_OF = {
    "add_left_out": "left_out",
    "fill_log_ratios": "left_out",
    "score_bins_left_out": "left_out",
    "smooth_points": "smooth",
    "score_joint_widths": "smooth",
}

__all__ = list(_MODULE_OF)

__getattr__ = load_on_use(__name__, _MODULE_OF)
