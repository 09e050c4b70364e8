"""Slow, plain twins of every kernel: the same arguments, no numba, nothing clever."""

from tests.reference.count import count_codes, count_fractional
from tests.reference.encode import encode_rows
from tests.reference.hashing import hash_rows
from tests.reference.leaves import estimate_leaves
from tests.reference.mdl import find_mdl_cuts
from tests.reference.moments import sum_moments
from tests.reference.pairs import count_pairs, score_one_dependence
from tests.reference.score import score_interpolated, score_quadratics, score_tables

__all__ = [
    "count_codes",
    "count_fractional",
    "count_pairs",
    "encode_rows",
    "estimate_leaves",
    "find_mdl_cuts",
    "hash_rows",
    "score_interpolated",
    "score_one_dependence",
    "score_quadratics",
    "score_tables",
    "sum_moments",
]
