"""The cells of a table as codes, and what columns and pairs of columns add to the scores, in SQL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayfold.core.densities.terms import CodedForm, ParabolaForm
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.kernels.score import LARGEST_SQUARE
from bayfold.export.dialects import SqlDialect
from bayfold.export.plain import PlainColumn, PlainPair

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


FEWEST_JOINED = 8
"""Scores from which on a join is faster than look-ups, as each of these is a search."""

MOST_JOINED = 900
"""Scores and their rises are columns, of which SQLite has 2,000 at most."""

MOST_TABLES = 60
"""SQLite joins 64 at most."""

SMALLEST_SQUARE = 1e-290
"""Of less, PostgreSQL says that it underflows; beside a constant it is nothing."""


def write_term(dialect: SqlDialect, column: PlainColumn, j: int, score: int, n_scores: int) -> str:
    """What a column adds to a score."""
    form = column.form
    if isinstance(form, ParabolaForm):
        return _write_parabola(dialect, form, j, score, n_scores)
    value = dialect.look_up(f"c{j}", form.table[:, score])
    if form.line is None or not form.line.rises[:, score].any():
        return value
    return f"{value} + f{j} * {dialect.look_up(f'c{j}', form.line.rises[:, score])}"


def choose_joined(dialect: SqlDialect, columns: Sequence[PlainColumn], n_scores: int) -> list[int]:
    """The columns whose scores are read from a table that is joined, and not each by a look-up of its own."""
    if not (dialect.joins and FEWEST_JOINED <= n_scores <= MOST_JOINED):
        return []
    found = [
        j
        for j, column in enumerate(columns)
        if isinstance(column.form, CodedForm) and not column.is_silent
    ]
    return found if len(found) <= MOST_TABLES else []


def read_joined(column: PlainColumn, j: int, score: int) -> str:
    """What a column adds to a score, from its joined table."""
    assert isinstance(column.form, CodedForm)
    rise = f" + f{j} * w{j}.r{score}" if column.form.line is not None else ""
    return f"w{j}.v{score}{rise}"


def list_scores(dialect: SqlDialect, column: PlainColumn) -> tuple[list[str], list[list[str]]]:
    """The columns and the rows of a table to be joined: a code, its scores and their rises."""
    form = column.form
    assert isinstance(form, CodedForm)
    scores = range(form.table.shape[1])
    parts = [form.table] if form.line is None else [form.table, form.line.rises]
    names = [f"{letter}{s}" for letter, _ in zip("vr", parts, strict=False) for s in scores]
    values = np.concatenate(parts, axis=1)
    rows = [[str(code), *map(dialect.number, row)] for code, row in enumerate(values)]
    return ["code", *names], rows


def _write_parabola(
    dialect: SqlDialect, form: ParabolaForm, j: int, score: int, n_scores: int
) -> str:
    missing = dialect.number(form.missing[score])
    if n_scores < len(form.mean):
        value = f"({_square(dialect, form, j, 1)}) - ({_square(dialect, form, j, 0)})"
    else:
        value = f"({_square(dialect, form, j, score)}) - m{j}"
    return f"CASE WHEN x{j} IS NULL THEN {missing} ELSE {value} END"


def _square(dialect: SqlDialect, form: ParabolaForm, j: int, group: int) -> str:
    """The parabola of a group, kept within the floats as the kernel keeps it."""
    constant = dialect.number(form.constant[group])
    inverse = float(form.inverse_sd[group])
    if inverse == 0.0:
        return constant
    distance = f"(x{j} - {dialect.number(form.mean[group])})"
    with np.errstate(over="ignore"):
        near, far = (float(np.sqrt(2 * s) / inverse) for s in (SMALLEST_SQUARE, LARGEST_SQUARE))
    z = f"({distance} * {dialect.number(inverse)})"
    cases = f"WHEN abs({distance}) < {dialect.number(near)} THEN {constant}"
    if np.isfinite(far):
        beyond = f"{constant} - {dialect.number(LARGEST_SQUARE)}"
        cases += f" WHEN abs({distance}) > {dialect.number(far)} THEN {beyond}"
    return f"CASE {cases} ELSE {constant} - {z} * {z} * {dialect.number(0.5)} END"


def average_parabolas(dialect: SqlDialect, form: ParabolaForm, j: int) -> str:
    """The mean over the groups that are possible: without it, a number far out would drown the other columns."""
    possible = np.flatnonzero(np.isfinite(form.constant))
    total = write_sum([_square(dialect, form, j, int(g)) for g in possible])
    return f"({total}) / {max(len(possible), 1)}"


def place_of_pair(dialect: SqlDialect, pair: PlainPair) -> str:
    """The place of a row in the table of a pair of columns, or of three."""
    steps = zip(pair.columns, pair.steps, strict=True)
    found = [dialect.look_up(f"c{j}", step.astype(np.float64)) for j, step in steps]
    return f"CAST({' + '.join(found)} AS INTEGER)"


def write_pair(dialect: SqlDialect, pair: PlainPair, k: int, score: int) -> str:
    """What a pair of columns adds to a score."""
    return dialect.look_up(f"q{k}", pair.table[..., score].ravel())


def write_sum(summands: Sequence[str]) -> str:
    """A sum whose parentheses halve it: a thousand summands in a row are more than SQLite nests."""
    if len(summands) <= 1:
        return summands[0] if summands else "0.0"
    middle = len(summands) // 2
    return f"({write_sum(summands[:middle])}) + ({write_sum(summands[middle:])})"


def uses_number(column: PlainColumn) -> bool:
    """Whether the number of a cell is needed beside its code."""
    form = column.form
    return not isinstance(form, CodedForm) or form.line is not None
