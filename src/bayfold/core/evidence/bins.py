"""The bins of a column for people: labels, bounds and rows of each code, for evidence, reports and plots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from bayfold.core.densities import QuadraticTerm, Term
from bayfold.core.discretize import merge_by_weight, merge_equal_frequency, set_special_apart
from bayfold.core.frames.times import local_time, name_zone
from bayfold.core.kernels.encode import FIRST_BIN, MISSING, UNSEEN
from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn, TextColumn

UNITS = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
"""Of time, in seconds."""

CURVE_BINS = 10
"""A curve is shown in at most this many bins: as many as a person compares at a glance."""

CERTAIN = 10.0
"""Weights beyond are the same to who reads them: odds of 20,000 to 1."""


@dataclass(frozen=True)
class Bins:
    """The bins of a column as they are shown: labels, bounds, and the codes each one covers.

    Attributes
    ----------
    labels : list of str
        MISSING first, then the bins.
    lower, upper : ndarray
        Bounds; NaN for categories and MISSING.
    of_code : ndarray of int
        The bin of each code; UNSEEN has none (-1).
    """

    labels: list[str]
    lower: np.ndarray
    upper: np.ndarray
    of_code: np.ndarray


def describe_bins(
    column_schema: ColumnSchema, term: Term, counts: np.ndarray, shown: np.ndarray | None = None
) -> Bins:
    """The bins of a column under a term; of a curve they are cut where what is shown of each code changes."""
    if isinstance(column_schema, NominalColumn):
        labels = [*column_schema.categories, *(["(other)"] if column_schema.has_other else [])]
        nothing = np.full(len(labels) + 1, np.nan)
        merge = np.arange(len(labels))
        return Bins(["(missing)", *labels], nothing, nothing, _codes(merge))
    if isinstance(column_schema, TextColumn):
        nothing = np.full(2, np.nan)
        return Bins(["(missing)", "(text)"], nothing, nothing, _codes(np.zeros(1, np.int64)))
    end = column_schema.first_special
    own_shown = None if shown is None else shown[:end]
    n_bins = end - FIRST_BIN
    if term.merge is not None:
        merge = term.merge[:n_bins]
    elif column_schema.is_given:
        merge = np.arange(n_bins)
    else:
        merge = _merge_by_counts(counts[FIRST_BIN:end], own_shown)
    cuts = column_schema.edges[np.flatnonzero(np.diff(merge))]
    lower = np.append(-np.inf, cuts)
    upper = np.append(cuts, np.inf)
    labels = [
        name_numbers(column_schema, low, high) for low, high in zip(lower, upper, strict=True)
    ]
    own = _own_values(column_schema, merge)
    if own is not None:
        labels = [_with_unit(column_schema, format_number(v, column_schema.zone)) for v in own]
    labels = ["(missing)", *labels, *map(name_special, column_schema.special)]
    nothing = np.full(len(column_schema.special), np.nan)
    lower = np.concatenate([[np.nan], lower, nothing])
    upper = np.concatenate([[np.nan], upper, nothing])
    return Bins(labels, lower, upper, _codes(set_special_apart(merge, len(nothing))))


def name_special(value: float) -> str:
    """A special code in words.

    >>> name_special(-99.0)
    'code -99'
    """
    return f"code {value:.10g}"


def _merge_by_counts(counts: np.ndarray, shown: np.ndarray | None) -> np.ndarray:
    """The shown bin of each fine bin of a curve: cut where its weight changes, else bins of equally many rows."""
    rows = counts.sum(axis=1)
    if shown is not None and rows.any():
        weights = np.clip(shown[FIRST_BIN:], -CERTAIN, CERTAIN)
        if np.ptp(weights, axis=0).any():
            return merge_by_weight(weights, rows, CURVE_BINS)
    return merge_equal_frequency(rows, CURVE_BINS)


def _own_values(column_schema: NumericColumn, merge: np.ndarray) -> np.ndarray | None:
    """The value of each bin where every bin is one value of a few."""
    if column_schema.values is None or len(column_schema.values) != merge[-1] + 1 or len(merge) < 2:
        return None
    return column_schema.values


def _codes(merge: np.ndarray) -> np.ndarray:
    return np.concatenate([[0, -1], merge + 1])


def name_numbers(column_schema: NumericColumn, low: float, high: float) -> str:
    """The numbers from a lower up to an upper bound in words: of a few whole numbers, these."""
    values = column_schema.values
    is_whole = values is not None and not column_schema.is_time
    if values is None or not is_whole or not (values == np.round(values)).all():
        return _with_unit(column_schema, interval_label(low, high, column_schema.zone))
    return _with_unit(column_schema, whole_label(values, low, high))


def _with_unit(column_schema: NumericColumn, label: str) -> str:
    """The words of a bin with the unit that its numbers were written with."""
    notation = column_schema.notation
    return label if notation is None or not notation.unit else f"{label} {notation.unit}"


def whole_label(values: np.ndarray, low: float, high: float) -> str:
    """The same of the whole numbers that a column has; the outermost bins are open unless they hold one number.

    >>> values = np.array([0.0, 1.0, 2.0, 4.0, 5.0])
    >>> [whole_label(values, *bounds) for bounds in [(-np.inf, 0.5), (0.5, 3.0), (3.0, np.inf)]]
    ['0', '1 to 2', '>= 3']
    """
    inside = values[(values >= low) & (values < high)]
    if len(inside) == 0 or len(inside) == len(values):
        return interval_label(low, high, None)
    if len(inside) == 1:
        return f"{inside[0]:.10g}"
    least, next_bin = (
        np.ceil(low),
        np.ceil(high),
    )  # bounds are those of whole numbers that may come, too
    if np.isneginf(low):
        return f"< {next_bin:.10g}"
    return f">= {least:.10g}" if np.isposinf(high) else f"{least:.10g} to {next_bin - 1:.10g}"


def interval_label(low: float, high: float, zone: str | None) -> str:
    """An interval in words.

    >>> interval_label(0.5, 2.0, None), interval_label(0.0, np.inf, "Asia/Kolkata")
    ('0.5 to 2', '>= 1970-01-01 05:30 Asia/Kolkata')
    """
    if np.isneginf(low) and np.isposinf(high):
        return "any"
    if np.isneginf(low):
        return f"< {format_number(high, zone)}"
    if np.isposinf(high):
        return f">= {format_number(low, zone)}"
    return f"{format_place(low, zone)} to {format_number(high, zone)}"


def format_number(value: float, zone: str | None = None) -> str:
    """A number, or a time given in seconds, in few characters; a time with the name of its zone.

    >>> format_number(0.123456789), format_number(1577836800.0, "")
    ('0.12346', '2020-01-01')
    >>> format_number(1577836800.0, "Europe/Berlin")
    '2020-01-01 01:00 Europe/Berlin'
    """
    text = format_place(value, zone)
    return f"{text} {name_zone(zone)}" if zone else text


def format_place(value: float, zone: str | None = None) -> str:
    """The same without the name of the zone, for who names it elsewhere.

    >>> format_place(1577836800.0, "Europe/Berlin")
    '2020-01-01 01:00'
    """
    if zone is not None:
        return local_time(value, zone).removesuffix(" 00:00:00").removesuffix(":00")
    return f"{value:.5g}" if abs(value) < 1e5 else f"{value:.7g}"


def format_normal(mean: float, sd: float, zone: str | None = None) -> str:
    """A mean with a standard deviation; of times in the largest unit of which it has one.

    >>> format_normal(1577836800.0, 7200.0, "")
    '2020-01-01 ± 2 hours'
    >>> format_normal(1577880000.0, 172800.0, "Europe/Berlin"), format_normal(46330.0, 15769.0)
    ('2020-01-01 ± 2 days', '46330 ± 15769')
    """
    if zone is None:
        is_round = 1e3 <= sd < 1e6  # whole digits are the shorter form
        return (
            f"{format_number(mean)} ± {sd:.0f}" if is_round else f"{format_number(mean)} ± {sd:.3g}"
        )
    name, unit = next((name, unit) for name, unit in UNITS if sd >= unit or unit == 1.0)
    day = local_time(mean, zone).partition(" ")[0]  # hours say nothing where days are spread
    return f"{day if name == 'days' else format_number(mean, zone)} ± {sd / unit:.3g} {name}"


@singledispatch
def describe_basis(
    term: Term, column_schema: ColumnSchema, bins: Bins, codes: np.ndarray, groups: np.ndarray
) -> np.ndarray:
    """The bin of each cell.

    Parameters
    ----------
    term : Term
        As it was estimated, before any calibration.
    column_schema : ColumnSchema
    bins : Bins
    codes : ndarray of shape (n_rows,)
    groups : ndarray
        Labels of the groups.

    Returns
    -------
    words : ndarray of shape (n_rows, n_groups), or (n_rows, 1) where all weights of a cell rest on the same
    """
    by_code = np.array(bins.labels, object)[bins.of_code]
    by_code[UNSEEN] = "(unseen)"
    return by_code[codes][:, None]


@describe_basis.register
def _describe_normal(
    term: QuadraticTerm,
    column_schema: NumericColumn,
    bins: Bins,
    codes: np.ndarray,
    groups: np.ndarray,
) -> np.ndarray:
    """Mean and standard deviation of each group, which the number is compared with; of two groups both."""
    if not term.inverse_sd.all():  # the column holds a single value
        words = ["any"]
    else:
        pairs = zip(term.mean, 1.0 / term.inverse_sd, strict=True)
        words = [format_normal(mean, sd, column_schema.zone) for mean, sd in pairs]
        if len(words) == 2:
            words = [", ".join(f"{g}: {text}" for g, text in zip(groups, words, strict=True))]
    return np.where((codes == MISSING)[:, None], "(missing)", np.array(words, object))
