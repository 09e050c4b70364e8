"""Evidence in whole points: curves are cut where their points change, so that rounding is all that is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.densities.terms import CodedForm, Line, ParabolaForm
from bayfold.core.frames.columns import MOST_WHOLE
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.export.plain import PlainColumn

REACH = 6.0
"""Standard deviations from the outermost mean up to which a normal density is followed; a number beyond it, one of
billions, gets the points of this one."""


MOST_SCORECARD_ROWS = 1 << 16
"""Rows of a scorecard for one column, a round number: a curve of more points than that helps nobody who reads it."""


def round_points(values: Any) -> Any:
    """The nearest whole numbers, halves upwards."""
    largest = float(np.abs(values).max(initial=0.0))
    if not largest <= MOST_WHOLE:
        raise errors.points_too_large(largest)
    return np.floor(values + 0.5)


def cut_into_steps(column: PlainColumn, factor: float) -> PlainColumn:
    """The column with a table alone, of points not yet rounded: the evidence in the middle of each step, multiplied."""
    form = column.form
    if isinstance(form, ParabolaForm):
        return replace(column, form=_cut_parabolas(form, factor))
    if form.line is None:
        return replace(column, form=CodedForm(form.edges, factor * form.table))
    return replace(column, form=_cut_lines(form, form.line, factor))


def _cut_lines(form: CodedForm, line: Line, factor: float) -> CodedForm:
    assert form.edges is not None
    starts = np.append(-np.inf, form.edges)
    edges: list[float] = []
    points = [factor * form.table[code, 0] for code in range(FIRST_BIN)]
    for code in range(FIRST_BIN, len(form.table)):
        left = factor * form.table[code, 0]
        rise = factor * line.rises[code, 0]
        edges.append(float(starts[code - FIRST_BIN]))
        shares = _cross_halves(left, left + rise)
        within = line.origins[code] + (line.offsets[code] + shares) / (line.slopes[code] or 1.0)
        edges.extend(within.tolist())
        ends = np.concatenate([[0.0], shares, [1.0]])
        points.extend((left + rise * (ends[1:] + ends[:-1]) / 2).tolist())
    return CodedForm(np.array(edges[1:]), np.array(points)[:, None])


def _cross_halves(left: float, right: float) -> np.ndarray:
    """The shares of the way from left to right at which the nearest whole number changes."""
    low, high = sorted((left, right))
    _check_steps(high - low)
    halves = np.arange(np.floor(low + 0.5) + 0.5, high, 1.0)
    return np.sort((halves - left) / (right - left)) if len(halves) else halves


def _cut_parabolas(form: ParabolaForm, factor: float) -> CodedForm:
    """Steps of the difference of two parabolas, in units in which it is about one wide."""
    wide = np.flatnonzero(form.inverse_sd > 0)
    missing = [factor * form.missing[0], 0.0]
    if len(wide) == 0:
        level = factor * (form.constant[1] - form.constant[0])
        return CodedForm(np.empty(0), np.array([*missing, level])[:, None])
    sd = 1.0 / form.inverse_sd[wide]
    origin = form.mean[wide].mean()
    unit = sd.max()
    mean = (form.mean - origin) / unit
    inverse = form.inverse_sd * unit
    half = inverse**2 / 2
    rise = np.array([-half[1] + half[0], 2 * (half[1] * mean[1] - half[0] * mean[0])])
    level = form.constant[1] - form.constant[0] - half[1] * mean[1] ** 2 + half[0] * mean[0] ** 2
    curve = factor * np.append(rise, level)
    reach = REACH * sd / unit
    low = (mean[wide] - reach).min()
    high = (mean[wide] + reach).max()
    places = _cross_levels(curve, low, high)
    ends = np.concatenate([[low], places, [high]])
    points = np.polyval(curve, (ends[1:] + ends[:-1]) / 2)
    return CodedForm(origin + unit * places, np.array([*missing, *points])[:, None])


def _cross_levels(curve: np.ndarray, low: float, high: float) -> np.ndarray:
    """Where a parabola between two places crosses a half, in increasing order."""
    turn = -curve[1] / (2 * curve[0]) if curve[0] else low
    cuts = np.unique(np.clip([low, turn, high], low, high))
    values = np.polyval(curve, cuts)
    _check_steps(float(np.abs(np.diff(values)).sum()))
    places = []
    for a, b, left, right in zip(cuts[:-1], cuts[1:], values[:-1], values[1:], strict=True):
        for half in np.arange(np.floor(min(left, right) + 0.5) + 0.5, max(left, right), 1.0):
            places.append(_solve(curve - [0.0, 0.0, half], a, b))
    return np.sort(np.array(places))


def _check_steps(points: float) -> None:
    """One step a point: refuse a curve that rises by more of them than a scorecard can list."""
    if not points <= MOST_SCORECARD_ROWS:
        raise errors.too_many_points(points, MOST_SCORECARD_ROWS)


def _solve(curve: np.ndarray, low: float, high: float) -> float:
    """The root of a parabola that lies between two places."""
    roots = np.roots(curve).real
    return float(np.clip(roots[np.argmin(np.abs(roots - (low + high) / 2))], low, high))
