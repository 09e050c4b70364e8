"""Kernels of this method."""

from __future__ import annotations

from bayfold.core.kernels import load_on_use

_MODULE_OF = {
    "mark_wrong_odds": "votes",
    "mark_wrong_tables": "votes",
    "mark_wrong_scores": "votes",
    "reweigh_rows": "votes",
    "add_votes": "votes",
}

__all__ = list(_MODULE_OF)

__getattr__ = load_on_use(__name__, _MODULE_OF)
