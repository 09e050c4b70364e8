"""Slow, plain twins of every kernel: the same arguments, no numba, nothing clever."""

from tests.reference.count import count_codes, count_fractional
from tests.reference.encode import encode_rows
from tests.reference.exponentials import score_exponentials, solve_nonnegative, thin_points
from tests.reference.hashing import hash_numbers, hash_rows
from tests.reference.mdl import find_mdl_cuts
from tests.reference.moments import sum_moments
from tests.reference.pairs import count_pairs, score_one_dependence
from tests.reference.posterior import read_means, score_squared_error
from tests.reference.score import (
    score_curves,
    score_interpolated,
    score_quadratics,
    score_tables,
)
from tests.reference.smooth import score_joint_widths, smooth_points

__all__ = [
    "count_codes",
    "count_fractional",
    "count_pairs",
    "encode_rows",
    "find_mdl_cuts",
    "hash_numbers",
    "hash_rows",
    "read_means",
    "score_curves",
    "score_exponentials",
    "score_interpolated",
    "score_joint_widths",
    "score_one_dependence",
    "score_quadratics",
    "score_squared_error",
    "score_tables",
    "smooth_points",
    "solve_nonnegative",
    "sum_moments",
    "thin_points",
]
