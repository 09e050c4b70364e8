"""Changes of a fitted model by hand: weights of bins and of cells of pairs, each a function from a model to a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from bayfold import errors
from bayfold.core.counts import JointCounts
from bayfold.core.densities import PairTerm, centre_groups
from bayfold.core.densities.terms import TableTerm
from bayfold.core.evidence.bins import Bins
from bayfold.core.evidence.curves import label_cells, name_pairs
from bayfold.core.evidence.evidence import find_bins
from bayfold.core.evidence.records import Records
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.edits import UNDO, Edit, find_active
from bayfold.core.scoring.naive_bayes import Calibration

PRIOR = "(prior)"
WHOLE = "(all)"


class EditReader(Protocol):
    """How the entries of a model's tables are shown to people, and set by what is shown."""

    def show(self, model: NaiveBayesModel, entries: np.ndarray) -> np.ndarray:
        """What is shown of entries of shape (n_bins, n_groups), of shape (n_bins, n_shown)."""

    def write(self, model: NaiveBayesModel, entries: np.ndarray, shown: np.ndarray) -> np.ndarray:
        """Entries that are shown so."""

    def show_start(self, model: NaiveBayesModel) -> np.ndarray:
        """What is known of a row before its cells are looked at, of shape (n_shown,)."""

    def move_start(self, model: NaiveBayesModel, step: np.ndarray) -> NaiveBayesModel:
        """The model with another intercept."""


class WeightReader:
    """Weights of evidence: of two classes that of the second, otherwise one per class, which add up to zero."""

    def show(self, model: NaiveBayesModel, entries: np.ndarray) -> np.ndarray:
        """Weights of evidence."""
        return centre_groups(entries)

    def write(self, model: NaiveBayesModel, entries: np.ndarray, shown: np.ndarray) -> np.ndarray:
        """Entries with these weights."""
        return np.append(np.zeros_like(shown), shown, axis=1) if shown.shape[1] == 1 else shown

    def show_start(self, model: NaiveBayesModel) -> np.ndarray:
        """The intercept."""
        return model.intercept

    def move_start(self, model: NaiveBayesModel, step: np.ndarray) -> NaiveBayesModel:
        """The model with this added to its intercept."""
        known = believe_fully(model)
        return replace(model, calibration=replace(known, intercept=known.intercept + step))


def believe_fully(model: NaiveBayesModel) -> Calibration:
    """The calibration of a model; weights of one where it has none."""
    if model.calibration is not None:
        return model.calibration
    return Calibration(np.ones(len(model.schema.columns)), model.intercept)


@dataclass(frozen=True, eq=False)
class EditedPart:
    """The bins of a column, or the cells of a pair of columns.

    Attributes
    ----------
    columns : tuple of int
    name : str
    labels : list of str
    entries : ndarray of shape (n_bins, n_groups)
        As they count.
    rows : ndarray of shape (n_bins,)
        Weight of the training rows.
    bins : Bins or None
        None for a pair.
    """

    columns: tuple[int, ...]
    name: str
    labels: list[str]
    entries: np.ndarray
    rows: np.ndarray
    bins: Bins | None = None

    @property
    def intervals(self) -> np.ndarray:
        """The places of the bins that are intervals, from left to right."""
        return np.flatnonzero([] if self.bins is None else ~np.isnan(self.bins.lower))

    def find(self, wanted: Sequence[str]) -> np.ndarray:
        """The places of the bins with these labels."""
        places = [k for k, label in enumerate(self.labels) if label in wanted]
        for label in wanted:
            if label not in self.labels:
                raise errors.no_such_bin("bin", self.name, self.labels, label)
        return np.array(places, np.int64)


def open_part(model: NaiveBayesModel, counts: JointCounts, columns: tuple[int, ...]) -> EditedPart:
    """A column or a pair as a table of bins; refused where it is a curve."""
    if len(columns) > 1:
        return _open_pair(model, columns)
    (j,) = columns
    column_schema = model.schema.columns[j]
    term = model.evidence_terms[j]
    is_table = isinstance(term, TableTerm) and (
        term.merge is not None or column_schema.kind == "nominal"
    )
    if not is_table:
        raise errors.curve_to_edit(column_schema.name, column_schema.kind)
    bins = find_bins(model, counts, j)
    n_bins = len(bins.labels)
    known = bins.of_code >= 0
    first = [int(np.flatnonzero(bins.of_code == k)[0]) for k in range(n_bins)]
    rows = np.bincount(bins.of_code[known], counts.tables[j].sum(axis=1)[known], n_bins)
    return EditedPart(
        columns, column_schema.name, bins.labels, term.tabulate(None)[first], rows, bins
    )


def _open_pair(model: NaiveBayesModel, columns: tuple[int, ...]) -> EditedPart:
    pair = model.pairs[_find_pair(model, columns)]
    labels = label_cells(pair, model.schema)
    entries = pair.log_table[pair.known].reshape(len(labels), -1)
    rows = pair.rows[pair.known].ravel()
    return EditedPart(columns, _name_pair(model, pair), labels, entries, rows)


def _find_pair(model: NaiveBayesModel, columns: tuple[int, ...]) -> int:
    known = [pair.columns for pair in model.pairs]
    if columns not in known:
        names = model.schema.names
        raise errors.no_pair_to_edit(
            tuple(names[j] for j in columns), name_pairs(model.pairs, model.schema)
        )
    return known.index(columns)


def _name_pair(model: NaiveBayesModel, pair: PairTerm) -> str:
    named = name_pairs(model.pairs, model.schema)
    return named[_find_pair(model, pair.columns)]


def _close_part(
    model: NaiveBayesModel, part: EditedPart, entries: np.ndarray, merge: np.ndarray | None = None
) -> NaiveBayesModel:
    """The model with other entries, which count as they are."""
    if part.bins is None:
        k = _find_pair(model, part.columns)
        pairs = list(model.pairs)
        table = pairs[k].log_table.copy()
        inside = pairs[k].known
        table[inside] = entries.reshape(table[inside].shape)
        pairs[k] = replace(pairs[k], log_table=table)
        return replace(model, pairs=tuple(pairs))
    (j,) = part.columns
    term = model.evidence_terms[j]
    assert isinstance(term, TableTerm)
    known = part.bins.of_code >= 0
    table = term.log_table.copy()
    table[known] = entries[part.bins.of_code[known]]
    merge = term.merge if merge is None else merge
    return _put_term(model, replace(term, log_table=table, merge=merge), 1.0)


def _put_term(model: NaiveBayesModel, term: TableTerm, weight: float) -> NaiveBayesModel:
    terms = list(model.terms)
    terms[term.column] = term
    calibration = model.calibration
    if calibration is not None:
        weights = calibration.weights.copy()
        weights[term.column] = weight
        calibration = replace(calibration, weights=weights)
    return replace(model, terms=tuple(terms), calibration=calibration)


# what can be done


@dataclass(frozen=True, eq=False)
class EditChange:
    """What an edit did to some bins of a column or a pair, as it is shown."""

    place: str
    labels: Sequence[str]
    before: np.ndarray
    after: np.ndarray


EditAction = Callable[
    [NaiveBayesModel, JointCounts, EditReader, Edit], tuple[NaiveBayesModel, list[EditChange]]
]


def _edit(
    model: NaiveBayesModel, counts: JointCounts, reader: EditReader, edit: Edit
) -> tuple[NaiveBayesModel, list[EditChange]]:
    """Some bins get a weight; of more than two classes those that were not named move by equal amounts."""
    part = open_part(model, counts, edit.columns)
    chosen = part.find(edit.bins)
    shown = reader.show(model, part.entries[chosen])
    given = np.array(edit.values)
    free = np.isnan(given) & np.isfinite(shown)
    wanted = np.where(np.isnan(given), shown, given)
    if shown.shape[1] > 1:
        finite = np.isfinite(wanted)
        excess = np.where(finite, wanted, 0.0).sum(axis=1, keepdims=True)
        wanted = wanted - np.where(free, excess / np.maximum(free.sum(axis=1, keepdims=True), 1), 0)
    entries = part.entries.copy()
    entries[chosen] = reader.write(model, entries[chosen], wanted)
    return _finish(model, reader, part, entries, chosen)


def _merge_bins(
    model: NaiveBayesModel, counts: JointCounts, reader: EditReader, edit: Edit
) -> tuple[NaiveBayesModel, list[EditChange]]:
    """Some bins become one, with their mean weight over training rows."""
    part = _open_column(model, counts, edit)
    chosen = part.find(edit.bins)
    if len(chosen) < 2:
        raise errors.too_few_to_merge(part.name, list(edit.bins))
    intervals = np.intersect1d(chosen, part.intervals)
    if len(intervals) and np.ptp(intervals) != len(intervals) - 1:
        raise errors.apart_to_merge(part.name, [part.labels[k] for k in chosen])
    rows = part.rows[chosen]
    rows = rows if rows.any() else np.ones(len(rows))
    entries = part.entries.copy()
    entries[chosen] = np.average(_finite(part, chosen), axis=0, weights=rows)
    merge = getattr(model.evidence_terms[edit.columns[0]], "merge", None)
    if merge is not None and len(intervals):
        place = intervals - part.intervals[0]  # of coarse bins
        merge = np.where((merge >= place[0]) & (merge <= place[-1]), place[0], merge)
        merge = np.unique(merge, return_inverse=True)[1].astype(np.int64)
    return _finish(model, reader, part, entries, chosen, merge)


def _cap(
    model: NaiveBayesModel, counts: JointCounts, reader: EditReader, edit: Edit
) -> tuple[NaiveBayesModel, list[EditChange]]:
    """Weights beyond the limits are drawn to them; those of several classes by one factor."""
    part = open_part(model, counts, edit.columns)
    shown = reader.show(model, part.entries)
    least, most = edit.values
    if shown.shape[1] == 1:
        wanted = np.clip(shown, least, most)
    else:
        _finite(part, np.arange(len(shown)))
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.fmin(
                np.where(shown > most, most / shown, 1.0),
                np.where(shown < least, least / shown, 1.0),
            )
        wanted = shown * share.min(axis=1, keepdims=True)
    chosen = np.flatnonzero((wanted != shown).any(axis=1))
    entries = part.entries.copy()
    entries[chosen] = reader.write(model, entries[chosen], wanted[chosen])
    return _finish(model, reader, part, entries, chosen)


def _smooth(
    model: NaiveBayesModel, counts: JointCounts, reader: EditReader, edit: Edit
) -> tuple[NaiveBayesModel, list[EditChange]]:
    """Each interval is averaged with its neighbours; the mean over training rows stays as it is.

    Neighbours exchange half their difference, each a part of it as large as the other's share of the rows of both.
    """
    part = _open_column(model, counts, edit)
    chosen = part.intervals
    if len(chosen) < 2:
        raise errors.unordered_to_smooth(part.name)
    smooth = _finite(part, chosen)
    rows = np.maximum(part.rows[chosen], 1e-9)  # bins without rows follow their neighbours
    share = (
        rows / 2 / (rows + np.append(rows[1:], np.inf))
    )  # of the left one in what the right one moves
    share = share[:-1, None]
    for _ in range(int(edit.values[0])):
        rise = np.diff(smooth, axis=0)
        moved = np.zeros_like(smooth)
        moved[:-1] += (0.5 - share) * rise
        moved[1:] -= share * rise
        smooth = smooth + moved
    entries = part.entries.copy()
    entries[chosen] = smooth
    return _finish(model, reader, part, entries, chosen)


def _remove_column(
    model: NaiveBayesModel, counts: JointCounts, reader: EditReader, edit: Edit
) -> tuple[NaiveBayesModel, list[EditChange]]:
    """A column without its weight and its pairs, or a pair alone."""
    gone = set(edit.columns)
    alone = len(edit.columns) == 1
    if not alone:
        _find_pair(model, edit.columns)
    pairs = [pair for pair in model.pairs if gone & set(pair.columns) == gone]
    changes = []
    for pair in pairs:
        part = _open_pair(model, pair.columns)
        changes.append(
            _change(model, model, reader, part, part.entries, np.zeros_like(part.entries))
        )
    if alone:
        (j,) = edit.columns
        term = model.evidence_terms[j]
        silent = _put_term(model, term.scaled(0.0), 0.0)  # type: ignore[arg-type]  # a curve is one too
        try:
            part = open_part(model, counts, edit.columns)
            changes.insert(
                0, _change(model, silent, reader, part, part.entries, np.zeros_like(part.entries))
            )
        except ValueError:  # a curve has no bins to be listed
            shown = np.full((1, len(reader.show_start(model))), np.nan)
            changes.insert(
                0, EditChange(model.schema.names[j], [WHOLE], shown, np.zeros_like(shown))
            )
        model = silent
    kept = tuple(pair for pair in model.pairs if gone & set(pair.columns) != gone)
    return replace(model, pairs=kept), changes


def _refit_intercept(
    model: NaiveBayesModel, counts: JointCounts, reader: EditReader, edit: Edit
) -> tuple[NaiveBayesModel, list[EditChange]]:
    """Another intercept."""
    moved = reader.move_start(model, np.array(edit.values))
    before, after = (reader.show_start(each)[None] for each in (model, moved))
    return moved, [EditChange(PRIOR, [""], before, after)]


EDIT_ACTIONS: dict[str, EditAction] = {
    "edit": _edit,
    "merge_bins": _merge_bins,
    "cap": _cap,
    "smooth": _smooth,
    "remove_column": _remove_column,
    "refit_intercept": _refit_intercept,
}
"""By the name of the method."""


def _open_column(model: NaiveBayesModel, counts: JointCounts, edit: Edit) -> EditedPart:
    if len(edit.columns) != 1:
        raise errors.pair_not_taken(edit.action, tuple(model.schema.names[j] for j in edit.columns))
    return open_part(model, counts, edit.columns)


def _finite(part: EditedPart, chosen: np.ndarray) -> np.ndarray:
    entries = part.entries[chosen]
    if not np.isfinite(entries).all():
        raise errors.impossible_to_edit(part.name)
    return entries


def _finish(
    model: NaiveBayesModel,
    reader: EditReader,
    part: EditedPart,
    entries: np.ndarray,
    chosen: np.ndarray,
    merge: np.ndarray | None = None,
) -> tuple[NaiveBayesModel, list[EditChange]]:
    closed = _close_part(model, part, entries, merge)
    change = _change(model, closed, reader, part, part.entries, entries)
    labels = [change.labels[k] for k in chosen]
    return closed, [EditChange(part.name, labels, change.before[chosen], change.after[chosen])]


def _change(
    model: NaiveBayesModel,
    edited: NaiveBayesModel,
    reader: EditReader,
    part: EditedPart,
    before: np.ndarray,
    after: np.ndarray,
) -> EditChange:
    return EditChange(
        part.name, part.labels, reader.show(model, before), reader.show(edited, after)
    )


# one after the other


def apply_edit(
    model: NaiveBayesModel, counts: JointCounts, reader: EditReader, edit: Edit
) -> NaiveBayesModel:
    """The model after one more edit, which says what it changed."""
    edits = [*model.edits, edit]
    if edit.action == UNDO:
        changes: list[EditChange] = []
        try:
            changed = replay_edits(model.unedited or model, counts, reader, edits)
        except ValueError as error:
            raise errors.edit_is_needed(int(edit.values[0]), str(error)) from None
    else:
        changed, changes = EDIT_ACTIONS[edit.action](model, counts, reader, edit)
    n_shown = len(reader.show_start(model))
    edits[-1] = replace(
        edit,
        places=tuple(change.place for change in changes for _ in change.labels),
        labels=tuple(label for change in changes for label in change.labels),
        before=np.concatenate([np.empty((0, n_shown)), *(change.before for change in changes)]),
        after=np.concatenate([np.empty((0, n_shown)), *(change.after for change in changes)]),
    )
    return replace(changed, edits=tuple(edits), unedited=model.unedited or model)


def replay_edits(
    model: NaiveBayesModel, counts: JointCounts, reader: EditReader, edits: Sequence[Edit]
) -> NaiveBayesModel:
    """A model without edits after those of a list that count."""
    for edit, is_active in zip(edits, find_active(edits), strict=True):
        if is_active and edit.action != UNDO:
            model = EDIT_ACTIONS[edit.action](model, counts, reader, edit)[0]
    return model


# the table of edits


def describe_edits(edits: Sequence[Edit], classes: list | None) -> Records:
    """Records of edit, action, column, bin, (class,) before, after, reason, author, when and active."""
    active = find_active(edits)
    shown = [None] if classes is None else classes[-1:] if len(classes) <= 2 else classes
    rows: list[tuple] = []
    for number, (edit, is_active) in enumerate(zip(edits, active, strict=True), 1):
        start = (number, edit.action)
        end = (edit.reason, edit.author, edit.when, is_active)
        if edit.action == UNDO:
            rows.append((*start, "", f"edit {int(edit.values[0])}", None, np.nan, np.nan, *end))
        changed = zip(edit.places, edit.labels, edit.before, edit.after, strict=True)
        for place, label, before, after in changed:
            for k, name in enumerate(shown):
                rows.append((*start, place, label, name, before[k], after[k], *end))
    kinds = {
        "edit": np.int64,
        "action": object,
        "column": object,
        "bin": object,
        "class": object,
        "before": np.float64,
        "after": np.float64,
        "reason": object,
        "author": object,
        "when": object,
        "active": bool,
    }
    cells = list(zip(*rows, strict=True)) or [()] * len(kinds)
    columns = {
        name: np.array(found, kind)
        for (name, kind), found in zip(kinds.items(), cells, strict=True)
    }
    if classes is None or len(classes) <= 2:
        del columns["class"]
    return Records(columns)
