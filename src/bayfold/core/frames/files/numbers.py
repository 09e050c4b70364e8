"""Numbers as people write them: with a decimal comma, with thousands apart, or plainly."""

from __future__ import annotations

from typing import Any

SIGNS = {".": ",", ",": "."}
"""What sets thousands apart where the key is the decimal sign; blanks and apostrophes always may."""
BLANKS = " '\u00a0\u202f\u2019"
LEADING_ZERO = r"^[+-]?0[0-9]"
"""A code such as 01067, which is no number: as one it would lose its zero."""
FLOAT_DIGITS = 18
"""Whole numbers of so many digits fit into 64 bits."""


def number_pattern(decimal: str) -> str:
    """The numbers with this decimal sign, in Arrow's regular expressions."""
    sign, other = f"\\{decimal}", f"[\\{SIGNS[decimal]}{BLANKS}]"
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
