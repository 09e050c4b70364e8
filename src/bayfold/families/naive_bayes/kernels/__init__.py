"""Kernels of calibration: the choice of bandwidths, and the loss of held-out rows."""

from __future__ import annotations

from bayfold.core.kernels import load_on_use

_MODULE_OF = {
    "curve_held_out": "held_out",
    "curve_odds": "held_out",
    "expect_evidence": "held_out",
    "score_rank_widths": "widths",
    "score_widths_of_many": "widths",
    "weigh_held_out": "held_out",
    "weigh_odds": "held_out",
}

__all__ = list(_MODULE_OF)

__getattr__ = load_on_use(__name__, _MODULE_OF)
