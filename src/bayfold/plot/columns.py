"""What is drawn of a column: its bins or its curve, read off the evidence of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.evidence import Curve, Records, trace_curve
from bayfold.core.evidence.bins import format_place
from bayfold.core.evidence.curves import weigh_numbers
from bayfold.core.frames.times import name_zone
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier
from bayfold.plot.canvas import COLOURS, FOR_FIRST, FOR_SECOND, QUIET

MOST_DATES = 12
"""So few different times have a bar each."""

MOST_WHOLE_NUMBERS = 60
"""Bars at so many whole numbers can still be told apart; more are drawn as a curve."""


NOTHING = 1e-9
"""Weights so much smaller than the largest of the model are rounding errors."""


@dataclass(frozen=True)
class ShownColumn:
    """What is drawn of a column: bins one beside the other, missing cells apart, a curve in some cases.

    Attributes
    ----------
    name : str
    classes : ndarray
        All classes; none for a numeric target.
    labels : list of str
        Of the bins.
    cuts : ndarray or None
        The numbers between the bins; None for categories, or where every bin is one number.
    weight, count : ndarray of shape (n_bins, n_shown), (n_bins, n_classes)
        NaN where a class has no weight for a word.
    missing_weight, missing_count : ndarray
    reach : ndarray of shape (n_bins, n_shown) or None
        How far bounds are from the weights, where a model knows.
    is_nominal : bool
    zone : str or None
        Of times, as in the schema.
    n_hidden : int
        Rare categories that are left out.
    curve : Curve or None
        Where the evidence is one.
    places : ndarray or None
        Whole numbers that bars stand at, where the bins are such numbers.
    """

    name: str
    classes: np.ndarray
    labels: list[str]
    cuts: np.ndarray | None
    weight: np.ndarray
    count: np.ndarray
    missing_weight: np.ndarray
    missing_count: np.ndarray
    is_nominal: bool = False
    zone: str | None = None
    n_hidden: int = 0
    curve: Curve | None = None
    places: np.ndarray | None = None
    reach: np.ndarray | None = None

    @property
    def is_map(self) -> bool:
        """Whether classes are too many for colours."""
        return len(self.classes) > len(COLOURS)


def read_evidence(model: Any) -> Records:
    """The evidence of a model by columns; an error where it has none."""
    if not hasattr(type(model), "evidence_"):
        raise errors.no_evidence_to_plot(type(model).__name__)
    evidence = model.evidence_  # raises where the model is not fitted
    if "upper" not in evidence.names or {"leaf", "subclass"} & set(evidence.names):
        raise errors.no_evidence_to_plot(type(model).__name__)  # not by columns alone
    if "shift" in evidence.names and "class" in evidence.names:
        raise errors.no_evidence_to_plot(type(model).__name__)  # of one regressor per class
    return evidence


def read_column(model: Any, evidence: Records, j: int, max_bins: int) -> ShownColumn:
    """What is drawn of the column at a position."""
    n_classes = len(getattr(model, "classes_", ()))
    if model.schema_.columns[j].kind == "text" and n_classes > 2:
        return _read_words(model, evidence, j, max_bins)
    shown = _read_whole_numbers(model, j)
    if shown is None:
        shown = _read_bins(model, evidence, j, max_bins)
    return shown


def class_colours(n_classes: int) -> list[str]:
    """A colour for each class; grey where they are too many or none."""
    if n_classes == 2:
        return [FOR_FIRST, FOR_SECOND]
    return COLOURS[:n_classes] if 2 < n_classes <= len(COLOURS) else [QUIET] * max(n_classes, 1)


def _read_bins(model: Any, evidence: Records, j: int, max_bins: int) -> ShownColumn:
    column_schema = model.schema_.columns[j]
    classes = getattr(model, "classes_", np.empty(0))
    part = _find_part(evidence, model.schema_.names, j)
    n_shown = 1 if len(classes) <= 2 else len(classes)
    effects = part.effects
    least = NOTHING * float(np.nanmax(np.abs(evidence.effects), initial=0.0))
    weight = np.where(np.abs(effects) < least, 0.0, effects).reshape(-1, n_shown)
    labels = part["bin"][::n_shown].tolist()
    upper = part["upper"][::n_shown]
    count = _count_bins(part, n_shown, len(classes))
    first = int(labels[0] == "(missing)") if labels else 0  # words of a text are never missing
    order = np.arange(first, len(labels))
    n_hidden = 0
    is_nominal = column_schema.kind != "numeric"
    if is_nominal:
        size = np.abs(weight).max(axis=1) if column_schema.kind == "text" else count.sum(axis=1)
        most = order[np.argsort(-size[order], kind="stable")][:max_bins]
        n_hidden = len(order) - len(most)
        leading = weight[most][:, 0] if n_shown == 1 else np.zeros(len(most))
        order = most[np.argsort(leading, kind="stable")] if n_shown == 1 else np.sort(most)
    is_whole = is_nominal or _holds_whole_numbers(column_schema)  # named one by one
    is_interval = not is_whole and not _are_values(labels[1:])
    zone = getattr(column_schema, "zone", None)
    zone_name = f" {name_zone(zone)}" if zone else ""  # the axis has it
    return ShownColumn(
        column_schema.name,
        classes,
        [labels[k].removesuffix(zone_name) for k in order],
        upper[1:-1] if is_interval else None,
        np.nan_to_num(weight[order]),
        count[order],
        weight[0] if first else np.zeros(n_shown),
        count[0] if first else np.zeros(count.shape[1]),
        is_nominal,
        zone,
        n_hidden,
        _find_curve(model, j, len(classes)),
        reach=_find_reach(part, n_shown, order),
    )


def _find_reach(part: Records, n_shown: int, order: np.ndarray) -> np.ndarray | None:
    """How far bounds are from the weights of some bins."""
    if "low" not in part.names:
        return None
    upper = part["high"] if part.measure != "factor" else np.log(part["high"])
    return (upper - part.effects).reshape(-1, n_shown)[order]


def _read_words(model: Any, evidence: Records, j: int, max_bins: int) -> ShownColumn:
    """The strongest words of several classes: each class lists its own, and where it lists none there is no weight."""
    classes = model.classes_
    part = _find_part(evidence, model.schema_.names, j)
    strongest = part[np.argsort(-part["weight"], kind="stable")]
    words, first = np.unique(strongest["bin"].astype(str), return_index=True)
    kept = words[np.argsort(first, kind="stable")[:max_bins]].tolist()
    weight = np.full((len(kept), len(classes)), np.nan)
    count = np.zeros((len(kept), len(classes)))
    for k, label in enumerate(classes):
        own = part[part["class"] == label]
        for word, size, rows in zip(own["bin"], own["weight"], own["count"], strict=True):
            if word in kept:
                weight[kept.index(word), k] = size
                count[kept.index(word), k] = rows
    leading = np.argmax(np.nan_to_num(weight, nan=-np.inf), axis=1)
    order = np.argsort(leading, kind="stable")  # words of one class side by side
    return ShownColumn(
        model.schema_.columns[j].name,
        classes,
        [kept[k] for k in order],
        None,
        weight[order],
        count[order],
        np.zeros(len(classes)),
        np.zeros(len(classes)),
        is_nominal=True,
        n_hidden=len(words) - len(kept),
    )


def _find_part(evidence: Records, names: list[str], j: int) -> Records:
    """The records of a column; of columns with the same name those of the right one."""
    part = evidence.where(column=names[j])
    if names.count(names[j]) == 1:
        return part
    starts = np.flatnonzero(
        (part["bin"] == "(missing)") & np.append(True, part["bin"][:-1] != "(missing)")
    )
    which = names[:j].count(names[j])
    ends = np.append(starts[1:], len(part))
    return part[int(starts[which]) : int(ends[which])]


def _find_curve(model: Any, j: int, n_classes: int) -> Curve | None:
    """The curve of a column; other models have tables only, and a map has no room for one."""
    if not isinstance(model, NaiveBayesClassifier) or n_classes > len(COLOURS):
        return None
    return trace_curve(model._fitted().model, model._counts, j)


def _read_whole_numbers(model: Any, j: int) -> ShownColumn | None:
    """A curve over few whole numbers as bars at these: between them there is nothing."""
    column_schema = model.schema_.columns[j]
    classes = getattr(model, "classes_", np.empty(0))
    curve = _find_curve(model, j, len(classes))
    values = getattr(column_schema, "values", None)
    if curve is None or values is None or not len(values):
        return None
    zone = column_schema.zone
    is_time = column_schema.is_time
    if is_time and len(values) > MOST_DATES:
        return None
    if not is_time and (len(values) > MOST_WHOLE_NUMBERS or (values != np.round(values)).any()):
        return None
    table = model._counts.tables[j]
    naive = model._fitted().model
    weight = weigh_numbers(naive, j, np.append(np.nan, values))
    return ShownColumn(
        column_schema.name,
        classes,
        [format_place(value, zone) if is_time else f"{value:g}" for value in values],
        None,
        weight[1:],
        table[FIRST_BIN : column_schema.first_special],
        weight[0],
        table[0],
        zone=zone,
        places=np.arange(float(len(values))) if is_time else values,
    )


def _holds_whole_numbers(column_schema: Any) -> bool:
    """Whether all values are known and whole."""
    values = column_schema.values
    is_known = values is not None and len(values) > 0 and not column_schema.is_time
    return is_known and bool((values == np.round(values)).all())


def _count_bins(part: Records, n_shown: int, n_classes: int) -> np.ndarray:
    """Rows per bin and class."""
    count = part["count" if "count" in part.names else "total"].reshape(-1, n_shown)
    if n_shown == 1 and n_classes == 2:
        return np.column_stack([part["total"] - count[:, 0], count[:, 0]])
    return count


def _are_values(labels: list[str]) -> bool:
    """Whether bins are single numbers rather than intervals."""
    return not any(
        label.startswith(("<", ">=")) or " to " in label or label == "any" for label in labels
    )
