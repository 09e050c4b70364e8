"""What databases write differently."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayfold.errors import text_with_zero

MOST_ARGUMENTS = 50
"""SQLite takes 127 of a function by default, older ones 100."""


class SqlDialect:
    """SQL that all three understand; what one of them writes differently is in its class."""

    name: str
    greatest = "greatest"
    least = "least"
    exact_case = False
    """Whether names that differ in case only are different."""
    longest_name = 10_000
    """In bytes; longer ones are cut."""
    joins = False
    """Whether many scores of a code are better read from a table that is joined."""

    def name_of(self, text: str) -> str:
        """A quoted name."""
        return '"' + _without_zero(text).replace('"', '""') + '"'

    def text(self, text: str) -> str:
        """A quoted string."""
        return "'" + _without_zero(text).replace("'", "''") + "'"

    def number(self, value: float) -> str:
        """A number with all its digits. The exponent makes it a float where it would be a decimal."""
        digits = repr(float(value))
        return digits if "e" in digits else digits + "e0"

    def literal(self, value: object) -> str:
        """A class label."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            return self.text(value)
        return str(value) if isinstance(value, int) else self.number(float(value))  # type: ignore[arg-type]

    def as_number(self, cell: str) -> str:
        """A cell as a float; NULL for NaN too."""
        raise NotImplementedError

    def as_time(self, cell: str) -> str:
        """A cell as seconds since 1970."""
        return self.as_number(f"EXTRACT(EPOCH FROM {cell})")

    def as_label(self, cell: str) -> str:
        """A cell as the label Python would give it, unless it is a fraction or a flag."""
        raise NotImplementedError

    def as_flag(self, cell: str) -> str:
        """A cell as a label, where it may be a flag: True and False begin with a capital in Python."""
        label = self.as_label(cell)
        capital = f"replace(replace({label}, 'true', 'True'), 'false', 'False')"
        return f"CASE WHEN {self.is_flag(cell)} THEN {capital} ELSE {label} END"

    def is_flag(self, cell: str) -> str:
        """Whether a cell is of the type of flags."""
        raise NotImplementedError

    def as_fraction(self, cell: str) -> str:
        """A cell as a number where its type is one of fractions, otherwise NULL."""
        raise NotImplementedError

    def is_nan(self, value: str) -> str:
        """Whether a sum is infinity less infinity."""
        raise NotImplementedError

    def count_edges(self, value: str, edges: np.ndarray) -> str:
        """How many edges lie at or below a value: a binary search of nested cases."""

        def search(low: int, high: int) -> str:
            if low == high:
                return str(low)
            middle = (low + high) // 2
            below = search(low, middle)
            above = search(middle + 1, high)
            edge = self.number(edges[middle])
            return f"CASE WHEN {value} < {edge} THEN {below} ELSE {above} END"

        return search(0, len(edges))

    def look_up(self, place: str, values: np.ndarray) -> str:
        """The value at a place counted from zero."""
        raise NotImplementedError

    def choose(self, function: str, values: Sequence[str]) -> str:
        """The greatest or least of values."""
        if len(values) == 1:
            return values[0]
        parts = [values[k : k + MOST_ARGUMENTS] for k in range(0, len(values), MOST_ARGUMENTS)]
        if len(parts) > 1:
            return self.choose(function, [self.choose(function, part) for part in parts])
        return f"{function}({', '.join(values)})"

    def clip(self, value: str, low: float, high: float) -> str:
        """A value between two bounds."""
        inner = f"{self.greatest}({value}, {self.number(low)})"
        return f"{self.least}({inner}, {self.number(high)})"


class DuckDB(SqlDialect):
    """DuckDB: lists for look-ups."""

    name = "duckdb"

    def number(self, value: float) -> str:
        """Infinity is a string that is cast."""
        return super().number(value) if np.isfinite(value) else f"CAST('{value}' AS DOUBLE)"

    def as_number(self, cell: str) -> str:
        """NaN equals itself here."""
        return f"NULLIF(CAST({cell} AS DOUBLE), CAST('NaN' AS DOUBLE))"

    def as_label(self, cell: str) -> str:
        """Text, compared byte by byte, whatever the collation of the column."""
        return f'(CAST({cell} AS VARCHAR) COLLATE "C")'

    def is_flag(self, cell: str) -> str:
        """By the type of the column."""
        return f"typeof({cell}) = 'BOOLEAN'"

    def as_fraction(self, cell: str) -> str:
        """By the type of the column."""
        is_fraction = f"typeof({cell}) IN ('DOUBLE', 'FLOAT') OR typeof({cell}) LIKE 'DECIMAL%'"
        return f"CASE WHEN {is_fraction} THEN TRY_CAST({cell} AS DOUBLE) END"

    def is_nan(self, value: str) -> str:
        """A function."""
        return f"isnan({value})"

    def look_up(self, place: str, values: np.ndarray) -> str:
        """From a list, which is counted from one; read from text, in a tenth of the time of a list of expressions."""
        if len(np.unique(values)) == 1:
            return self.number(values[0])
        return f"CAST('{values.tolist()}' AS DOUBLE[])[{place} + 1]"


class Postgres(SqlDialect):
    """PostgreSQL: arrays for look-ups and searches; types of numbers must be named."""

    name = "postgres"
    exact_case = True
    longest_name = 63

    def text(self, text: str) -> str:
        """Backslashes are escaped, in whichever mode the server reads strings."""
        quoted = super().text(text)
        return "E" + quoted.replace("\\", "\\\\") if "\\" in text else quoted

    def number(self, value: float) -> str:
        """Otherwise it would be a decimal."""
        return f"'{float(value)!r}'::float8"

    def as_number(self, cell: str) -> str:
        """NaN equals itself here."""
        return f"NULLIF({cell}::float8, 'NaN'::float8)"

    def as_label(self, cell: str) -> str:
        """Text, compared byte by byte, whatever the locale."""
        return f'({cell}::text COLLATE "C")'

    def is_flag(self, cell: str) -> str:
        """By the type of the column."""
        return f"pg_typeof({cell}) = 'boolean'::regtype"

    def as_fraction(self, cell: str) -> str:
        """By the type of the column."""
        types = ", ".join(f"'{t}'::regtype" for t in ("float8", "float4", "numeric"))
        return f"CASE WHEN pg_typeof({cell}) IN ({types}) THEN {cell}::text::float8 END"

    def is_nan(self, value: str) -> str:
        """NaN equals itself here."""
        return f"{value} = 'NaN'::float8"

    def count_edges(self, value: str, edges: np.ndarray) -> str:
        """The server has a search of its own."""
        return f"width_bucket({value}, {self._array(edges)})" if len(edges) else "0"

    def look_up(self, place: str, values: np.ndarray) -> str:
        """From an array, which is counted from one."""
        if len(np.unique(values)) == 1:
            return self.number(float(values[0]))
        return f"({self._array(values)})[{place} + 1]"

    @staticmethod
    def _array(values: np.ndarray) -> str:
        return "'{" + ",".join(map(repr, values.tolist())) + "}'::float8[]"


class SQLite(SqlDialect):
    """SQLite: cells have types, columns have not; look-ups are nested cases."""

    name = "sqlite"
    greatest = "max"
    least = "min"
    joins = True

    def number(self, value: float) -> str:
        """Infinity is a number beyond the floats."""
        if np.isinf(value):
            return "9e999" if value > 0 else "-9e999"
        return super().number(value)

    def as_number(self, cell: str) -> str:
        """Text counts where it reads as a number; other text, which a cast would make zero, is missing."""
        is_number = f"typeof({cell}) IN ('integer', 'real')"
        reads_so = f"typeof({cell}) = 'text' AND json_valid(trim({cell}))"
        kind = f"json_type(trim({cell})) IN ('integer', 'real')"
        value = f"CAST({cell} AS REAL)"
        return (
            f"CASE WHEN {is_number} THEN {value} "
            f"WHEN {reads_so} THEN CASE WHEN {kind} THEN CAST(trim({cell}) AS REAL) END END"
        )

    def as_time(self, cell: str) -> str:
        """Numbers are seconds since 1970; of text, SQLite reads whole seconds and the fraction is read here."""
        dot = f"instr({cell}, '.')"
        zone = f"ltrim(substr({cell}, {dot} + 1), '0123456789')"
        whole = f"substr({cell}, 1, {dot} - 1) || {zone}"
        fraction = f"CAST('0' || substr({cell}, {dot}) AS REAL)"
        return (
            f"CASE WHEN typeof({cell}) <> 'text' THEN CAST({cell} AS REAL) "
            f"WHEN {dot} > 0 THEN strftime('%s', {whole}) + {fraction} "
            f"ELSE CAST(strftime('%s', {cell}) AS REAL) END"
        )

    def as_label(self, cell: str) -> str:
        """Text; a joined string has no collation of its column."""
        return f"CAST({cell} AS TEXT) || ''"

    def as_flag(self, cell: str) -> str:
        """There is no such type: whole numbers are flags where flags are expected."""
        flag = f"CASE {cell} WHEN 1 THEN 'True' WHEN 0 THEN 'False' END"
        return f"CASE WHEN typeof({cell}) = 'integer' THEN {flag} ELSE {self.as_label(cell)} END"

    def as_fraction(self, cell: str) -> str:
        """By the type of the cell."""
        return f"CASE WHEN typeof({cell}) = 'real' THEN {cell} END"

    def is_nan(self, value: str) -> str:
        """Infinity less infinity is nothing here."""
        return f"{value} IS NULL"

    def look_up(self, place: str, values: np.ndarray) -> str:
        """A binary search of nested cases, over runs of equal values."""
        ends = np.flatnonzero(values[1:] != values[:-1]) + 1
        firsts = values[np.append(0, ends)]

        def search(low: int, high: int) -> str:
            if low == high:
                return self.number(float(firsts[low]))
            middle = (low + high) // 2
            below = search(low, middle)
            above = search(middle + 1, high)
            return f"CASE WHEN {place} < {ends[middle]} THEN {below} ELSE {above} END"

        return search(0, len(ends))


DIALECTS: dict[str, SqlDialect] = {d.name: d for d in (DuckDB(), SQLite(), Postgres())}


def _without_zero(text: str) -> str:
    if "\0" in text:
        raise text_with_zero(text)
    return text
