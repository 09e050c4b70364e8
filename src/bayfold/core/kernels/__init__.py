"""The numba kernels: arrays in, arrays out, nothing known of schemas or estimators.

numba is imported when a kernel is first used, so that importing bayfold stays cheap.
Every kernel has a slow twin in ``tests/reference`` and a property test that compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_MODULE_OF = {
    "find_left_out_gains": "evidence",
    "count_distinct": "distinct",
    "cut_by_weight": "distinct",
    "encode_rows": "encode",
    "encode_crowded": "encode",
    "encode_columns": "strips",
    "encode_column": "strips",
    "count_columns": "strips",
    "count_numbers": "strips",
    "move_to_cells": "edges",
    "count_codes": "count",
    "count_and_hash": "count",
    "count_fractional": "count",
    "count_unknown": "distinct",
    "centre_evidence": "evidence",
    "find_code_places": "evidence",
    "join_evidence": "evidence",
    "take_odds": "evidence",
    "join_odds": "evidence",
    "collect_values": "distinct",
    "count_labels": "count",
    "count_equal_labels": "count",
    "mark_used": "count",
    "write_codes": "count",
    "measure_spread": "moments",
    "sum_moments": "moments",
    "sum_moments_fractional": "moments",
    "hash_rows": "hashing",
    "hash_numbers": "hashing",
    "hash_multiples": "hashing",
    "mix_hashes": "hashing",
    "begin_hashes": "hashing",
    "mix_and_find": "hashing",
    "add_number_hashes": "hashing",
    "add_to_codes": "hashing",
    "add_groups_to_codes": "hashing",
    "add_codes_to_groups": "hashing",
    "number_equal": "sorting",
    "sort_hashes": "sorting",
    "count_beginnings": "sorting",
    "find_bucket_places": "sorting",
    "scatter_rows": "sorting",
    "find_mdl_cuts": "edges",
    "estimate_rank_odds": "ranks",
    "estimate_concentrations": "shrinkage",
    "smooth_along_ranks": "ranks",
    "score_tables": "score",
    "score_quadratics": "score",
    "score_interpolated": "score",
    "score_curves": "score",
    "judge_groups": "score",
    "read_means": "score",
    "score_squared_error": "score",
    "score_pairs": "count",
    "average_quantiles": "moments",
    "average_cells": "moments",
    "split_texts": "words",
    "copy_cells": "words",
    "hash_cells": "words",
    "copy_words": "words",
    "count_words": "word_counts",
    "take_words": "word_counts",
    "hash_words": "word_counts",
    "sum_words": "word_counts",
    "index_words": "word_scores",
    "find_word_places": "word_scores",
    "score_words": "word_scores",
    "judge_factor": "word_scores",
    "score_left_out_words": "word_scores",
    "leave_out_words": "word_evidence",
    "inform_words": "word_evidence",
    "weigh_words": "word_evidence",
}

__all__ = list(_MODULE_OF)


def load_on_use(package: str, module_of: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package of kernels: finds the module of a kernel by the kernel's name."""

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        kernel = getattr(import_module(f"{package}.{module_of[name]}"), name)
        vars(import_module(package))[name] = kernel  # later look-ups do not come back here
        return kernel

    return load


__getattr__ = load_on_use(__name__, _MODULE_OF)
