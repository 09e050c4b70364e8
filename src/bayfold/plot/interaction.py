"""What two columns say only together: a map of their bins; of three, a slice of it at a bin of the third."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from bayfold import errors
from bayfold.base.options import ClassLabel
from bayfold.core.densities import centre_groups
from bayfold.core.evidence.curves import label_sides, name_pairs
from bayfold.families.boosting.numbers.answers import CollapsedRegressor
from bayfold.families.boosting.numbers.evidence import find_pair_shifts
from bayfold.families.boosting.rates.model import RatePredictor
from bayfold.plot.canvas import measure_height, measure_settled, measure_width, new_axes
from bayfold.plot.texts import cut_name, cut_names, fit_name, show_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CELLS_WITH_NUMBERS = 64
"""A map of more cells has no room for a number in each."""


LEAST_CELL = 0.45
LEAST_LINES = 0.27
"""Inches that a number in a cell takes, and two lines of them."""


BETWEEN_NAMES = 0.3
"""Inches between the names of two columns."""

LABELS_PER_INCH = 2.4
"""Names of bins that do not touch, of an axis before its labels and the scale of colours take their room."""

LARGEST = 8.0
"""Inches of a side, at most: what is larger fits on no screen."""

MOST_TICKS = 20
"""Bins of a side that are named; of more, some evenly apart."""


def plot_interaction(
    model: BaseEstimator,
    pair: str | int = 0,
    *,
    at: str | int | None = None,
    label: ClassLabel | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the table of two columns of a boosted model: what they say together beyond what each says alone.

    Of three columns a slice is drawn: the first two at a bin of the third.

    Parameters
    ----------
    model : BoostedNaiveBayesClassifier, BoostedNaiveBayesRegressor, or one of them collapsed
        Fitted, with more than ``interactions=1``.
    pair : str or int, default=0
        The name of the pair, such as "income x job", or its position; the strongest comes first.
    at : str or int, optional
        Of three columns the bin of the third, by its label or its position; by default the one with the largest
        weights.
    label : class label, optional
        The class that weights speak for, of more than two; the first by default. Not for regressors, whose map is in
        the unit of the target.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from bayfold.plot import plot_interaction
    >>> plot_interaction(model, "income x job").figure.savefig("pair.png")  # doctest: +SKIP
    """
    if not hasattr(model, "collapse") and not hasattr(model, "model_"):
        raise errors.no_pairs_to_plot(type(model).__name__)
    collapsed = model.collapse() if hasattr(model, "collapse") else model
    if not hasattr(collapsed, "classes_") and not isinstance(collapsed, CollapsedRegressor):
        raise errors.no_pairs_to_plot(type(model).__name__)
    tables = collapsed.model_
    names = name_pairs(tables.pairs, tables.schema)
    term = tables.pairs[_find_pair(tables, names, pair)]
    name = names[tables.pairs.index(term)]
    weights, spoken = _choose_weights(collapsed, term, label)
    rows = term.rows[term.known]
    first, second, *others = (side[1:] for side in label_sides(term, tables.schema))
    title = ""
    if others:
        k = _find_slice(at, others[0], weights, rows)
        weights = weights[:, :, k]
        rows = rows[:, :, k]
        title = f"\nat {cut_name(tables.schema.names[term.columns[2]], 30)}: {cut_name(others[0][k], 30)}"
    elif at is not None:
        raise errors.slice_of_two(name)
    width = 0.75 * max(len(second), 3)
    height = 0.42 * max(len(first), 3)
    ax = new_axes(ax, 2.6 + min(width, LARGEST), 1.8 + min(height, LARGEST))
    columns = [tables.schema.names[j] for j in term.columns[:2]]
    inches = measure_width(ax)
    down = LABELS_PER_INCH * measure_height(ax)
    across = LABELS_PER_INCH * inches
    ax.set_yticks(*_choose_ticks(first, min(24, max(round(4 * inches), 8)), down))
    ax.set_xticks(*_choose_ticks(second, 22, across), rotation=30, ha="right")
    ylabel, xlabel = (cut_name(column, 30) for column in columns)
    ax.set(ylabel=ylabel, xlabel=xlabel)
    name = name if not others else " x ".join(columns)
    ax.set_title(_fit_pair(name, columns, inches) + title, fontsize="medium")
    _draw_map(ax, weights, rows, spoken)
    return ax


def _fit_pair(name: str, columns: list[str], inches: float) -> str:
    """The name of a pair; where it is long both columns have half of the room."""
    short = fit_name(name, inches)
    if short == show_text(name):
        return short
    return " x ".join(fit_name(column, (inches - BETWEEN_NAMES) / 2) for column in columns)


def _find_slice(
    at: str | int | None, labels: list[str], weights: np.ndarray, rows: np.ndarray
) -> int:
    """The position of a bin of the third column."""
    if at is None:
        return int((rows * np.abs(weights)).sum(axis=(0, 1)).argmax())
    if isinstance(at, str):
        if at not in labels:
            raise errors.no_such_slice(at, labels)
        return labels.index(at)
    errors.check_whole("at", at, 0, len(labels) - 1)
    return at


def _choose_ticks(labels: list[str], width: int, room: float) -> tuple[np.ndarray, list[str]]:
    """Where bins are named, and how, on a side with room for so many names."""
    most = int(np.clip(room, 2, MOST_TICKS))
    places = np.arange(0, len(labels), -(-len(labels) // most))
    return places, cut_names([labels[k] for k in places.tolist()], width)


def _find_pair(tables: Any, names: list[str], pair: str | int) -> int:
    """The position of a pair; numbers count from the strongest."""
    if not names:
        raise errors.model_without_pairs()
    if isinstance(pair, str):
        wanted = sorted(pair.split(" x "))
        exact = [k for k, name in enumerate(names) if name == pair]
        found = exact or [k for k, name in enumerate(names) if sorted(name.split(" x ")) == wanted]
        if not found:
            raise errors.no_such_pair(pair, names)
        return found[0]
    errors.check_whole("pair", pair, 0, len(names) - 1)
    size = [_strength(term) for term in tables.pairs]
    return int(np.argsort(-np.array(size), kind="stable")[pair])


def _strength(term: Any) -> float:
    """Mean absolute weight over the rows."""
    return float((term.rows * np.abs(centre_groups(term.log_table)).mean(axis=-1)).sum())


def _choose_weights(collapsed: Any, term: Any, label: Any) -> tuple[np.ndarray, str]:
    """The numbers of the map, and what they are."""
    if isinstance(collapsed, CollapsedRegressor):
        if label is not None:
            raise errors.no_class_to_plot(label)
        predictor = collapsed._fitted()
        if isinstance(predictor, RatePredictor):
            return term.log_table[term.known][..., 0], "logarithm of the factor"
        return find_pair_shifts(predictor, term)[term.known], "shift of the prediction"
    classes = collapsed.classes_
    weights = centre_groups(term.log_table)[term.known]
    labels = classes[-1:].tolist() if weights.shape[-1] == 1 else classes.tolist()
    label = labels[0] if label is None else label
    if label not in labels:
        raise errors.no_such_class_to_plot(label, labels)
    return weights[..., labels.index(label)], f"weight of evidence for {cut_name(label)}"


def _draw_map(ax: Any, weights: np.ndarray, rows: np.ndarray, spoken: str) -> None:
    largest = max(float(np.abs(weights[rows > 0]).max(initial=0.0)), 1e-9)
    shown = np.ma.masked_where(rows <= 0, weights)
    image = ax.imshow(shown, cmap="RdBu", vmin=-largest, vmax=largest, aspect="auto")
    ax.set_facecolor("#eeeeee")  # no row was there
    shape = "+.2f" if 0.1 <= largest < 1000 else "+.2g"
    ax.figure.colorbar(image, ax=ax, label=spoken, shrink=0.9)
    if weights.size <= MOST_CELLS_WITH_NUMBERS and _has_room(ax, weights.shape):
        for (a, b), weight in np.ndenumerate(weights):
            if rows[a, b] > 0:
                dark = abs(weight) > 0.6 * largest
                text = f"{weight:{shape}}\n{rows[a, b]:,.0f}"
                colour = "white" if dark else "black"
                ax.text(b, a, text, ha="center", va="center", fontsize="x-small", color=colour)


def _has_room(ax: Any, shape: tuple[int, ...]) -> bool:
    """Whether two lines of numbers fit into a cell."""
    width = measure_settled(ax)
    return width / shape[1] >= LEAST_CELL and measure_height(ax) / shape[0] >= LEAST_LINES
