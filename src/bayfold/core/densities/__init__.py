"""Statistics to terms: each density is a pure function from the statistics of one column."""

from bayfold.core.densities.frequency import Smoothing, estimate_frequencies
from bayfold.core.densities.gaussian import estimate_gaussian
from bayfold.core.densities.kernel import (
    DEFAULT_RANK_WIDTH,
    estimate_kernel,
    estimate_smooth,
    smooth_log_tables,
)
from bayfold.core.densities.table import (
    add_special_codes,
    estimate_nominal,
    estimate_numeric,
    estimate_text,
    tabulate_frequencies,
)
from bayfold.core.densities.terms import (
    CurveTerm,
    InterpolatedTerm,
    PairTerm,
    QuadraticTerm,
    TableTerm,
    Term,
    TextTerm,
)
from bayfold.core.densities.terms.protocol import centre_groups
from bayfold.core.densities.words import WordChoice, WordDensity
