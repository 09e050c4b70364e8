"""Kernels of this method."""

from __future__ import annotations

from bayfold.core.kernels import load_on_use

_MODULE_OF = {
    "boost_rounds": "rounds",
    "arrange_codes": "dealing",
    "count_turns": "dealing",
    "deal_in_turn": "dealing",
    "catch_up": "moving",
    "tabulate_pair": "tables",
    "add_column_parts": "tables",
    "count_pair": "tables",
    "score_round": "tables",
    "purify_table": "tables",
    "count_parts": "splits",
    "sum_category_gains": "splits",
    "add_category_evidence": "splits",
    "screen_pairs": "tables",
    "cut_runs": "tables",
    "count_pulls": "kept",
    "sum_left_out": "kept",
    "find_packed_split": "kept",
    "sum_in_cells": "cells",
    "add_from_cells": "cells",
}

__all__ = list(_MODULE_OF)

__getattr__ = load_on_use(__name__, _MODULE_OF)
