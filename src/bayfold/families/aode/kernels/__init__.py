"""Kernels of this method."""

from __future__ import annotations

from bayfold.core.kernels import load_on_use

_MODULE_OF = {
    "count_pairs": "pairs",
    "score_one_dependence": "pairs",
    "update_other_half": "pairs",
    "update_to_log_given": "pairs",
}

__all__ = list(_MODULE_OF)

__getattr__ = load_on_use(__name__, _MODULE_OF)
