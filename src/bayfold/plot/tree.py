"""A drawing of a tree with naive Bayes leaves: the splits on the left, what the leaves go by on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayfold import errors
from bayfold.families.trees.estimator import NaiveBayesTreeClassifier
from bayfold.families.trees.explain import TreeWords, format_rows
from bayfold.plot.canvas import COLOURS, FOR_FIRST, FOR_SECOND, QUIET, import_pyplot, measure_width
from bayfold.plot.texts import CHARACTERS_PER_INCH, cut_name, cut_names, name_in_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR_WIDTH = 0.42
LEFT = 0.15
"""Of the classes of a node, and the room left of the first one, in units of one level."""

NAME_SHARE = 0.6
CONDITION_SHARE = 0.6
"""Of the width of a level, for the name of a column above its node and for a condition on the way to the next."""


@dataclass(frozen=True, eq=False)
class _Places:
    """Where things are drawn: leaves below each other, inner nodes beside the middle of their children."""

    x: np.ndarray
    y: np.ndarray
    shown: np.ndarray
    leaves: list[int]
    rows_per_leaf: int
    n_hidden: int

    def bounds(self) -> tuple[float, float]:
        """From the lower to the upper end of both pictures."""
        half = self.rows_per_leaf / 2
        return (len(self.leaves) - 1) * self.rows_per_leaf + half, -half


def plot_tree(
    model: NaiveBayesTreeClassifier,
    *,
    n_columns: int = 3,
    max_leaves: int = 16,
    ax: Sequence[Axes] | None = None,
) -> np.ndarray:
    """Draw a tree with naive Bayes leaves.

    Every node has a bar with the shares of its classes. Beside each leaf are its strongest columns: for two classes a
    dot for every bin at its weight of evidence (right of the line: for the second class), the larger the more rows; for
    more classes a bar as long as the column moves a row on average.

    Parameters
    ----------
    model : NaiveBayesTreeClassifier
        Fitted.
    n_columns : int, default=3
        Columns shown per leaf.
    max_leaves : int, default=16
        Only the leaves with most rows are drawn if there are more.
    ax : pair of matplotlib Axes, optional
        For the tree and for the evidence; a new figure by default.

    Returns
    -------
    axes : ndarray of two matplotlib Axes
    """
    if not isinstance(model, NaiveBayesTreeClassifier):
        raise errors.no_tree_to_plot(type(model).__name__)
    for parameter, value in (("n_columns", n_columns), ("max_leaves", max_leaves)):
        errors.check_whole(parameter, value, 1)
    if ax is not None and np.shape(np.asarray(ax, object)) != (2,):
        raise errors.bad_axes(ax)
    words = model._words()
    places = _place_nodes(words, n_columns, max_leaves)
    axes = _new_axes(words, places) if ax is None else np.asarray(ax)
    _draw_tree(axes[0], words, places)
    _draw_evidence(axes[1], words, places, n_columns)
    return axes


def _new_axes(words: TreeWords, places: _Places) -> Any:
    n_rows = len(places.leaves) * places.rows_per_leaf
    width = 3.2 + 1.9 * (words.tree.depth + 1)
    _, axes = import_pyplot().subplots(
        1,
        2,
        figsize=(width + 3.4, max(0.24 * n_rows + 1.2, 2.6)),
        sharey=True,
        layout="constrained",
        width_ratios=[width, 3.4],
    )
    return axes


def _place_nodes(words: TreeWords, n_columns: int, max_leaves: int) -> _Places:
    tree = words.tree
    weight = tree.totals.sum(axis=1)
    all_leaves = np.flatnonzero(tree.leaf_of >= 0)
    kept = all_leaves[np.argsort(-weight[all_leaves], kind="stable")[:max_leaves]]
    shown = np.zeros(tree.n_nodes, bool)
    shown[kept] = True
    x = np.zeros(tree.n_nodes)
    for node in range(1, tree.n_nodes):
        x[node] = x[tree.parent[node]] + 1
    for node in range(tree.n_nodes - 1, 0, -1):
        shown[tree.parent[node]] |= shown[node]
    leaves = [node for node in _in_order(tree, 0) if shown[node] and tree.leaf_of[node] >= 0]
    rows_per_leaf = n_columns + 1
    y = np.zeros(tree.n_nodes)
    y[leaves] = np.arange(len(leaves)) * rows_per_leaf
    for node in range(tree.n_nodes - 1, -1, -1):  # children are numbered above their parents
        if tree.column[node] >= 0 and shown[node]:
            first = tree.first_child[node]
            children = np.arange(first, first + tree.n_children[node])
            inside = y[children[shown[children]]]
            y[node] = (inside.min() + inside.max()) / 2
    return _Places(x, y, shown, leaves, rows_per_leaf, len(all_leaves) - len(kept))


def _in_order(tree: Any, node: int) -> list[int]:
    """Nodes as they are drawn, from top to bottom."""
    found = [node]
    for child in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
        found += _in_order(tree, child)
    return found


def _draw_tree(ax: Any, words: TreeWords, places: _Places) -> None:
    tree = words.tree
    right = places.x[places.shown].max() + BAR_WIDTH + 0.1
    inches = measure_width(ax) / (right + LEFT)  # of a level
    n_letters = int(np.clip(NAME_SHARE * CHARACTERS_PER_INCH * inches, 8, 22))
    n_in_condition = int(np.clip(CONDITION_SHARE * CHARACTERS_PER_INCH * inches, 8, 30))
    for node in np.flatnonzero(places.shown):
        x = places.x[node]
        y = places.y[node]
        parent = tree.parent[node]
        if parent >= 0:
            start = places.x[parent] + BAR_WIDTH
            ax.plot([start, start, x], [places.y[parent], y, y], color=QUIET, lw=0.8, zorder=1)
            name = words.binner.splits.schema.names[int(tree.column[parent])]
            value = words.condition(int(node)).removeprefix(f"{name} ").removeprefix("= ")
            ax.text(
                start + 0.03, y - 0.12, cut_name(value, n_in_condition), fontsize=8, va="bottom"
            )
        _draw_shares(ax, tree.totals[node], x, y)
        if tree.leaf_of[node] >= 0:  # leads the eye to the evidence beside
            ax.plot([x + BAR_WIDTH, right], [y, y], color="#dddddd", lw=0.8, ls=":", zorder=0)
        weight = f"{format_rows(tree.totals[node].sum())} rows"
        ax.text(
            x + BAR_WIDTH / 2, y + 0.45, weight, fontsize=7, ha="center", va="top", color="#444444"
        )
        if tree.column[node] >= 0:
            name = words.binner.splits.schema.names[int(tree.column[node])]
            is_root = parent < 0  # which has no room to its left
            at = -LEFT if is_root else x + BAR_WIDTH / 2
            ax.text(
                at,
                y - 0.45,
                f"{cut_name(name, n_letters)}?",
                fontsize=9,
                ha="left" if is_root else "center",
                va="bottom",
                weight="bold",
            )
    ax.set_xlim(-LEFT, right)
    ax.set_ylim(*places.bounds())
    ax.axis("off")
    _add_legend(ax, words, places)


def _class_colours(n_classes: int) -> list[str]:
    return [FOR_FIRST, FOR_SECOND] if n_classes == 2 else COLOURS


def _draw_shares(ax: Any, totals: np.ndarray, x: float, y: float) -> None:
    """A bar cut in proportion to the classes."""
    left = x
    colours = _class_colours(len(totals))
    for g, share in enumerate(totals / max(totals.sum(), 1e-300)):
        width = BAR_WIDTH * share
        colour = colours[g % len(colours)]
        ax.barh(y, width, height=0.7, left=left, color=colour, lw=0, zorder=2)
        left += width
    ax.barh(y, BAR_WIDTH, height=0.7, left=x, fill=False, edgecolor="#444444", lw=0.6, zorder=3)


def _add_legend(ax: Any, words: TreeWords, places: _Places) -> None:
    from matplotlib.patches import Patch

    colours = _class_colours(len(words.classes))
    shown = words.classes[: len(colours)]
    handles = [
        Patch(color=colours[g], label=name_in_legend(label)) for g, label in enumerate(shown)
    ]
    n_more = len(words.classes) - len(shown)
    title = f"and {n_more} more classes, colours again" if n_more else None
    columns = min(len(handles), 4)
    ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        fontsize=8,
        frameon=False,
        title=title,
        title_fontsize=8,
    )
    if places.n_hidden:
        note = f"{places.n_hidden} leaves with fewer rows are not drawn"
        ax.text(0.0, 0.0, note, transform=ax.transAxes, fontsize=8, color=QUIET, va="top")


def _draw_evidence(ax: Any, words: TreeWords, places: _Places, n_columns: int) -> None:
    """The strongest columns of each leaf, one below the other."""
    ax.set_ylim(*places.bounds())  # given axes need not share theirs with the tree
    ax.tick_params(left=False, labelleft=False, labelsize=8)
    ax.spines[["left", "right", "top"]].set_visible(False)
    two = len(words.classes) == 2
    ax.axvline(0, color=QUIET, lw=0.8)
    names = words.binner.leaves.schema.names
    shown_names = cut_names(names, 30)
    furthest = 0.5
    for node in places.leaves:
        half = (places.rows_per_leaf - 0.4) / 2
        ax.axhspan(places.y[node] - half, places.y[node] + half, color="#f3f3f3", lw=0, zorder=0)
        leaf = int(words.tree.leaf_of[node])
        strongest = words.strongest(leaf, n_columns)
        top = places.y[node] - (len(strongest) - 1) / 2
        for k, (name, size) in enumerate(strongest):
            y = top + k
            reach = _draw_bins(ax, words, leaf, names.index(name), y) if two else size
            if not two:
                ax.barh(y, size, height=0.5, color=QUIET, lw=0, zorder=2)
            furthest = max(furthest, reach)
            ax.annotate(
                shown_names[names.index(name)],
                (1.0, y),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                fontsize=8,
                va="center",
                annotation_clip=False,
            )
        if not strongest:
            ax.text(
                0, places.y[node], "prior only ", fontsize=8, va="center", ha="right", color=QUIET
            )
    ax.set_xlim(-1.08 * furthest if two else 0, 1.08 * furthest)
    label = (
        f"weight of evidence for {cut_name(words.classes[-1])}"
        if two
        else "evidence a column moves on average"
    )
    ax.set_xlabel(label, fontsize=8)


def _draw_bins(ax: Any, words: TreeWords, leaf: int, j: int, y: float) -> float:
    """A dot for every bin of a column at its weight; returns how far out the furthest is."""
    binning = words.binner.leaves
    tree = words.tree
    assert tree.occurrence is not None
    here = slice(binning.starts[j], binning.starts[j] + binning.n_codes[j])
    weights = tree.evidence[leaf, here, 0]
    count = tree.occurrence[leaf, here]
    shown = (count > 0) & (weights != 0)
    weights = weights[shown]
    share = count[shown] / count.sum()
    ax.plot([weights.min(), weights.max()], [y, y], color=QUIET, lw=0.7, zorder=1)
    colours = [FOR_SECOND if weight > 0 else FOR_FIRST for weight in weights]
    ax.scatter(weights, np.full(len(weights), y), s=8 + 70 * share, c=colours, lw=0, alpha=0.85)
    return float(np.abs(weights).max())
