"""Edits of fitted models: what is asked for is checked here, and carried out by ``core/evidence/editing.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.columns import find_column
from bayfold.core.counts import JointCounts
from bayfold.core.evidence import Records
from bayfold.core.evidence.bins import Bins, format_number
from bayfold.core.evidence.curves import BETWEEN_BINS, name_pairs
from bayfold.core.evidence.editing import (
    EditedPart,
    EditReader,
    apply_edit,
    describe_edits,
    open_part,
    replay_edits,
)
from bayfold.core.frames.labels import label_of
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.edits import UNDO, Edit, find_active
from bayfold.core.scoring.held_out import MOST_EVIDENCE
from bayfold.core.scoring.monotone import find_wrong_steps

STEPS_TO_BALANCE = 50
"""Newton steps at most; about five are taken."""

LARGEST_EDIT = 100.0
"""Odds of 1 to 10^43: beyond all evidence."""

BALANCED = 1e-12
"""Of the rows' weight: a step of the intercept below this moves no mean."""


@dataclass(frozen=True, eq=False)
class EditableTables:
    """The tables of a fitted model, and how a model with others is made.

    Attributes
    ----------
    model : NaiveBayesModel
    counts : JointCounts
        Of the training rows.
    reader : EditReader
    replaced : callable
        Makes an estimator of a changed model.
    balance : callable
        The step of the intercept that rows (X, y, sample_weight) ask for.
    classes : list or None
        None for a numeric target.
    """

    model: NaiveBayesModel
    counts: JointCounts
    reader: EditReader
    replaced: Callable[[NaiveBayesModel], Any]
    balance: Callable[[Any, Any, Any], np.ndarray]
    classes: list | None

    def describe(self) -> Records:
        """The edits as a table."""
        return describe_edits(self.model.edits, self.classes)

    def replay(self, n_edits: int) -> Any:
        """The estimator as it was after its first edits."""
        base = self.model.unedited or self.model
        edits = self.model.edits[:n_edits]
        model = replay_edits(base, self.counts, self.reader, edits)
        return self.replaced(replace(model, edits=edits, unedited=base if edits else None))

    def apply(
        self,
        action: str,
        columns: tuple[int, ...],
        bins: tuple[str, ...],
        values: tuple[float, ...],
        reason: Any,
        author: Any,
    ) -> Any:
        """The estimator after one more edit."""
        if not isinstance(reason, str) or not reason.strip():
            raise errors.bad_reason(reason)
        if not isinstance(author, str):
            raise errors.bad_author(author)
        when = datetime.now(UTC).isoformat(timespec="seconds")
        nothing = np.empty((0, 0))
        edit = Edit(action, columns, bins, values, reason, author, when, (), (), nothing, nothing)
        changed = apply_edit(self.model, self.counts, self.reader, edit)
        before, after = ({w.column for w in find_wrong_steps(m)} for m in (self.model, changed))
        if after - before:
            names = [self.model.schema.names[j] for j in sorted(after - before)]
            errors.warn(errors.order_edited_away(names))
        return self.replaced(changed)

    def find_columns(self, column: Any) -> tuple[int, ...]:
        """One column by name or position; a pair by both, or by the name that ``evidence_`` gives it."""
        schema = self.model.schema
        if isinstance(column, tuple | list) and len(column) in (2, 3):
            return tuple(sorted(find_column("column", each, schema.names) for each in column))
        named = name_pairs(self.model.pairs, schema)
        if isinstance(column, str) and column in named:
            return self.model.pairs[named.index(column)].columns
        return (find_column("column", column, schema.names),)

    def find_bins(self, column: Any, bins: list) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """The column or pair, and labels of bins given by labels, intervals or values of categories."""
        columns = self.find_columns(column)
        part = open_part(self.model, self.counts, columns)
        if part.bins is None:
            order = self._find_order(column) if isinstance(column, tuple | list) else None
            wanted = [_name_cell(each, order) for each in bins]
        else:
            wanted = [label for each in bins for label in self._name_bins(part, part.bins, each)]
        part.find(wanted)
        return columns, tuple(dict.fromkeys(wanted))

    def _find_order(self, columns: Any) -> list[int]:
        """Which of the columns of a pair comes first, which next."""
        places = [find_column("column", each, self.model.schema.names) for each in columns]
        return sorted(range(len(places)), key=places.__getitem__)

    def _name_bins(self, part: EditedPart, bins: Bins, given: Any) -> list[str]:
        interval = _read_interval(given) if len(part.intervals) else None
        label = label_of(given) if not isinstance(given, tuple | list) else None
        if label in part.labels or interval is None:
            return [label or repr(given)]
        (j,) = part.columns
        column_schema: Any = self.model.schema.columns[j]
        values = getattr(column_schema, "values", None)
        is_whole = values is not None and bool((values == np.round(values)).all())
        low, high = interval
        first = [k for k in part.intervals if _is_bound(bins.lower[k], low, is_whole)]
        last = [k for k in part.intervals if _is_bound(bins.upper[k], high, is_whole)]
        if not first or not last or last[0] < first[0]:
            raise errors.no_such_bin("bin", part.name, part.labels, given)
        found = part.labels[first[0] : last[0] + 1]
        if sum(label in found for label in part.labels) > len(found):  # the same in five digits
            raise errors.no_such_bin("bin", part.name, part.labels, given)
        return found

    def read_weight(self, weight: Any) -> tuple[float, ...]:
        """A weight for each class that is shown; NaN for those that are left out."""
        most = LARGEST_EDIT if self.classes is not None else np.inf
        if self.classes is None or len(self.classes) <= 2:
            errors.check_number("weight", weight, -most, most)
            return (float(weight),)
        if not isinstance(weight, Mapping) or not weight or set(weight) - set(self.classes):
            raise errors.bad_weights_of_classes(self.classes, weight)
        for value in weight.values():
            errors.check_number("weight", value, -most, most)
        values = tuple(float(weight.get(name, np.nan)) for name in self.classes)
        if len(weight) == len(self.classes) and abs(sum(values)) > 1e-9:
            raise errors.bad_weights_of_classes(self.classes, weight)
        return values

    def find_edit(self, number: Any) -> int:
        """The number of an edit that counts; the last one that is no undo by default."""
        edits = self.model.edits
        counting = [k for k, active in enumerate(find_active(edits), 1) if active]
        done = [k for k in counting if edits[k - 1].action != UNDO]
        if number is None and done:
            return done[-1]
        if not errors.is_whole(number) or number not in counting:
            raise errors.no_such_edit(number, counting)
        return int(number)


def _name_cell(given: Any, order: list[int] | None) -> str:
    if isinstance(given, tuple | list) and len(given) in (2, 3):
        sides = [label_of(side) for side in given]
        order = order if order and len(order) == len(sides) else list(range(len(sides)))
        return BETWEEN_BINS.join(sides[k] for k in order)
    return str(given)


def _read_interval(given: Any) -> tuple[float, float] | None:
    """The bounds of "< 22", ">= 65" or (22, 30), where None is open; None for anything else."""
    if isinstance(given, str):
        for sign, side in (("<", 1), (">=", 0)):
            try:
                bound = float(given.removeprefix(sign)) if given.startswith(sign) else np.nan
            except ValueError:
                return None
            if bound == bound:
                return (-np.inf, bound) if side else (bound, np.inf)
        return None
    if isinstance(given, tuple | list) and len(given) == 2:
        bounds = [
            open_end if each is None else each
            for each, open_end in zip(given, (-np.inf, np.inf), strict=True)
        ]
        if all(isinstance(each, float | int | np.number) for each in bounds):
            return float(bounds[0]), float(bounds[1])
    return None


def _is_bound(edge: float, given: float, is_whole: bool) -> bool:
    """Whether an edge is the one that is meant: as it is shown, or the same for whole numbers."""
    if np.isinf(edge) or np.isinf(given):
        return bool(edge == given)
    same = format_number(edge) == format_number(given)
    return same or (is_whole and np.ceil(edge) == given)


# the intercept


def balance_classes(scores: np.ndarray, group_of: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The step of the intercept after which the mean probability of each class is its share.

    Newton's method on the log-loss, which is convex in the step.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_scores)
        Log-odds of the second of two classes, or one score per class.
    group_of : ndarray of int
        The class of each row; every class must have some.
    weights : ndarray of shape (n_rows,)
    """
    scores = np.clip(scores, -MOST_EVIDENCE, MOST_EVIDENCE)
    if scores.shape[1] == 1:
        both = np.append(np.zeros_like(scores), scores, axis=1)
        return balance_classes(both, group_of, weights)[1:]
    shares = np.bincount(group_of, weights, scores.shape[1])
    if not (shares > 0).all():
        raise errors.no_balance(f"{int((shares > 0).sum())} of {len(shares)} classes")
    shares = shares / shares.sum()
    share_of_row = weights / weights.sum()
    step = np.zeros(scores.shape[1])
    for _ in range(STEPS_TO_BALANCE):
        moved = scores + step
        moved = np.exp(moved - moved.max(axis=1, keepdims=True))
        p = moved / moved.sum(axis=1, keepdims=True)
        gap = share_of_row @ p - shares
        curvature = np.diag(share_of_row @ p) - (p * share_of_row[:, None]).T @ p
        # the first class stays: adding the same to all changes nothing
        move = np.append(0.0, np.linalg.lstsq(curvature[1:, 1:], -gap[1:], rcond=None)[0])
        step += np.clip(move, -2.0, 2.0)
        if np.abs(gap).max() < BALANCED:
            break
    return step - step.mean() if scores.shape[1] > 2 else step
