"""A model of two classes as a scorecard: whole points by column and bin, to be added up by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from bayfold.core.densities.terms import CodedForm
from bayfold.core.evidence import Records
from bayfold.core.evidence.bins import interval_label, name_special
from bayfold.core.frames import Table, read_table
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.errors import (
    check_number,
    scorecard_needs_two_classes,
    scorecard_of_three_columns,
    unknown_good_class,
    wrong_number_of_features,
)
from bayfold.export.card_rows import (
    CardMeasures,
    add_outcomes,
    count_outcomes,
    measure_points,
    write_card_page,
)
from bayfold.export.plain import PlainColumn, PlainModel, PlainPair, coarsen
from bayfold.export.steps import cut_into_steps, round_points

BASE = "(base)"

NOTHING = "(nothing)"
"""The label of a code that no cell has."""

FOLLOWED = (0.5, 0.0, 1 / 12)
"""The largest error of rounding a curve, its mean and its variance: anything between two halves is as likely."""


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Points by column and bin. The points of a row are those of its cells, added to the base.

    Attributes
    ----------
    table : Records
        Columns column, bin, lower, upper and points; beside rows whose class is known also rows, share, event_rate (of
        the other class), woe and iv. The base is the first record.
    good : class label
        The class that points speak for.
    factor, offset : float
        Points are ``offset + factor * log(odds)``.
    largest_error, typical_error : float
        What rounding can move the points of a row by, and the root of its mean square over training rows, as far as
        columns are independent.
    largest_effect, typical_effect : float
        The same as a difference in probability, for a row at even odds, where it is largest.
    measures : CardMeasures or None
        Gini, KS and information values, where the card was made beside rows whose class is known.
    """

    table: Records
    good: Any
    factor: float
    offset: float
    largest_error: float
    typical_error: float
    columns: tuple[PlainColumn, ...]
    pairs: tuple[PlainPair, ...]
    measures: CardMeasures | None = None

    @property
    def base(self) -> int:
        """The points of a row before its cells are looked at."""
        return int(self.table["points"][0])

    @property
    def largest_effect(self) -> float:
        """The largest difference in probability that rounding can make."""
        return float(np.tanh(self.largest_error / self.factor / 4))

    @property
    def typical_effect(self) -> float:
        """The difference in probability that rounding usually makes at even odds."""
        return float(np.tanh(self.typical_error / self.factor / 4))

    def score(self, X: Any) -> np.ndarray:
        """The points of each row of a table with the columns of the training table, in the same order."""
        return self._add_up(self._find_codes(read_table(X)))

    def measured(self, table: Table, outcomes: np.ndarray) -> Scorecard:
        """The card beside rows, with the weight of each as one of the other class and as one of the good class."""
        codes = self._find_codes(table)
        shown = [[] if c.is_silent else list_shown(describe_codes(c)) for c in self.columns]
        counted = count_outcomes(codes, self.columns, shown, self.pairs, outcomes)
        records = add_outcomes(self.table, *counted)
        measures = measure_points(self._add_up(codes), outcomes, records)
        return replace(self, table=records, measures=measures)

    def _find_codes(self, table: Table) -> list[np.ndarray]:
        if len(table.columns) != len(self.columns):
            raise wrong_number_of_features(len(table.columns), "Scorecard", len(self.columns))
        return [find_codes(table, column, j) for j, column in enumerate(self.columns)]

    def _add_up(self, codes: list[np.ndarray]) -> np.ndarray:
        points = np.full(len(codes[0]), self.base, np.int64)
        for column, code in zip(self.columns, codes, strict=True):
            assert isinstance(column.form, CodedForm)
            points += column.form.table[code, 0].astype(np.int64)
        for pair in self.pairs:
            a, b = (merge[codes[j]] for j, merge in zip(pair.columns, pair.merges, strict=True))
            points += pair.table[a, b, 0].astype(np.int64)
        return points

    def to_probability(self, points: Any) -> np.ndarray:
        """The probability of the good class that points stand for."""
        odds = (np.asarray(points, np.float64) - self.offset) / self.factor
        return 1.0 / (1.0 + np.exp(-odds))

    def to_dict(self) -> dict[str, list]:
        """The table as lists of plain Python values."""
        return self.table.to_dict()

    def to_frame(self, library: str = "pandas") -> Any:
        """The table as a frame of ``"pandas"``, ``"polars"`` or ``"arrow"``."""
        return self.table.to_frame(library)

    def to_html(self) -> str:
        """The whole card as a page."""
        return write_card_page(self.table, self._notes())

    def __repr__(self) -> str:
        return "\n".join([repr(self.table), *self._notes()])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        return self.table._repr_html_() + notes

    def _notes(self) -> list[str]:
        measured = [] if self.measures is None else [self.measures.describe()]
        return [
            *measured,
            f"Points for {self.good!r}: {self.offset:.4g} + {self.factor:.4g} x log-odds.",
            f"Rounding moves a probability by {self.typical_effect:.2%} typically, "
            f"by {self.largest_effect:.2%} at most.",
        ]


def make_scorecard(
    model: PlainModel,
    points_to_double_odds: float,
    base_points: float,
    base_odds: float,
    good: Any = None,
) -> Scorecard:
    """The scorecard of a model; parameters as in ``to_scorecard``."""
    check_number("points_to_double_odds", points_to_double_odds, above=True)
    check_number("base_points", base_points, -np.inf)
    check_number("base_odds", base_odds, above=True)
    classes = model.classes
    if classes is None or len(classes) != 2:
        raise scorecard_needs_two_classes("none" if classes is None else f"{len(classes)} classes")
    if triples := [pair for pair in model.pairs if len(pair.columns) > 2]:
        names = [" x ".join(model.columns[j].name for j in pair.columns) for pair in triples]
        raise scorecard_of_three_columns(names)
    if not model.is_finite:
        raise scorecard_needs_two_classes("a cell that rules a class out, without smoothing")
    good = classes[1] if good is None else good
    if good not in classes:
        raise unknown_good_class(good, classes)
    factor = float(points_to_double_odds / np.log(2.0))
    offset = float(base_points - factor * np.log(base_odds))
    sign = factor if good == classes[1] else -factor
    base = offset + sign * float(model.intercept[0])
    stepped = [cut_into_steps(column, sign) for column in model.columns]
    pairs = [replace(pair, table=sign * pair.table) for pair in model.pairs]
    errors = _measure_errors(model, stepped, pairs, base)
    for j, column in enumerate(stepped):
        stepped[j], pairs = coarsen(_round_column(column), j, pairs)
    pairs = [replace(pair, table=round_points(pair.table)) for pair in pairs]
    return Scorecard(
        _make_records(stepped, pairs, int(round_points(base))),
        good,
        factor,
        offset,
        float(errors[:, 0].sum()),
        float(np.hypot(errors[:, 1].sum(), np.sqrt(errors[:, 2].sum()))),
        tuple(stepped),
        tuple(pairs),
    )


def _round_column(column: PlainColumn) -> PlainColumn:
    assert isinstance(column.form, CodedForm)
    return replace(column, form=replace(column.form, table=round_points(column.form.table)))


def _measure_errors(
    model: PlainModel, stepped: Sequence[PlainColumn], pairs: Sequence[PlainPair], base: float
) -> np.ndarray:
    """The largest error of rounding, its mean and its variance, for each column, each pair and the base."""
    found = []
    for column, steps in zip(model.columns, stepped, strict=True):
        assert isinstance(steps.form, CodedForm)
        is_table = isinstance(column.form, CodedForm) and column.form.line is None
        # a curve is cut where it crosses a half, and takes all values between two halves on its way
        follows = not (is_table or column.is_silent)
        found.append(FOLLOWED if follows else _errors_of(steps.form.table, column.counts))
    found += [_errors_of(pair.table, pair.counts) for pair in pairs]
    return np.array([*found, _errors_of(np.array([base]))])


def _errors_of(exact: np.ndarray, counts: np.ndarray | None = None) -> tuple[float, float, float]:
    errors = (round_points(exact) - exact).ravel()
    weights = counts.ravel() if counts is not None and counts.any() else np.ones(len(errors))
    mean = np.average(errors, weights=weights)
    variance = np.average((errors - mean) ** 2, weights=weights)
    return float(np.abs(errors).max()), float(mean), float(variance)


# the table


def _make_records(columns: Sequence[PlainColumn], pairs: Sequence[PlainPair], base: int) -> Records:
    rows: list[tuple[str, str, float, float, int]] = [(BASE, "", np.nan, np.nan, base)]
    for column in columns:
        if not column.is_silent:
            rows += _describe_column(column)
    for pair in pairs:
        rows += _describe_pair(pair, columns)
    names = ("column", "bin", "lower", "upper", "points")
    kinds = (object, object, np.float64, np.float64, np.int64)
    cells = zip(names, kinds, zip(*rows, strict=True), strict=True)
    return Records({name: np.array(found, kind) for name, kind, found in cells})


def _describe_column(column: PlainColumn) -> list[tuple[str, str, float, float, int]]:
    assert isinstance(column.form, CodedForm)
    bins = describe_codes(column)
    points = column.form.table[:, 0].astype(int).tolist()
    return [(column.name, *bins[code], points[code]) for code in list_shown(bins)]


def list_shown(bins: Sequence[tuple[str, float, float]]) -> list[int]:
    """The codes that cells can have."""
    return [code for code, found in enumerate(bins) if found[0] is not NOTHING]


def describe_codes(column: PlainColumn) -> list[tuple[str, float, float]]:
    """The label and the bounds of each code; nothing for what cannot be, such as an unseen number."""
    assert isinstance(column.form, CodedForm)
    missing = ("(missing)", np.nan, np.nan)
    if column.categories is None:
        edges = column.form.edges
        assert edges is not None
        lower = np.append(-np.inf, edges).tolist()
        upper = np.append(edges, np.inf).tolist()
        bounds = zip(lower, upper, strict=True)
        known = [(interval_label(a, b, column.zone), a, b) for a, b in bounds]
        special = [(name_special(value), np.nan, np.nan) for value in column.special]
        return [missing, (NOTHING, np.nan, np.nan), *known, *special]
    labels = [*column.categories, *(["(other)"] if column.has_other else [])]
    unseen = NOTHING if column.has_other else "(unseen)"
    return [missing, *((label, np.nan, np.nan) for label in [unseen, *labels])]


def _describe_pair(
    pair: PlainPair, columns: Sequence[PlainColumn]
) -> list[tuple[str, str, float, float, int]]:
    """The points of pairs of bins; those without points are left out."""
    first, second = (
        _label_merged(columns[j], merge) for j, merge in zip(pair.columns, pair.merges, strict=True)
    )
    name = " x ".join(columns[j].name for j in pair.columns)
    table = pair.table[..., 0].astype(int)
    return [
        (name, f"{first[a]} & {second[b]}", np.nan, np.nan, int(table[a, b]))
        for a, b in zip(*np.nonzero(table), strict=True)
    ]


def _label_merged(column: PlainColumn, merge: np.ndarray) -> list[str]:
    """The label of each coarse bin: its codes, or of numbers the interval they cover."""
    found = describe_codes(column)
    labels = []
    for k in range(int(merge.max()) + 1):
        codes = np.flatnonzero(merge == k)
        end = len(found) - len(column.special)
        is_alone = (codes < FIRST_BIN) | (codes >= end) | (column.categories is not None)
        words = [found[code][0] for code in codes[is_alone]]
        known = codes[(codes >= FIRST_BIN) & (codes < end)]
        if column.categories is None and len(known):
            low = found[known[0]][1]
            high = found[known[-1]][2]
            words.append(interval_label(low, high, column.zone))
        labels.append(" or ".join(word for word in words if word is not NOTHING))
    return labels


# the points of rows


def find_codes(table: Table, column: PlainColumn, j: int) -> np.ndarray:
    """The code of each cell of a column."""
    assert isinstance(column.form, CodedForm)
    if column.categories is not None:
        indices, labels = table.columns[j].labels()
        code_of = column.code_of
        by_label = [code_of.get(label, column.otherwise) for label in labels]
        return np.array([*by_label, MISSING])[indices]
    assert column.form.edges is not None
    x = table.columns[j].numbers(0, table.n_rows)
    bins = np.searchsorted(column.form.edges, x, side="right")
    codes = np.where(np.isnan(x), MISSING, FIRST_BIN + bins)
    for value, code in column.special_codes.items():
        codes[x == value] = code
    return codes
