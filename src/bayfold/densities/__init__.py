"""Statistics to terms: each density is a pure function from the statistics of one column."""

from bayfold.densities.frequency import Smoothing, estimate_frequencies, is_plain_number
from bayfold.densities.gaussian import estimate_gaussian
from bayfold.densities.table import estimate_nominal, estimate_numeric
from bayfold.densities.terms import (
    CurveTerm,
    ExponentialTerm,
    InterpolatedTerm,
    QuadraticTerm,
    TableTerm,
    Term,
)

__all__ = [
    "CurveTerm",
    "ExponentialTerm",
    "InterpolatedTerm",
    "QuadraticTerm",
    "Smoothing",
    "TableTerm",
    "Term",
    "estimate_frequencies",
    "estimate_gaussian",
    "estimate_nominal",
    "estimate_numeric",
    "is_plain_number",
]
