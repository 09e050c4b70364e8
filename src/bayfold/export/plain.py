"""A model as plain numbers: what every export is made from.

A row is scored in four steps, whatever the language: each cell gets a code (0 missing, 1 unseen, then the bins or
categories in order), each code a row of scores, scores are added to the intercept, and probabilities are read off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities.terms import CodedForm, Form, Line, Packing, PairTerm
from bayfold.core.evidence import Records
from bayfold.core.evidence.editing import describe_edits
from bayfold.core.frames.labels import any_number, label_of
from bayfold.core.kernels.encode import FIRST_BIN, UNSEEN
from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.edits import UNDO
from bayfold.core.scoring.levels import LevelCorrection
from bayfold.errors import unwritable_classes

SHOWN_BINS = 4
"""Of an edit, in one line; the others are counted."""


@dataclass(frozen=True, eq=False)
class PlainColumn:
    """A column: how its cells are coded, and what they add to the scores.

    Attributes
    ----------
    name : str
    form : Form
    categories : tuple of str or None
        In the order of their codes; None for numbers.
    has_other : bool
        Whether the last code stands for all other categories.
    members : tuple of tuple of str
        Of categories that share a code: its name, which is one of ``categories``, then these.
    special : tuple of float
        Of numbers: those that are codes for something else. Theirs follow those of the bins.
    zone : str or None
        None for numbers that are no times. Times are seconds since 1970, and this is the zone they are shown in; ""
        without one.
    counts : ndarray of shape (n_codes,) or None
        Weight of the training rows, where it is known by code.
    """

    name: str
    form: Form
    categories: tuple[str, ...] | None = None
    has_other: bool = False
    zone: str | None = None
    counts: np.ndarray | None = None
    members: tuple[tuple[str, ...], ...] = ()
    special: tuple[float, ...] = ()

    @property
    def special_codes(self) -> dict[float, int]:
        """The code of each special code of numbers, which are the last."""
        edges = self.form.edges if isinstance(self.form, CodedForm) else None
        first = FIRST_BIN + 1 + (0 if edges is None else len(edges))
        return {value: first + k for k, value in enumerate(self.special)}

    @property
    def code_of(self) -> dict[str, int]:
        """The code of each category; numbers have none."""
        found = {label: k + FIRST_BIN for k, label in enumerate(self.categories or ())}
        return found | {label: found[name] for name, *group in self.members for label in group}

    @property
    def otherwise(self) -> int:
        """The code of all other categories."""
        return FIRST_BIN + len(self.categories or ()) if self.has_other else UNSEEN

    @property
    def is_time(self) -> bool:
        """Whether the numbers are seconds since 1970."""
        return self.zone is not None

    @property
    def numbers(self) -> list[float | None]:
        """The number that each label of ``code_of`` is that of; None for other text, such as "007"."""
        return [_number_of(label) for label in self.code_of]

    @property
    def is_silent(self) -> bool:
        """Whether no cell of the column changes any score."""
        form = self.form
        if not isinstance(form, CodedForm):
            return not (form.inverse_sd.any() or form.missing.any() or np.ptp(form.constant) > 0)
        return not form.table.any() and (form.line is None or not form.line.rises.any())


def _number_of(label: str) -> float | None:
    """The number that has this label; none has "007", nor do floats hold every whole number."""
    is_label = any_number([label]) and label_of(float(label)) == label
    return float(label) if is_label else None


@dataclass(frozen=True, eq=False)
class PlainPair:
    """``table[merges[0][code of one column], merges[1][code of the other]]``, of three columns with one index more.

    ``counts`` are those of training rows by bins.
    """

    columns: tuple[int, ...]
    merges: tuple[np.ndarray, ...]
    table: np.ndarray
    counts: np.ndarray

    @property
    def steps(self) -> list[np.ndarray]:
        """How far each code of each column leads into the cells of the table, one behind the other."""
        shape = self.table.shape[:-1]
        widths = [int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
        return [m.astype(np.int64) * width for m, width in zip(self.merges, widths, strict=True)]


@dataclass(frozen=True, eq=False)
class PlainScale:
    """How a number is read off its scores: location, log of the spread, and what missing cells leave unknown.

    Attributes
    ----------
    values, places : ndarray of shape (n_knots,)
        Values of the target and where they lie; between them, and beyond the ends, the scale is straight. Locations
        stay between the second and the last but one.
    cells : ndarray or None
        Places between the values of a discrete target, which takes these values only; None for all others.
    nodes, levels : ndarray of shape (n_parts + 1,)
        Quantiles of the errors, in units of their spread, and their probabilities. The first and the last part fall
        off exponentially, by half their width.
    points, shares : ndarray
        Errors and their probabilities that means are read from.
    least_level : float
        Of the first and the last part, where the quantiles of level 0 and 1 are taken.
    spreads : ndarray of shape (2,)
        Least and largest spread.
    shape_width : float
        The third score and the square of the fourth, over the square of this, are added to the square of the spread.
    low, per_step, table : float, float, ndarray
        Values of the target at equal steps of the scale, from which means are read; not those of a discrete target.
    """

    values: np.ndarray
    places: np.ndarray
    cells: np.ndarray | None
    nodes: np.ndarray
    levels: np.ndarray
    points: np.ndarray
    shares: np.ndarray
    least_level: float
    spreads: np.ndarray
    shape_width: float
    low: float
    per_step: float
    table: np.ndarray


@dataclass(frozen=True, eq=False)
class PlainModel:
    """What is exported.

    Attributes
    ----------
    columns : tuple of PlainColumn
    pairs : tuple of PlainPair
    intercept : ndarray of shape (n_scores,)
        One score for two classes, the log-odds of the second; otherwise one per class or point.
    prior : ndarray of shape (n_groups,)
        Probabilities where every class is impossible, which only happens without smoothing.
    classes : list or None
        Labels, as plain Python values; None for a numeric target.
    grid : ndarray or None
        The points of a numeric target; None for classes.
    correction : LevelCorrection or None
        Of the probabilities up to each point of the grid.
    scale : PlainScale or None
        Where a numeric target is read off a location and a spread instead.
    is_rate : bool
        Whether the only score is the log of a rate.
    statistic : str
        What is predicted of a numeric target: "mean", "median", or "median_on_grid", the first point at which the
        cumulated probability has passed one half.
    edits : Records or None
        What people changed by hand; None where nothing was.
    """

    columns: tuple[PlainColumn, ...]
    pairs: tuple[PlainPair, ...]
    intercept: np.ndarray
    prior: np.ndarray
    classes: list | None = None
    grid: np.ndarray | None = None
    correction: LevelCorrection | None = None
    scale: PlainScale | None = None
    is_rate: bool = False
    statistic: str = "mean"
    edits: Records | None = None

    def say_edits(self) -> list[str]:
        """One line for each edit that counts, for who reads an export."""
        if self.edits is None:
            return []
        lines = {}
        for record in self.edits.where(active=True) if self.edits["active"].any() else ():
            number, action, place = (record[name] for name in ("edit", "action", "column"))
            if number in lines or action == UNDO:
                continue
            bins = self.edits.where(edit=number)["bin"].tolist()
            rest = f" and {len(bins) - SHOWN_BINS} more" if len(bins) > SHOWN_BINS else ""
            what = f"{place} ({', '.join(bins[:SHOWN_BINS])}{rest})" if any(bins) else place
            who = ", ".join(text for text in (record["author"], record["when"]) if text)
            text = f"edited by hand: {number}. {action} {what}: {record['reason']} [{who}]"
            lines[number] = "".join(sign if sign.isprintable() else " " for sign in text)
        return list(lines.values())

    @property
    def n_scores(self) -> int:
        """How many sums a row has."""
        return len(self.intercept)

    @property
    def is_finite(self) -> bool:
        """Whether no cell rules a class out."""
        tables = [pair.table for pair in self.pairs]
        for column in self.columns:
            form = column.form
            tables += [form.table] if isinstance(form, CodedForm) else [form.constant, form.missing]
        return all(np.isfinite(table).all() for table in [self.intercept, *tables])


def make_plain_classifier(
    model: NaiveBayesModel, classes: np.ndarray, counts: JointCounts | None = None
) -> PlainModel:
    """The plain form of a classifier's model, with the counts of its training rows if they are known."""
    packing = Packing(model.schema, len(model.intercept), centred=True)
    plain = _make_plain(model, packing, counts)
    labels = classes.tolist()
    edits = describe_edits(model.edits, labels) if model.edits else None
    return replace(plain, intercept=model.intercept, classes=labels, edits=edits)


def check_classes(classes: list, form: str, kinds: str, largest: float = np.inf) -> None:
    """Refuse labels other than text, flags and numbers, or whole numbers too large to be told apart."""
    for label in classes:
        if not isinstance(label, str | int | float) or (
            isinstance(label, int) and abs(label) > largest
        ):
            raise unwritable_classes(form, kinds, classes)


def make_plain_regressor(
    model: NaiveBayesModel,
    grid: np.ndarray,
    statistic: str,
    correction: LevelCorrection | None = None,
) -> PlainModel:
    """The plain form of a model over the points of a numeric target."""
    packing = Packing(model.schema, len(grid), centred=False)
    return replace(
        _make_plain(model, packing), grid=grid, statistic=statistic, correction=correction
    )


def make_plain_located(model: NaiveBayesModel, scale: PlainScale, statistic: str) -> PlainModel:
    """The plain form of a model whose scores are a location, the log of a spread and what is unknown."""
    packing = Packing(model.schema, len(model.log_prior), centred=False)
    edits = describe_edits(model.edits, None) if model.edits else None
    return replace(_make_plain(model, packing), scale=scale, statistic=statistic, edits=edits)


def make_plain_rate(model: NaiveBayesModel) -> PlainModel:
    """The plain form of a model whose only score is the log of a rate."""
    return replace(_make_plain(model, Packing(model.schema, 1, centred=False)), is_rate=True)


def _make_plain(
    model: NaiveBayesModel, packing: Packing, counts: JointCounts | None = None
) -> PlainModel:
    columns = []
    for term in model.evidence_terms:
        j = term.column
        of_column = None if counts is None else counts.tables[j].sum(axis=1)
        columns.append(_make_column(model.schema.columns[j], term.form(packing), of_column))
    pairs = [_make_pair(pair, packing) for pair in model.pairs]
    for j in range(len(columns)):
        columns[j], pairs = coarsen(columns[j], j, pairs)
    return PlainModel(tuple(columns), tuple(pairs), model.log_prior, np.exp(model.log_prior))


def _make_column(column_schema: ColumnSchema, form: Form, counts: np.ndarray | None) -> PlainColumn:
    name = column_schema.name
    if isinstance(column_schema, NominalColumn):
        categories = column_schema.categories
        has_other = column_schema.has_other
        members = column_schema.members
        return PlainColumn(name, form, categories, has_other, counts=counts, members=members)
    assert isinstance(column_schema, NumericColumn)  # words have no form
    is_curve = not isinstance(form, CodedForm) or form.line is not None
    known = None if is_curve else counts  # codes of a curve are stretches of it
    special = column_schema.special
    return PlainColumn(name, form, zone=column_schema.zone, counts=known, special=special)


def _make_pair(pair: PairTerm, packing: Packing) -> PlainPair:
    table = packing.weigh(pair.log_table)
    return PlainPair(pair.columns, pair.merges, table, pair.rows)


def coarsen(
    column: PlainColumn, j: int, pairs: Sequence[PlainPair]
) -> tuple[PlainColumn, list[PlainPair]]:
    """The column without the edges that make no difference, to its own scores or to those of its pairs."""
    form = column.form
    if not isinstance(form, CodedForm) or form.edges is None or len(form.edges) == 0:
        return column, list(pairs)
    by_code = [form.table] if form.line is None else [form.table, *_arrays(form.line)]
    sides = [(k, pair.columns.index(j)) for k, pair in enumerate(pairs) if j in pair.columns]
    by_code += [pairs[k].merges[side] for k, side in sides]
    same = np.ones(len(form.edges), bool)
    end = FIRST_BIN + 1 + len(same)
    for array in by_code:
        apart = array[FIRST_BIN + 1 : end] != array[FIRST_BIN : end - 1]
        same &= ~apart.reshape(len(same), -1).any(axis=1)
    kept = np.concatenate([np.ones(FIRST_BIN + 1, bool), ~same, np.ones(len(column.special), bool)])
    line = None if form.line is None else Line(*(array[kept] for array in _arrays(form.line)))
    coarse = CodedForm(form.edges[~same], form.table[kept], line)
    found = list(pairs)
    for k, side in sides:
        merges = list(found[k].merges)
        merges[side] = merges[side][kept]
        found[k] = replace(found[k], merges=tuple(merges))
    counts = column.counts
    if counts is not None:
        counts = np.bincount(np.cumsum(kept) - 1, counts)
    return replace(column, form=coarse, counts=counts), found


def _arrays(line: Line) -> tuple[np.ndarray, ...]:
    return line.origins, line.slopes, line.offsets, line.rises
