"""From statistics to a model: everything that depends on a parameter happens here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bayfold.core import densities
from bayfold.core.counts import JointCounts
from bayfold.core.discretize import (
    AUTO,
    DECREASING,
    INCREASING,
    find_wrong_neighbours,
    merge_equal_frequency,
    merge_equal_width,
    merge_mdl,
    merge_monotone,
)
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import NominalColumn, NumericColumn, TextColumn
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.errors import CountErrors
from bayfold.errors import bad_class_weight, bad_priors, is_finite, moments_missing

LARGEST_FACTOR = 1e6
"""On the counts of a group, up or down. Beyond it one row outweighs all rows of most tables, and a group of weight zero
would be known and never predicted."""


@dataclass(frozen=True)
class Settings:
    """How a model is derived from statistics.

    Attributes
    ----------
    methods : mapping of int to str
        For each numeric column ``"smooth"``, ``"kernel"``, ``"mdl"``, ``"equal_frequency"``, ``"equal_width"``,
        ``"gaussian"`` or ``"given"``.
    n_bins : mapping of int to int
        For each discretized column.
    smoothing : Smoothing
    missing_is_value : bool
    variance_floor : float
    priors : None, "laplace", "uniform", array-like, or mapping of group to probability
    group_weights : None, "balanced" or mapping of group to factor
    monotone : mapping of int to str
        For each discretized column whose evidence must be monotone, the direction.
    widths : mapping of int to float
        For each smoothed column how widely, where it is not the default.
    texts : mapping of int to WordDensity
        The words of each column of text, with groups weighted.
    """

    methods: Mapping[int, str]
    n_bins: Mapping[int, int]
    smoothing: densities.Smoothing
    missing_is_value: bool = False
    variance_floor: float = 1e-9
    priors: object = None
    group_weights: object = None
    monotone: Mapping[int, str] = field(default_factory=dict)
    widths: Mapping[int, float] = field(default_factory=dict)
    texts: Mapping[int, densities.WordDensity] = field(default_factory=dict)


def derive_model(counts: JointCounts, settings: Settings) -> NaiveBayesModel:
    """The naive Bayes model of the counts."""
    assert counts.schema is not None
    counts = weigh_groups(counts, settings.group_weights)
    terms = tuple(derive_term(counts, settings, j) for j in range(len(counts.tables)))
    log_prior = log_priors(counts, settings.priors)
    return NaiveBayesModel(
        counts.schema,  # type: ignore[arg-type]
        log_prior,
        terms,
        methods=settings.methods,
        widths=settings.widths,
        errors=CountErrors(settings.smoothing.kind, settings.smoothing.strength),
    )


def derive_term(counts: JointCounts, settings: Settings, j: int) -> densities.Term:
    """The term of one column."""
    assert counts.schema is not None
    column_schema = counts.schema.columns[j]
    table = counts.tables[j]
    smoothing = settings.smoothing
    missing_is_value = settings.missing_is_value
    if isinstance(column_schema, NominalColumn):
        return densities.estimate_nominal(j, table, smoothing, missing_is_value)
    if isinstance(column_schema, TextColumn):
        return densities.estimate_text(j, settings.texts[j], table, smoothing, missing_is_value)
    if settings.methods[j] == "gaussian":
        if j not in counts.moments:
            raise moments_missing(column_schema.name)
        missing = table[MISSING] if missing_is_value else None
        return densities.estimate_gaussian(
            j, column_schema, counts.moments[j], settings.variance_floor, missing, smoothing
        )
    bins = slice(None, column_schema.first_special)
    position = counts.schema.numeric_position[j]
    bounds = float(counts.minimum[position]), float(counts.maximum[position])
    if settings.methods[j] == "kernel":
        return densities.estimate_kernel(
            j, column_schema, bounds, table, smoothing, missing_is_value
        )
    if settings.methods[j] == "smooth":
        width = settings.widths.get(j, densities.DEFAULT_RANK_WIDTH)
        if not len(column_schema.special):
            return densities.estimate_smooth(
                j, column_schema, bounds, table, smoothing, missing_is_value, width
            )
        term = densities.estimate_smooth(
            j, column_schema, bounds, table[bins], smoothing, False, width
        )
        return densities.add_special_codes(term, table, column_schema, smoothing, missing_is_value)
    method = settings.methods[j]
    merge = merge_bins(column_schema, table[bins], bounds, method, settings.n_bins[j])
    direction = settings.monotone.get(j)
    if direction is not None:
        merge = merge_monotone(table[bins][FIRST_BIN:], merge, direction)
    while True:
        term = densities.estimate_numeric(
            j, column_schema, bounds, table, merge, smoothing, missing_is_value
        )
        wrong = find_wrong_bins(term.log_table[bins][FIRST_BIN:], merge, direction)
        if not len(wrong):
            return term
        # smoothing draws bins of few rows further than others, which may then stand against the order
        merge = merge - (merge > wrong[0])


def find_wrong_bins(log_table: np.ndarray, merge: np.ndarray, direction: str | None) -> np.ndarray:
    """The coarse bins whose weight of evidence is against the order beside that of the next one."""
    if direction is None or merge[-1] == 0:
        return np.empty(0, np.int64)
    weights = (log_table[:, 1] - log_table[:, 0])[np.searchsorted(merge, np.arange(merge[-1] + 1))]
    if direction == AUTO:
        direction = find_trend(weights)
    return find_wrong_neighbours(weights, direction)


def find_trend(weights: np.ndarray) -> str:
    """Whether weights of bins rise or fall from the first to the last."""
    return INCREASING if weights[-1] >= weights[0] else DECREASING


def merge_bins(
    column_schema: NumericColumn,
    table: np.ndarray,
    bounds: tuple[float, float],
    method: str,
    n_bins: int,
) -> np.ndarray:
    """Which coarse bin each fine bin goes to."""
    if column_schema.is_given:
        return np.arange(column_schema.n_bins)
    if method == "mdl":
        return merge_mdl(table[FIRST_BIN:])
    if method == "equal_width":
        return merge_equal_width(column_schema, *bounds, n_bins)
    return merge_equal_frequency(table[FIRST_BIN:].sum(axis=1), n_bins)


def weigh_groups(counts: JointCounts, group_weights: object) -> JointCounts:
    """The counts with every group's multiplied by its weight."""
    if group_weights is None:
        return counts
    return counts.scaled(find_group_factors(counts, group_weights))


def find_group_factors(counts: JointCounts, group_weights: object) -> np.ndarray:
    """What the rows of each group are multiplied by; ones for None."""
    if group_weights is None:
        return np.ones(len(counts.groups))
    if isinstance(group_weights, str) and group_weights == "balanced":
        present = counts.totals > 0
        share = counts.n_rows / max(present.sum(), 1)
        return np.where(present, share / np.where(present, counts.totals, 1.0), 1.0)
    if isinstance(group_weights, Mapping):
        unknown = set(group_weights) - set(counts.groups.tolist())
        values = [group_weights.get(group, 1.0) for group in counts.groups.tolist()]
        most = LARGEST_FACTOR
        if not unknown and all(is_finite(v) and 1 / most <= v <= most for v in values):
            return np.array(values, np.float64)
    raise bad_class_weight(group_weights, counts.groups.tolist(), LARGEST_FACTOR)


def log_priors(counts: JointCounts, priors: object = None) -> np.ndarray:
    """Log prior of every group."""
    with np.errstate(divide="ignore"):
        return np.log(_priors(counts, priors))


def _priors(counts: JointCounts, priors: object) -> np.ndarray:
    n_groups = len(counts.groups)
    if priors is None:
        return counts.totals / counts.n_rows
    if isinstance(priors, str) and priors == "laplace":
        return (counts.totals + 1.0) / (counts.n_rows + n_groups)
    if isinstance(priors, str) and priors == "uniform":
        return np.full(n_groups, 1.0 / n_groups)
    if not isinstance(priors, str):
        values = _given_priors(priors, counts.groups.tolist())
        if values is not None:
            return values
    raise bad_priors(priors, counts.groups.tolist())


def _given_priors(priors: object, groups: list) -> np.ndarray | None:
    """The probabilities in the order of the groups, or None if they are none."""
    if isinstance(priors, Mapping):
        if set(priors) != set(groups):
            return None
        priors = [priors[group] for group in groups]
    try:
        values = np.asarray(priors, np.float64)
    except (TypeError, ValueError):
        return None
    valid = values.shape == (len(groups),) and (values >= 0).all() and abs(values.sum() - 1) < 1e-6
    return values / values.sum() if valid else None
