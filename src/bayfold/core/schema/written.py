"""Columns of strings that are numbers: found when a schema is inferred, and read by the schema from then on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bayfold import errors
from bayfold.core.frames import BagColumn, Column, Table
from bayfold.core.frames.columns import number_column
from bayfold.core.frames.notation import (
    AMBIGUOUS,
    Notation,
    find_notation,
    holds_dates,
    parse_labels,
    settle_notation,
)
from bayfold.core.frames.table import Numbers, WholeTable
from bayfold.core.schema.types import NumericColumn, Schema


@dataclass(frozen=True)
class WrittenNumbers:
    """The numbers that the labels of a column are; as ``Numbers``."""

    low: float
    high: float
    values: np.ndarray


@dataclass(frozen=True)
class WrittenWhole:
    """All rows of a table that was too long to be held, some of whose labels are numbers; as ``WholeTable``."""

    inner: WholeTable
    notations: dict[int, Notation]

    @property
    def target(self) -> Numbers | None:
        """Of a numeric target."""
        return self.inner.target

    def labels(self, column: int) -> tuple[list[str], np.ndarray]:
        """The labels of a column, and the weight of each."""
        return self.inner.labels(column)

    def numbers(self, column: int) -> Numbers:
        """The numbers of a column."""
        if column not in self.notations:
            return self.inner.numbers(column)
        numbers, _ = parse_labels(self.inner.labels(column)[0], self.notations[column])
        values = np.unique(numbers[~np.isnan(numbers)])
        return WrittenNumbers(values[0], values[-1], values)


def find_notations(
    table: Table, others: frozenset[int], asked: Mapping[int, str | None] | None = None
) -> dict[int, Notation]:
    """How the numbers of columns of strings are written, by column; says which these are, and which are in doubt.

    Columns of ``others`` are not looked at: somebody has said what they are. Those of ``asked`` must be numbers, with
    the decimal sign that is given there or else the one they tell.
    """
    asked = asked or {}
    found: dict[int, Notation] = {}
    doubtful = []
    dates = []
    examples = []
    for j, column in enumerate(table.columns):
        if j in others or isinstance(column, BagColumn) or column.kind != "nominal":
            continue
        labels = column.labels()[1] if table.whole is None else table.whole.labels(j)[0]
        notation = _settle(column.name, labels, asked[j]) if j in asked else find_notation(labels)
        if isinstance(notation, Notation) and j in asked:
            found[j] = notation
        elif isinstance(notation, Notation):
            found[j] = notation
            examples.append((column.name, *notation.example))
        elif notation is not None:
            doubtful.append(
                (column.name, next(label for label in labels if "," in label or "." in label))
            )
        elif holds_dates(labels):
            dates.append((column.name, labels[0]))
    if examples:
        errors.warn(errors.read_as_numbers(examples))
    if doubtful:
        errors.warn(errors.doubtful_numbers(doubtful))
    if dates:
        errors.warn(errors.dates_as_strings(dates))
    return found


def _settle(name: str, labels: list[str], decimal: str | None) -> Notation:
    """The notation of a column that must be one of numbers."""
    notation = settle_notation(labels, decimal)
    if isinstance(notation, Notation):
        return notation
    if notation == AMBIGUOUS:
        written = next(label for label in labels if "," in label or "." in label)
        raise errors.decimal_sign_needed(name, written)
    raise errors.not_numbers(name, notation)


def read_written(table: Table, notations: Mapping[int, Notation]) -> Table:
    """The table with numbers for the columns of strings in these notations."""
    columns = list(table.columns)
    for j, notation in notations.items():
        columns[j] = _read_column(columns[j], notation)
    if all(new is old for new, old in zip(columns, table.columns, strict=True)):
        return table
    whole = None if table.whole is None else WrittenWhole(table.whole, dict(notations))
    read = replace(table, columns=tuple(columns), whole=whole)
    read.few_values.update(table.few_values)
    return read


def notations_of(schema: Schema) -> dict[int, Notation]:
    """How the columns of a schema are written, where that is not plain."""
    return {
        j: column.notation
        for j, column in enumerate(schema.columns)
        if isinstance(column, NumericColumn) and column.notation is not None
    }


def _read_column(column: Column, notation: Notation) -> Column:
    """Numbers stay what they are; a label that is none is refused."""
    if column.kind != "nominal":
        return column
    indices, labels = column.labels()
    values, wrong = parse_labels(labels, notation)
    if wrong is not None:
        raise errors.not_in_notation(column.name, notation.show("12"), wrong)
    return number_column(column.name, np.append(values, np.nan)[indices])  # -1 is missing
