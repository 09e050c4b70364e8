"""Cells of text files: numbers as people write them, dates and times."""

from __future__ import annotations

from itertools import product
from typing import Any

MISSING = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None", "?")
"""Spellings of a missing cell: of R, pandas, spreadsheets, SQL, Python and WEKA."""
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
ISO = rf"^{DATE}(?:{CLOCK})?$"
ISO_WITH_ZONE = rf"^{DATE}{CLOCK}(?:Z|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)$"
ISO_FORMATS = {"iso": (ISO, None), "iso with zone": (ISO_WITH_ZONE, "UTC")}
"""Patterns, and the zone of what they match."""
DAYS = (
    (r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}", ("%d.%m.%Y",)),
    (r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}", ("%d.%m.%y",)),
    (r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}", ("%d/%m/%y", "%m/%d/%y")),
    (r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}", ("%Y/%m/%d",)),
    (r"[A-Z][a-z]{2,8} [0-9]{1,2}, [0-9]{4}", ("%b %d, %Y",)),
    (r"[0-9]{1,2} [A-Z][a-z]{2,8} [0-9]{4}", ("%d %b %Y",)),
    (r"[0-9]{1,2}-[A-Z][a-z]{2}-[0-9]{4}", ("%d-%b-%Y",)),
    (r"[0-9]{1,2}-[A-Z][a-z]{2}-[0-9]{2}", ("%d-%b-%y",)),
)
"""Patterns with the orders of day, month and year they may stand for; names of months are English."""
HOURS = (
    ("", ""),
    (r" [0-9]{1,2}:[0-9]{2}", " %H:%M"),
    (r" [0-9]{1,2}:[0-9]{2}:[0-9]{2}", " %H:%M:%S"),
    (r" [0-9]{1,2}:[0-9]{2} [AP]M", " %I:%M %p"),
    (r" [0-9]{1,2}:[0-9]{2}:[0-9]{2} [AP]M", " %I:%M:%S %p"),
)
"""What may stand behind a day."""
FIRST_CELLS = 100
"""Cells that are looked at before all are."""


def find_time_format(cells: Any, month_first: bool | None = None) -> str | None:
    """How all cells are times: one of ``ISO_FORMATS`` or an order of day, month and year; None if they are not.

    Where two orders fit, ``month_first`` decides; None if nothing does.
    """
    for form, (pattern, _) in ISO_FORMATS.items():
        if all_match(cells, pattern):
            return form if read_times(cells, form) is not None else None
    for (day, days), (hour, clock) in product(DAYS, HOURS):
        pattern = f"^{day}{hour}$"
        if all_match(cells.slice(0, FIRST_CELLS), pattern) and all_match(cells, pattern):
            orders = [order + clock for order in days]
            fitting = [order for order in orders if read_times(cells, order) is not None]
            if len(fitting) == 2 and month_first is not None:
                return orders[int(month_first)]
            return fitting[0] if len(fitting) == 1 else None
    return None


def read_times(cells: Any, form: str) -> Any:
    """Cells of a known format as timestamps, or None if one of them is no such time."""
    import pyarrow as pa

    if form not in ISO_FORMATS:
        times = _strptime(cells, form)
        return times if times.null_count == cells.null_count else None
    try:
        return cells.cast(pa.timestamp("us", ISO_FORMATS[form][1]))
    except pa.ArrowInvalid:  # a 30th of February
        return None


def _strptime(cells: Any, order: str) -> Any:
    """Times, null for a 31st of February, which Arrow takes for the 2nd or 3rd of March."""
    import pyarrow as pa
    import pyarrow.compute as pc

    times = pc.strptime(cells, order, "s", error_is_null=True)
    padded = pc.replace_substring_regex(cells, r"\b(\d)\b", r"0\1")
    padded = pc.replace_substring_regex(padded, "([A-Z][a-z]{2})[a-z]+", r"\1")
    is_such_day = pc.equal(pc.strftime(times, order), padded)
    return pc.if_else(is_such_day, times, pa.scalar(None, times.type))


SIGNS = {".": ",", ",": "."}
"""What sets thousands apart where the key is the decimal sign; blanks and apostrophes always may."""
BLANKS = " '\u00a0\u202f\u2019"
LEADING_ZERO = r"^[+-]?0[0-9xX]"
"""A code such as 01067 or 0x1F, which is no number: as one it would lose its zero, and Arrow reads hexadecimals."""
FLOAT_DIGITS = 18
"""Whole numbers of so many digits fit into 64 bits."""


def number_pattern(decimal: str) -> str:
    """The numbers with this decimal sign, in Arrow's regular expressions."""
    sign = f"\\{decimal}"
    other = f"[\\{SIGNS[decimal]}{BLANKS}]"
    plain = rf"(?:[0-9]+{sign}?[0-9]*|{sign}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    # one kind of gap: 1,234,567 and 1 234 567 are numbers, 1,234 567 is none
    grouped = "|".join(
        rf"[1-9][0-9]{{0,2}}(?:{gap}[0-9]{{3}})+(?:{sign}[0-9]*)?" for gap in _gaps(other)
    )
    return rf"^[+-]?(?:{plain}|{grouped}|(?i:inf|infinity))$"


def _gaps(characters: str) -> list[str]:
    return [f"\\{c}" if c in ".," else c for c in characters.strip("[]").replace("\\", "")]


def matches(cells: Any, pattern: str) -> Any:
    """Which cells match; missing ones do not."""
    import pyarrow.compute as pc

    return pc.fill_null(pc.match_substring_regex(cells, pattern), False)


def count_matches(cells: Any, pattern: str) -> int:
    """How many cells match."""
    return count_true(matches(cells, pattern))


def count_true(mask: Any) -> int:
    """How many entries are true."""
    import pyarrow.compute as pc

    return int(pc.sum(mask).as_py() or 0)


def all_match(cells: Any, pattern: str) -> bool:
    """Whether all known cells match."""
    return count_matches(cells, pattern) == len(cells) - cells.null_count


def find_decimals(cells: Any) -> tuple[str, ...]:
    """The decimal signs with which all cells are numbers: none, one, or both."""
    return tuple(sign for sign in SIGNS if all_match(cells, number_pattern(sign)))


def parse_numbers(cells: Any, decimal: str) -> Any:
    """Cells that match the pattern as whole numbers or floats."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = pc.replace_substring_regex(cells, rf"^\+|[\{SIGNS[decimal]}{BLANKS}]", "")
    if decimal != ".":
        plain = pc.replace_substring(plain, decimal, ".")
    if all_match(plain, rf"^-?[0-9]{{1,{FLOAT_DIGITS}}}$"):
        return plain.cast(pa.int64())
    return plain.cast(pa.float64())


def plain_numbers(cells: Any) -> Any:
    """The numbers if Arrow reads all cells without help, which is fast; None otherwise."""
    import pyarrow as pa

    for kind in (pa.int64(), pa.float64()):
        try:
            return cells.cast(kind)
        except pa.ArrowInvalid:
            continue
    return None
