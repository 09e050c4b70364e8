"""From the cells of a table to codes, in SQL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayfold.core.densities.terms import CodedForm
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.export.dialects import SqlDialect
from bayfold.export.plain import PlainColumn

CASES = 8
"""Categories that are compared one by one; among more, a comparison halves them first."""

FLAGS = {"True", "False"}
"""Labels of booleans."""


def read_cells(dialect: SqlDialect, column: PlainColumn, j: int) -> dict[str, str]:
    """The cells of a column as numbers (x), or as labels (l) and, where categories are fractions, as numbers (n)."""
    cell = f"t.{dialect.name_of(column.name)}"
    if column.categories is None:
        read = dialect.as_time if column.is_time else dialect.as_number
        return {f"x{j}": read(cell)}
    may_be_flag = column.code_of.keys() <= FLAGS
    cells = {f"l{j}": dialect.as_flag(cell) if may_be_flag else dialect.as_label(cell)}
    if _has_numbers(column):
        cells[f"n{j}"] = dialect.as_fraction(cell)
    return cells


def find_code(dialect: SqlDialect, column: PlainColumn, j: int) -> str:
    """The code of a cell that was read."""
    if column.categories is None:
        assert isinstance(column.form, CodedForm)
        assert column.form.edges is not None
        edges = dialect.count_edges(f"x{j}", column.form.edges)
        cases = [f"WHEN x{j} IS NULL THEN {MISSING}"]
        for value, code in column.special_codes.items():
            cases.append(f"WHEN x{j} = {dialect.number(value)} THEN {code}")
        return f"CASE {' '.join(cases)} ELSE {FIRST_BIN} + {edges} END"
    code_of = column.code_of
    otherwise = column.otherwise
    cases = [f"WHEN l{j} IS NULL THEN {MISSING}"]
    if _has_numbers(column):
        codes = zip(column.numbers, code_of.values(), strict=True)
        known = {x: code for x, code in codes if x is not None}
        ordered = [(dialect.number(x), known[x]) for x in sorted(known)]
        found = _search(f"n{j}", ordered, otherwise)
        cases.append(f"WHEN n{j} IS NOT NULL AND lower(l{j}) = 'nan' THEN {MISSING}")
        cases.append(f"WHEN n{j} IS NOT NULL THEN {found}")
    labels = sorted(code_of, key=_bytes_of)
    found = _search(f"l{j}", [(dialect.text(x), code_of[x]) for x in labels], otherwise)
    return f"CASE {' '.join(cases)} ELSE {found} END"


def _search(value: str, ordered: Sequence[tuple[str, int]], otherwise: int) -> str:
    """The code of a value among literals in increasing order."""
    if not ordered:
        return str(otherwise)
    if len(ordered) <= CASES:
        cases = " ".join(f"WHEN {literal} THEN {code}" for literal, code in ordered)
        return f"CASE {value} {cases} ELSE {otherwise} END"
    middle = len(ordered) // 2
    below, above = (
        _search(value, part, otherwise) for part in (ordered[:middle], ordered[middle:])
    )
    return f"CASE WHEN {value} < {ordered[middle][0]} THEN {below} ELSE {above} END"


def _has_numbers(column: PlainColumn) -> bool:
    return any(number is not None for number in column.numbers)


def _bytes_of(label: str) -> bytes:
    return label.encode("utf-8", "surrogatepass")


def place_on_line(dialect: SqlDialect, column: PlainColumn, j: int) -> str:
    """Which share of the rise of its code a number has gone."""
    assert isinstance(column.form, CodedForm)
    assert column.form.line is not None
    line = column.form.line
    code = f"c{j}"
    origin, slope, offset = (
        dialect.look_up(code, np.asarray(array, np.float64))
        for array in (line.origins, line.slopes, line.offsets)
    )
    share = dialect.clip(f"(x{j} - {origin}) * {slope} - {offset}", 0.0, 1.0)
    return f"COALESCE({share}, {dialect.number(0.0)})"
