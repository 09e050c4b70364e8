"""Why a row was predicted as it was: a waterfall from the prior to the prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from bayfold import errors
from bayfold.base.options import ClassLabel, TableLike
from bayfold.core.evidence import Records
from bayfold.core.frames import read_table
from bayfold.plot.canvas import FOR_FIRST, FOR_SECOND, QUIET, measure_width, new_axes
from bayfold.plot.texts import (
    CHARACTERS_PER_INCH,
    TIMES_SIGN,
    cut_names,
    fit_name,
    show_text,
    write_number,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_WIDTH = 60
"""Characters of a column with its value, at most."""

BESIDE_NAME = 2.0
"""Inches of the words beside the name of a class, under the axis."""

LEAST_SCORE = 1e-9
"""Sums of weights below are rounding errors."""

BOUNDS_OF_SUM = ("whole_low", "whole_high")

LABEL_SHARE = 0.5
"""Of the width, for these labels."""


def plot_explanation(
    model: BaseEstimator,
    row: TableLike,
    *,
    label: ClassLabel | None = None,
    max_columns: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """Draw what each column adds to the prediction of one row, from the prior down to the sum.

    Parameters
    ----------
    model : fitted estimator with ``explain``
        A classifier or a mixture, where bars are weights of evidence, or a regressor, where they move the mean; of
        counts and amounts they multiply the rate, on a logarithmic scale.
    row : array-like or frame of one row
        A row of a frame, such as ``X.iloc[[7]]`` or ``X[7:8]``.
    label : class label, optional
        The class (of a mixture the component) that weights speak for, of more than two: the predicted one by default.
    max_columns : int, default=12
        Columns with the largest weights; the others are added up in one bar.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Notes
    -----
    Thin lines at the ends of bars are 95 % bounds of what columns add; the pale stripe is that of the sum.

    Examples
    --------
    >>> from bayfold.plot import plot_explanation
    >>> plot_explanation(model, X.iloc[[7]]).figure.savefig("row.png")  # doctest: +SKIP
    """
    if not hasattr(type(model), "explain"):
        raise errors.no_evidence_to_plot(type(model).__name__)
    errors.check_whole("max_columns", max_columns, 1)
    row = _one_row(row)
    records = model.explain(row)
    unit = records.measure
    records, spoken = _choose_class(model, records, row, label)
    ax = new_axes(ax, 6.8, 1.5 + 0.34 * min(max_columns + 2, len(records)))
    room = round(LABEL_SHARE * CHARACTERS_PER_INCH * measure_width(ax))
    names, steps, reach = _find_steps(records, max_columns, min(max(room, 12), LABEL_WIDTH))
    _draw_steps(ax, names, steps, unit)
    _draw_bounds(ax, records, steps, reach)
    _label_axis(ax, model, spoken, unit, float(steps.sum()))
    return ax


def _one_row(row: Any) -> Any:
    table = read_table(row)
    if table.n_rows != 1:
        raise errors.one_row_to_plot(table.n_rows)
    return row


def _choose_class(model: Any, records: Records, row: Any, label: Any) -> tuple[Records, Any]:
    """The records that speak for one class or component, and that class."""
    kind = next((name for name in ("class", "component") if name in records.names), None)
    if kind is None:
        return records, None
    spoken = list(dict.fromkeys(records[kind].tolist()))
    if label is None:
        best = model.predict(row)[0] if len(spoken) > 1 else spoken[0]
        label = best if best in spoken else spoken[0]
    if label not in spoken:
        raise errors.no_such_class_to_plot(label, spoken)
    return records.where(**{kind: label}), label


def _find_steps(
    records: Records, max_columns: int, width: int
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Prior, the largest steps in their order, and all others together; and how far their bounds are."""
    columns = records["column"]
    values = records["value"]
    steps = records.effects
    order = 1 + np.argsort(-np.abs(steps[1:]), kind="stable")
    n_shown = min(max_columns, max(int(np.count_nonzero(steps[1:])), 1))
    shown = order[:n_shown]
    rest = order[n_shown:]
    names = ["prior", *_name_steps(columns[shown], values[shown], width)]
    found = [steps[0], *steps[shown]]
    if len(rest):
        names.append(f"{len(rest)} others" if len(rest) > 1 else "1 other")
        found.append(steps[rest].sum())
    reach = np.full(len(found), np.nan)
    if "high" in records.names:
        high = np.log(records["high"]) if records.measure == "factor" else records["high"]
        reach[: 1 + n_shown] = (high - records.effects)[np.append(0, shown)]
    return names, np.array(found, np.float64), reach


def _draw_bounds(ax: Any, records: Records, steps: np.ndarray, reach: np.ndarray) -> None:
    """A thin line at the end of each bar between its bounds, and a pale stripe for those of the sum."""
    ends = np.cumsum(_find_lengths(steps))
    known = np.isfinite(reach)
    places = np.arange(len(steps))[known]
    ax.hlines(places, (ends - reach)[known], (ends + reach)[known], color="#333333", linewidth=1)
    whole = [records[name][0] for name in BOUNDS_OF_SUM if name in records.names]
    if whole and np.isfinite(whole).all():
        low, high = np.log(whole) if records.measure == "factor" else whole
        first, last = ax.get_xlim()
        stripe = {"transform": ax.get_xaxis_transform(), "color": QUIET, "alpha": 0.18, "zorder": 0}
        ax.fill_betweenx([0, 1], low, high, linewidth=0, **stripe)
        ax.set_xlim(min(first, low), max(last, high))


def _name_steps(columns: np.ndarray, values: np.ndarray, width: int) -> list[str]:
    """Columns with their values; where both are long each has half of the room, so that values are seen."""
    shown = [_show(value) for value in values]
    half = (width - len(" = ")) // 2
    names = []
    for column, value, short, short_value in zip(
        columns.tolist(),
        shown,
        cut_names(columns.tolist(), half),
        cut_names(shown, half),
        strict=True,
    ):
        whole = len(f"{column} = {value}") <= width
        fits = len(f"{column} = ") + min(len(value), half) <= width
        names.append(
            f"{show_text(column) if fits else short} = {show_text(value) if whole else short_value}"
        )
    return names


def _show(value: Any) -> str:
    return "missing" if value is None else str(value)


def _draw_steps(ax: Any, names: list[str], steps: np.ndarray, unit: str) -> None:
    """Bars from where the last one ended; a mean has no zero to begin at, only a first place."""
    is_factor = unit == "factor"
    places = np.arange(len(steps))
    lengths = _find_lengths(steps)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    colours = [
        QUIET if k == 0 else FOR_SECOND if s >= 0 else FOR_FIRST for k, s in enumerate(steps)
    ]
    begin = 0 if unit == "weight" else 1
    ax.barh(
        places[begin:], lengths[begin:], left=starts[begin:], color=colours[begin:], height=0.66
    )
    if begin:
        ax.plot([ends[0]], [0], marker="D", color=QUIET, markersize=7)
    for k in places[:-1]:
        ax.plot([ends[k]] * 2, [k - 0.33, k + 1.33], color=QUIET, linewidth=0.8, zorder=1)
    ax.axvline(ends[-1], color="black", linewidth=1.2, linestyle="--", zorder=1)
    reach = max(float(np.ptp(np.concatenate([starts[begin:], ends]))), 1e-12)
    for k, step in enumerate(steps):
        right = ends[0] + 0.01 * reach if k < begin else max(starts[k], ends[k])
        if is_factor:
            text = f"{'' if k < begin else TIMES_SIGN}{write_number(float(np.exp(step)), 3)}"
        else:
            text = write_number(step) if k < begin else write_number(step, 3, "+")
        style = {"va": "center", "ha": "left", "fontsize": "small"}
        behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
        ax.text(right + 0.02 * reach, k, text, bbox=behind, **style)
    ax.set_yticks(places, names)
    ax.locator_params(axis="x", nbins=int(np.clip(1.2 * measure_width(ax), 2, 8)))
    if is_factor:
        ax.xaxis.set_major_formatter(lambda x, _: write_number(float(np.exp(x)), 3))
    ax.invert_yaxis()
    low, high = (f(np.concatenate([starts[begin:], ends])) for f in (np.min, np.max))
    ax.set_xlim(low - 0.05 * reach, high + 0.16 * reach)  # room for the numbers
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _find_lengths(steps: np.ndarray) -> np.ndarray:
    """The steps as they are drawn: an impossible value as twice what all the others say together."""
    is_finite = np.isfinite(steps)
    most = 2.0 * max(float(np.abs(steps[is_finite]).sum()), 1.0)
    return np.where(is_finite, steps, np.sign(np.nan_to_num(steps)) * most)


def _label_axis(ax: Any, model: Any, spoken: Any, unit: str, total: float) -> None:
    spoken = None if spoken is None else fit_name(spoken, measure_width(ax) - BESIDE_NAME)
    if unit == "factor":
        ax.set_xlabel(f"rate: {write_number(float(np.exp(total)))}")
        return
    if unit == "shift":
        of_class = "" if spoken is None else f" for {spoken}"
        ax.set_xlabel(f"prediction{of_class}: {write_number(total)}")
        return
    n_groups = len(getattr(model, "classes_", ())) or model.n_components_
    kind = "classes" if hasattr(model, "classes_") else "components"
    spoken = spoken if hasattr(model, "classes_") else f"component {spoken}"
    if n_groups == 2:
        probability = 1 / (1 + np.exp(-total))
        ax.set_xlabel(f"log-odds of {spoken}: {total:.3g}\nprobability {probability:.1%}")
    else:
        total = 0.0 if abs(total) < LEAST_SCORE else total
        ax.set_xlabel(f"score of {spoken} against\nthe mean of all {kind}: {total:.3g}")
