"""Statistics to terms: each density is a pure function from the statistics of one column."""

from bayfold.densities.frequency import Smoothing, as_numbers, estimate_frequencies, is_plain_number
from bayfold.densities.gaussian import estimate_gaussian
from bayfold.densities.kernel import estimate_kernel
from bayfold.densities.rank_kernels import WIDTH, estimate_smooth
from bayfold.densities.table import estimate_nominal, estimate_numeric
from bayfold.densities.tabulate import tabulate
from bayfold.densities.terms import (
    CurveTerm,
    ExponentialTerm,
    InterpolatedTerm,
    PairTerm,
    QuadraticTerm,
    TableTerm,
    Term,
)

__all__ = [
    "WIDTH",
    "CurveTerm",
    "ExponentialTerm",
    "InterpolatedTerm",
    "PairTerm",
    "QuadraticTerm",
    "Smoothing",
    "TableTerm",
    "Term",
    "as_numbers",
    "estimate_frequencies",
    "estimate_gaussian",
    "estimate_kernel",
    "estimate_nominal",
    "estimate_numeric",
    "estimate_smooth",
    "is_plain_number",
    "tabulate",
]
