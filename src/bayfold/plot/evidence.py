"""The evidence of one column: the weight of each of its bins, with the rows it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.columns import find_column
from bayfold.core.evidence import Curve, Records, trace_curve
from bayfold.core.evidence.bins import format_number
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier
from bayfold.plot.canvas import (
    COLOURS,
    FOR_FIRST,
    FOR_SECOND,
    QUIET,
    add_panel_below,
    new_axes,
    show_counts,
)
from bayfold.plot.words import draw_words

DASHES = ["-", "--", ":", "-."]
GAP = 0.6
"""Room between the bins and the missing cells, in bins."""


@dataclass(frozen=True)
class _Column:
    """What is drawn of a column: bins one beside the other, missing cells apart, a curve in some cases.

    Attributes
    ----------
    name : str
    classes : ndarray
        All classes.
    labels : list of str
        Of the bins.
    cuts : ndarray or None
        The numbers between the bins; None for categories, or where every bin is one number.
    weight, count : ndarray of shape (n_bins, n_shown), (n_bins, n_classes)
    missing_weight, missing_count : ndarray
    n_hidden : int
        Rare categories that are left out.
    """

    name: str
    classes: np.ndarray
    labels: list[str]
    cuts: np.ndarray | None
    weight: np.ndarray
    count: np.ndarray
    missing_weight: np.ndarray
    missing_count: np.ndarray
    n_hidden: int = 0


def plot_evidence(model: Any, column: str | int, *, max_bins: int = 30, ax: Any = None) -> Any:
    """Draw the weight of evidence of one column, with the counts it rests on beneath.

    Parameters
    ----------
    model : NaiveBayesClassifier or BoostedNaiveBayesClassifier
        Fitted; of the boosted ones those with tables.
    column : str or int
        By name or position.
    max_bins : int, default=30
        Of more categories than this only those with the most rows are shown.
    ax : matplotlib Axes, optional
        Where to draw. A strip with the counts is cut off at its bottom.

    Returns
    -------
    ax : matplotlib Axes
        The upper panel; ``ax.figure`` is the picture.

    Notes
    -----
    For two classes bars that rise speak for the second class and bars that fall for the first, and categories are in
    the order of their weight. With three to six classes there is a line for each, with more a map. Missing cells
    stand apart. A curve (smoothed counts, kernels, a Gaussian) is drawn as one, without the outermost 0.5 % of the rows
    at either end. Of a column of text the strongest words are drawn: for two classes as bars, for more a line of words
    for each class.

    Examples
    --------
    >>> from bayfold.plot import plot_evidence
    >>> plot_evidence(model, "income").figure.savefig("income.png")  # doctest: +SKIP
    """
    if not hasattr(type(model), "evidence_"):
        raise errors.no_evidence_to_plot(type(model).__name__)
    evidence = model.evidence_  # raises where the model is not fitted
    if "upper" not in evidence.names:  # by leaves, not by columns alone
        raise errors.no_evidence_to_plot(type(model).__name__)
    j = find_column("column", column, model.schema_.names)
    if model.schema_.columns[j].kind == "text":
        words = evidence.where(column=model.schema_.names[j])
        return draw_words(words, model.classes_, model.class_count_, max_bins, ax)
    shown = _read_column(model, evidence, j, max_bins)
    few = len(shown.classes) <= len(COLOURS)  # more are drawn as a map of bins
    curve = _find_curve(model, j) if few else None
    ax = new_axes(ax)
    below = add_panel_below(ax)
    if curve is not None:
        _draw_curve(ax, below, shown, curve)
    else:
        _draw_weights(ax, shown)
        _draw_counts(below, shown)
        _label_bins(below, shown)
    hidden = f" ({shown.n_hidden} rarer values not shown)" if shown.n_hidden else ""
    below.set_xlabel(shown.name + hidden)
    ax.set_ylabel(_describe_weight(shown.classes))
    show_counts(below)
    return ax


def _find_curve(model: Any, j: int) -> Curve | None:
    """The curve of a column; boosted models have tables only."""
    if not isinstance(model, NaiveBayesClassifier):
        return None
    return trace_curve(model._fitted().model, model._counts, j)


def _read_column(model: Any, evidence: Records, j: int, max_bins: int) -> _Column:
    column_schema, classes = model.schema_.columns[j], model.classes_
    part = evidence.where(column=column_schema.name)
    n_shown = 1 if len(classes) <= 2 else len(classes)
    weight = part["weight"].reshape(-1, n_shown)
    labels, upper = part["bin"][::n_shown].tolist(), part["upper"][::n_shown]
    count = _count_bins(part, n_shown, len(classes))
    order = np.arange(1, len(labels))
    n_hidden = 0
    if column_schema.kind == "nominal":
        most = order[np.argsort(-count[1:].sum(axis=1), kind="stable")][:max_bins]
        n_hidden = len(order) - len(most)
        leading = weight[most][:, 0] if n_shown == 1 else np.zeros(len(most))
        order = most[np.argsort(leading, kind="stable")] if n_shown == 1 else np.sort(most)
    is_interval = column_schema.kind == "numeric" and not _are_values(labels[1:])
    return _Column(
        column_schema.name,
        classes,
        [labels[k] for k in order],
        upper[1:-1] if is_interval else None,
        np.nan_to_num(weight[order]),
        count[order],
        weight[0],
        count[0],
        n_hidden,
    )


def _count_bins(part: Records, n_shown: int, n_classes: int) -> np.ndarray:
    """Rows per bin and class."""
    count = part["count"].reshape(-1, n_shown)
    if n_shown == 1 and n_classes == 2:
        return np.column_stack([part["total"] - count[:, 0], count[:, 0]])
    return count


def _are_values(labels: list[str]) -> bool:
    """Whether bins are single numbers rather than intervals."""
    return not any(
        label.startswith(("<", ">=")) or " to " in label or label == "any" for label in labels
    )


def _describe_weight(classes: np.ndarray) -> str:
    if len(classes) == 2:
        return f"weight of evidence\n← {classes[0]}      {classes[1]} →"
    return "weight of evidence" if len(classes) <= len(COLOURS) else ""


def _draw_weights(ax: Any, shown: _Column) -> None:
    n_bins = len(shown.labels)
    if len(shown.classes) > len(COLOURS):
        _draw_map(ax, shown)
        return
    ax.axhline(0, color=QUIET, linewidth=1)
    if shown.weight.shape[1] == 1:
        weight = shown.weight[:, 0]
        colours = [FOR_SECOND if w >= 0 else FOR_FIRST for w in weight]
        ax.bar(np.arange(n_bins), weight, width=0.92, color=colours)
    else:
        for k, label in enumerate(shown.classes):
            edges = np.arange(n_bins + 1) - 0.5
            ax.stairs(
                shown.weight[:, k],
                edges,
                baseline=None,
                color=COLOURS[k],
                linewidth=1.8,
                label=label,
            )
        _show_classes(ax, len(shown.classes))
    _draw_missing(ax, shown, n_bins + GAP)


def _draw_missing(ax: Any, shown: _Column, place: float, width: float = 0.92) -> None:
    """Missing cells, apart from the bins: hatched, so that they are seen to be something else."""
    if not shown.missing_count.sum():
        return
    if shown.weight.shape[1] == 1:
        w = float(shown.missing_weight[0])
        colour = FOR_SECOND if w >= 0 else FOR_FIRST
        ax.bar([place], [w], width=width, color="white", edgecolor=colour, hatch="////")
        if w == 0:
            ax.plot([place], [0], marker="o", color=QUIET, markersize=4)
    else:
        for k, w in enumerate(shown.missing_weight):
            ax.plot([place], [w], marker="_", markersize=14, color=COLOURS[k])


def _draw_map(ax: Any, shown: _Column) -> None:
    """Classes by bins, in colours from one side to the other of zero."""
    largest = max(float(np.abs(shown.weight).max()), 1e-9)
    n_bins, n_classes = shown.weight.shape
    style = {"cmap": "RdBu", "vmin": -largest, "vmax": largest}
    rows = np.arange(n_classes + 1) - 0.5
    mesh = ax.pcolormesh(np.arange(n_bins + 1) - 0.5, rows, shown.weight.T, **style)
    if shown.missing_count.sum():
        place = n_bins + GAP
        ax.pcolormesh([place - 0.46, place + 0.46], rows, shown.missing_weight[:, None], **style)
    ax.set_yticks(np.arange(n_classes), [str(label) for label in shown.classes], fontsize="small")
    ax.invert_yaxis()
    bar = ax.inset_axes([1.02, 0.0, 0.025, 1.0])
    ax.figure.colorbar(mesh, cax=bar, label="weight of evidence")


def _draw_counts(ax: Any, shown: _Column) -> None:
    n_bins = len(shown.labels)
    places, counts = np.arange(n_bins, dtype=float), shown.count
    if shown.missing_count.sum():
        places, counts = np.append(places, n_bins + GAP), np.vstack([counts, shown.missing_count])
    colours = _class_colours(len(shown.classes))
    _stack(ax, places, counts, colours, 0.92)


def _show_classes(ax: Any, n_classes: int) -> None:
    """A legend above the axes, where no line can run through it."""
    place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    ax.legend(frameon=False, ncols=min(n_classes, 3), fontsize="small", **place)


def _class_colours(n_classes: int) -> list[str]:
    if n_classes == 2:
        return [FOR_FIRST, FOR_SECOND]
    return COLOURS[:n_classes] if n_classes <= len(COLOURS) else [QUIET] * n_classes


def _stack(ax: Any, places: np.ndarray, counts: np.ndarray, colours: list[str], width: Any) -> None:
    bottom = np.zeros(len(places))
    for k, colour in enumerate(colours):
        ax.bar(places, counts[:, k], width=width, bottom=bottom, color=colour, alpha=0.75)
        bottom += counts[:, k]


def _label_bins(ax: Any, shown: _Column) -> None:
    n_bins = len(shown.labels)
    if shown.cuts is not None:
        texts = [format_number(cut) for cut in shown.cuts]
        places = np.arange(len(texts)) + 0.5
    else:
        texts = [label if len(label) <= 18 else label[:17] + "…" for label in shown.labels]
        places = np.arange(n_bins, dtype=float)
    every = max(-(-len(texts) // 30), 1)
    texts, places = texts[::every], places[::every]
    if shown.missing_count.sum():
        texts, places = [*texts, "missing"], np.append(places, n_bins + GAP)
    longest = max((len(text) for text in texts), default=0)
    is_crowded = longest * len(texts) > 62
    ax.set_xticks(
        places, texts, rotation=45 if is_crowded else 0, ha="right" if is_crowded else "center"
    )
    if is_crowded:
        ax.tick_params(axis="x", pad=1)


def _draw_curve(ax: Any, below: Any, shown: _Column, curve: Curve) -> None:
    """A curve over the numbers themselves, above a histogram."""
    numbers, weights, edges = curve.numbers, curve.weights, curve.edges
    ax.axhline(0, color=QUIET, linewidth=1)
    if weights.shape[1] == 1:
        w = weights[:, 0]
        ax.plot(numbers, w, color="black", linewidth=1.4)
        ax.fill_between(numbers, w, 0, where=w >= 0, color=FOR_SECOND, alpha=0.6, linewidth=0)
        ax.fill_between(numbers, w, 0, where=w < 0, color=FOR_FIRST, alpha=0.6, linewidth=0)
    else:
        for k, label in enumerate(shown.classes):
            colour, dash = COLOURS[k % len(COLOURS)], DASHES[k // len(COLOURS) % len(DASHES)]
            ax.plot(
                numbers, weights[:, k], color=colour, linestyle=dash, linewidth=1.8, label=label
            )
        _show_classes(ax, len(shown.classes))
    colours, width = _class_colours(len(shown.classes)), float(edges[1] - edges[0])
    _stack(below, edges[:-1] + width / 2, curve.counts, colours, 0.92 * width)
    if shown.missing_count.sum():
        ticks = [tick for tick in below.get_xticks() if edges[0] <= tick <= edges[-1]]
        place, wide = edges[-1] + 2 * width, 1.2 * width
        _draw_missing(ax, shown, place, wide)
        _stack(below, np.array([place]), shown.missing_count[None, :], colours, wide)
        texts = [format_number(tick) for tick in ticks]
        if ticks and place - ticks[-1] < 3 * width:  # room for the word
            ticks, texts = ticks[:-1], texts[:-1]
        below.set_xticks([*ticks, place], [*texts, "missing"])
