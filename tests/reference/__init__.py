"""Slow, plain twins of every kernel: the same arguments, no numba, nothing clever."""

from tests.reference.aligned_edges import move_to_cells
from tests.reference.column_strips import count_columns, encode_column
from tests.reference.count import count_and_hash, count_codes, count_fractional
from tests.reference.count_numbers import count_numbers
from tests.reference.distinct import count_distinct, cut_by_weight
from tests.reference.encode import encode_columns, encode_rows
from tests.reference.exponential import exponentiate, multiply_add, take_logarithms
from tests.reference.exponentials import score_exponentials, solve_nonnegative, thin_points
from tests.reference.few_values import collect_values
from tests.reference.hashing import (
    add_codes_to_groups,
    add_groups_to_codes,
    add_number_hashes,
    add_to_codes,
    begin_hashes,
    hash_multiples,
    hash_numbers,
    hash_rows,
    mix_and_find,
    mix_hashes,
    number_equal,
    sort_hashes,
)
from tests.reference.known_values import count_unknown
from tests.reference.labels import count_equal_labels, count_labels, mark_used, write_codes
from tests.reference.leaves import estimate_leaves
from tests.reference.mdl import find_mdl_cuts
from tests.reference.mixture import (
    draw_seeds,
    estimate_terms,
    expect_and_sum,
    find_posteriors,
    run_em,
    sum_memberships,
)
from tests.reference.moments import measure_spread, sum_moments, sum_moments_fractional
from tests.reference.pairs import (
    count_pairs,
    score_one_dependence,
    update_other_half,
    update_to_log_given,
)
from tests.reference.posterior import (
    average_cells,
    average_quantiles,
    judge_groups,
    read_means,
    score_squared_error,
)
from tests.reference.score import score_curves, score_interpolated, score_quadratics, score_tables
from tests.reference.smooth import (
    add_left_out,
    fill_log_ratios,
    score_bins_left_out,
    score_joint_widths,
    smooth_points,
)

__all__ = [
    "add_codes_to_groups",
    "add_groups_to_codes",
    "add_left_out",
    "add_number_hashes",
    "add_to_codes",
    "average_cells",
    "average_quantiles",
    "begin_hashes",
    "collect_values",
    "count_and_hash",
    "count_codes",
    "count_columns",
    "count_distinct",
    "count_equal_labels",
    "count_fractional",
    "count_labels",
    "count_numbers",
    "count_pairs",
    "count_unknown",
    "cut_by_weight",
    "draw_seeds",
    "encode_column",
    "encode_columns",
    "encode_rows",
    "estimate_leaves",
    "estimate_terms",
    "expect_and_sum",
    "exponentiate",
    "fill_log_ratios",
    "find_mdl_cuts",
    "find_posteriors",
    "hash_multiples",
    "hash_numbers",
    "hash_rows",
    "judge_groups",
    "mark_used",
    "measure_spread",
    "mix_and_find",
    "mix_hashes",
    "move_to_cells",
    "multiply_add",
    "number_equal",
    "read_means",
    "run_em",
    "score_bins_left_out",
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
    "sort_hashes",
    "sum_memberships",
    "sum_moments",
    "sum_moments_fractional",
    "take_logarithms",
    "thin_points",
    "update_other_half",
    "update_to_log_given",
    "write_codes",
]
