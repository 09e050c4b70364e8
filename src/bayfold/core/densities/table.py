"""Terms that are tables over codes, of nominal columns and discretized numeric ones, or over words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.densities.frequency import Smoothing, estimate_frequencies
from bayfold.core.densities.terms import TableTerm, TextTerm
from bayfold.core.densities.words import WordDensity
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import NumericColumn

LARGEST_FLOAT = float(np.finfo(float).max)


def estimate_nominal(
    column: int, counts: np.ndarray, smoothing: Smoothing, missing_is_value: bool
) -> TableTerm:
    """The term of a nominal column from its counts (codes x groups)."""
    return TableTerm(column, tabulate_frequencies(counts, smoothing, missing_is_value))


def estimate_text(
    column: int,
    density: WordDensity,
    counts: np.ndarray,
    smoothing: Smoothing,
    missing_is_value: bool,
) -> TextTerm:
    """The term of a column of text from its words and the counts of missing and known cells."""
    log_table = np.zeros(counts.shape)
    if missing_is_value:
        log_table = tabulate_frequencies(counts, smoothing, missing_is_value)
    return TextTerm(column, density, log_table)


def estimate_numeric(
    column: int,
    column_schema: NumericColumn,
    bounds: tuple[float, float],
    counts: np.ndarray,
    merge: np.ndarray,
    smoothing: Smoothing,
    missing_is_value: bool,
) -> TableTerm:
    """The term of a numeric column whose fine bins are merged into coarse ones.

    The density is the probability of the coarse bin, spread evenly over its width between
    the smallest and the largest training value (``bounds``). Each special code is a bin, and takes no width.
    """
    log_width = np.log(find_widths(column_schema, merge, *bounds))
    n_special = len(column_schema.special)
    log_width = np.append(log_width, np.zeros(n_special))
    merge = np.append(merge, merge[-1] + 1 + np.arange(n_special)).astype(np.int64)
    n_coarse = int(merge[-1]) + 1
    coarse = np.zeros((n_coarse + FIRST_BIN, counts.shape[1]))
    np.add.at(coarse, merge + FIRST_BIN, counts[FIRST_BIN:])
    coarse[:FIRST_BIN] = counts[:FIRST_BIN]
    log_table = tabulate_frequencies(coarse, smoothing, missing_is_value)
    occurs = coarse[FIRST_BIN:].sum(axis=1) > 0
    log_unit = np.where(occurs, -log_width, 0.0)
    return TableTerm(
        column,
        np.concatenate([log_table[:FIRST_BIN], log_table[FIRST_BIN:][merge]]),
        merge,
        np.concatenate([np.zeros(FIRST_BIN), log_unit[merge]]),
    )


def add_special_codes(
    term: TableTerm,
    counts: np.ndarray,
    column_schema: NumericColumn,
    smoothing: Smoothing,
    missing_is_value: bool,
) -> TableTerm:
    """The term of a column's numbers with how often cells are numbers, special codes and, as a value, missing."""
    bins = slice(FIRST_BIN, column_schema.first_special)
    known = counts[bins].sum(axis=0)
    parts = [counts[MISSING] * missing_is_value, known, *counts[column_schema.first_special :]]
    missing, number, *special = estimate_frequencies(np.stack(parts), smoothing)
    log_table = np.concatenate([term.log_table, np.reshape(special, (-1, counts.shape[1]))])
    log_table[MISSING] = missing
    log_table[bins] += number
    assert term.log_unit is not None
    log_unit = np.append(term.log_unit, np.zeros(len(special)))
    return replace(term, log_table=log_table, log_unit=log_unit)


def find_widths(
    column_schema: NumericColumn, merge: np.ndarray, low: float, high: float
) -> np.ndarray:
    """Width of each coarse bin within the training range; 1 where it has none (a constant column)."""
    return measure_widths(column_schema.edges[np.flatnonzero(np.diff(merge))], low, high)


def measure_widths(cuts: np.ndarray, low: float, high: float) -> np.ndarray:
    """Width of each bin between cuts, within the range from ``low`` to ``high``; 1 where it has none.

    >>> measure_widths(np.array([1.0, 3.0]), 0.0, 4.0)
    array([1., 2., 1.])
    """
    if not high > low:
        return np.ones(len(cuts) + 1)
    bounds = np.empty(len(cuts) + 2)
    bounds[0] = low
    bounds[-1] = high
    np.minimum(np.maximum(cuts, low), high, out=bounds[1:-1])
    with np.errstate(over="ignore"):  # of a range beyond the largest float, that float is the width
        widths = np.minimum(bounds[1:] - bounds[:-1], LARGEST_FLOAT)
    return np.where(widths > 0, widths, 1.0)


def tabulate_frequencies(
    counts: np.ndarray, smoothing: Smoothing, missing_is_value: bool
) -> np.ndarray:
    """Log-frequencies by code and group, of counts of the shape (..., n_codes, n_groups)."""
    log_table = np.zeros(counts.shape)
    if missing_is_value:
        codes = np.r_[MISSING, FIRST_BIN : counts.shape[-2]]
        log_table[..., codes, :] = estimate_frequencies(counts[..., codes, :], smoothing)
    else:
        log_table[..., FIRST_BIN:, :] = estimate_frequencies(counts[..., FIRST_BIN:, :], smoothing)
    return log_table
