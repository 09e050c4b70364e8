"""Numbers written as people write them: money, percent, units, ``(104)`` for -104, ``?`` for a missing cell.

A column of strings is one of numbers where all its cells are written in one notation. Codes, ratios, clock times,
versions and dates are not: there is one unit at most, the same in all cells.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold.core.frames.cells import (
    BLANKS,
    LEADING_ZERO,
    MISSING,
    SIGNS,
    count_matches,
    find_decimals,
    find_time_format,
    matches,
    number_pattern,
    parse_numbers,
)
from bayfold.core.label_cache import cached_per_labels

CURRENCIES = (
    r"[A-Z]{0,2}[$]|[€£¥₹₽₩₺₫₴₦₪]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|TRY|BRL|MXN|ZAR"
    r"|Fr\.|Rs\.?|kr\.?|zł|Kč|Ft"
)
"""What may stand before a number. Other letters there make a code, as in ``A12``."""
UNIT = r"[^\W\d_]|[%‰°\u2032\u2033²³/]"
"""A character of what may stand behind a number."""
LONGEST_UNIT = 12
"""Characters: "kWh/year" has eight, "kilometres" ten."""
CELL = re.compile(
    rf"(?P<sign>[+\u2212-]?)(?P<open>\(?)\s*(?P<before>(?:{CURRENCIES})?)\s*(?P<second>[+\u2212-]?)(?P<inner>\(?)\s*"
    r"(?P<number>[.,]?[0-9](?:[0-9.,'\u2019 \u00a0\u202f]*[0-9])?[.,]?(?:[eE][+-]?[0-9]+)?)"
    rf"(?P<gap>\s*)(?P<behind>(?:{CURRENCIES}|(?:{UNIT}){{1,{LONGEST_UNIT}}})?)\s*(?P<close>\)?)"
)
"""A number with its sign, its unit, and the parentheses that are an accountant's minus."""
FIRST_LABELS = 100
"""Labels that are looked at before all are: most columns of strings have no number among them."""
WRITTEN_MISSING = frozenset({*MISSING, "n/a", "-", "--", "\u2013", "\u2014"})
"""Spellings of a missing cell among numbers. Elsewhere a dash may be a category."""
MADE_MISSING = frozenset({"", "nan", "NaN", "None"})
"""Spellings that programs make of missing cells. They do not tell that a column of digits was meant as numbers."""
LEAST_DIGITS = 3
"""Of a date: of ``1-Jan-25``, the shortest there is."""
AMBIGUOUS = "ambiguous"


@dataclass(frozen=True)
class Notation:
    """How the numbers of a column are written.

    Attributes
    ----------
    unit : str
        Before or behind every number; empty where there is none. ``12%`` is 12, not .12.
    decimal : {".", ","}
        The decimal sign.
    is_before : bool
        Whether the unit stands before the number.
    """

    unit: str = ""
    decimal: str = "."
    is_before: bool = False

    def show(self, number: str) -> str:
        """A number with its unit.

        >>> Notation("$", ".", is_before=True).show("12"), Notation("kg").show("70.5")
        ('$12', '70.5 kg')
        """
        if not self.unit:
            return number
        gap = " " if self.unit[0].isalpha() else ""
        return f"{self.unit}{gap}{number}" if self.is_before else f"{number}{gap}{self.unit}"

    def write(self, values: np.ndarray, labels: list[str]) -> np.ndarray:
        """Numbers as cells with no more decimals than those of a column.

        >>> Notation("€", ",").write(np.array([3456.78, -0.5]), ["1.000,5€", "20€"])
        array(['3.456,8€', '-0,5€'], dtype=object)
        """
        known = [cell.number for cell in map(take_apart, labels) if cell is not None]
        places = max((len(number.partition(self.decimal)[2]) for number in known), default=0)
        gap = SIGNS[self.decimal]
        thousands = "," if any(gap in number for number in known) else ""
        swapped = str.maketrans(".,", self.decimal + gap)
        texts = [f"{value:{thousands}.{places}f}".translate(swapped) for value in values]
        return np.array([self.show(text) for text in texts], object)

    @property
    def example(self) -> tuple[str, str]:
        """A cell in this notation, and the number that it stands for: the same for all rows of a table and for some.

        >>> Notation("€", ",").example
        ('1.234,5€', '1234.5')
        """
        written = self.show(f"1{SIGNS[self.decimal]}234{self.decimal}5")
        return (written, "1234.5") if self.unit else ("(12)", "-12")


@dataclass(frozen=True)
class Cell:
    """One label taken apart."""

    number: str
    unit: str
    is_before: bool
    is_negative: bool
    is_accounting: bool


NO_NUMBER = Cell("", "", False, False, False)


def take_apart(label: str) -> Cell | None:
    """The parts of a label that is a number; None for any other.

    >>> take_apart("($1,234.50)").number, take_apart("1:30")
    ('1,234.50', None)
    """
    found = CELL.fullmatch(label.strip())
    if found is None:
        return None
    part = found.groupdict()
    signs = part["sign"] + part["second"]
    opened = part["open"] + part["inner"]
    is_code = len(part["behind"]) == 1 and part["behind"].isupper() and not part["gap"]  # as 12A is
    if len(opened) != len(part["close"]) or len(signs + opened) > 1 or is_code:
        return None
    if part["before"] and part["behind"]:
        return None
    unit = part["before"] or part["behind"]
    return Cell(
        part["number"],
        unit,
        bool(part["before"]),
        signs + opened in ("-", "\u2212", "("),
        bool(opened),
    )


def find_notation(labels: list[str]) -> Notation | str | None:
    """The notation in which all labels are numbers; ``AMBIGUOUS`` where there are two; None where there is none.

    Plain digits are labels still: somebody has made them strings. What tells numbers is a unit, accountants' minus,
    a sign of thousands, a decimal comma, or a ``?`` and the like among them.

    >>> find_notation(["$950", "$1,234"]), find_notation(["1,234 kg", "5,678 kg"]), find_notation(["101", "102"])
    (Notation(unit='$', decimal='.', is_before=True), 'ambiguous', None)
    """
    first = _take_known_apart(labels[:FIRST_LABELS])
    cells = first if len(labels) <= FIRST_LABELS or first is None else _take_known_apart(labels)
    if not cells or len({(cell.unit, cell.is_before) for cell in cells}) > 1:
        return None
    numbers = _numbers_of(cells)
    n_accounting = sum(cell.is_accounting for cell in cells)
    if count_matches(numbers, LEADING_ZERO) or n_accounting == len(cells):
        return None
    signs = find_decimals(numbers)
    has_unit = bool(cells[0].unit)
    is_marked = has_unit or n_accounting or _is_missing_written(labels) or "." not in signs
    if not signs or not (is_marked or count_matches(numbers, f"[,{BLANKS}]")):
        return None
    if not has_unit and _have_equal_groups(numbers):
        return None
    sign = signs[0] if len(signs) == 1 else _settle_sign(numbers)
    return AMBIGUOUS if sign is None else Notation(cells[0].unit, sign, cells[0].is_before)


def find_with_unit(labels: Any) -> Any:
    """Which labels are numbers with the unit that most of the first ones have.

    >>> import pyarrow as pa
    >>> find_with_unit(pa.array(["77%", "-999", "80%"])).to_pylist(), find_with_unit(pa.array(["a"])).to_pylist()
    ([True, False, True], [False])
    """
    import pyarrow as pa

    cells = [take_apart(label) for label in labels.slice(0, FIRST_LABELS).to_pylist()]
    units = Counter(cell.unit for cell in cells if cell is not None and cell.unit)
    if sum(units.values()) <= len(cells) / 2:
        return pa.array(np.zeros(len(labels), np.bool_))
    unit = units.most_common(1)[0][0]
    cells = [take_apart(label) for label in labels.to_pylist()]
    return pa.array([cell is not None and cell.unit == unit for cell in cells], pa.bool_())


def holds_dates(labels: list[str]) -> bool:
    """Whether the first labels are dates, in one way or in two.

    >>> holds_dates(["03/04/2025", "Jan 5, 2025"]), holds_dates(["03/04/2025"]), holds_dates(["12 kg"])
    (False, True, False)
    """
    import pyarrow as pa

    if not labels or sum(letter.isdigit() for letter in labels[0]) < LEAST_DIGITS:
        return False
    return find_time_format(pa.array(labels[:FIRST_LABELS]), month_first=True) is not None


def settle_notation(labels: list[str], decimal: str | None) -> Notation | str:
    """The notation of labels that somebody has called numbers, or else what is wrong with them.

    >>> settle_notation(["0101", "102"], None), settle_notation(["1,234 kg", "5,678 kg"], ".")
    (Notation(unit='', decimal='.', is_before=False), Notation(unit='kg', decimal='.', is_before=False))
    >>> settle_notation(["1,234 kg"], None), settle_notation(["1:30"], None)
    ('ambiguous', "'1:30'")
    """
    known = [label for label in labels if not _is_missing(label)]
    cells = [take_apart(label) for label in known]
    numbers = _numbers_of([cell or NO_NUMBER for cell in cells])
    signs = [sign for sign in SIGNS if decimal in (None, sign)]
    fitting = [matches(numbers, number_pattern(sign)).to_numpy(False) for sign in signs]
    is_number = np.any(fitting, axis=0)
    if not is_number.all():
        return repr(known[int(is_number.argmin())])
    pairs = zip(cells, known, strict=True)
    of_unit = {(cell.unit, cell.is_before): label for cell, label in pairs if cell and cell.unit}
    if len(of_unit) > 1:
        return f"{' and '.join(map(repr, list(of_unit.values())[:2]))}, in different units"
    whole = [sign for sign, fits in zip(signs, fitting, strict=True) if fits.all()]
    if not whole:
        apart = [known[int(fits.argmin())] for fits in fitting]
        return f"{' and '.join(map(repr, apart))}, with different decimal signs"
    sign = whole[0] if len(whole) == 1 else _settle_sign(numbers)
    unit, is_before = next(iter(of_unit), ("", False))
    return AMBIGUOUS if sign is None else Notation(unit, sign, is_before)


@cached_per_labels
def parse_labels(labels: list[str], notation: Notation) -> tuple[np.ndarray, str | None]:
    """The number of each label, NaN where a cell is missing, and the first label that is neither.

    >>> parse_labels(["12,5 %", "3", "n/a"], Notation("%", ","))
    (array([12.5,  3. ,  nan]), None)
    """
    cells = [None if _is_missing(label) else take_apart(label) for label in labels]
    known = [
        k for k, cell in enumerate(cells) if cell is not None and cell.unit in ("", notation.unit)
    ]
    numbers = _numbers_of([cells[k] for k in known])
    values = np.full(len(labels), np.nan)
    fitting = matches(numbers, number_pattern(notation.decimal)).to_numpy(zero_copy_only=False)
    places = np.array(known, np.int64)[fitting]
    if len(places):
        signs = np.array([-1.0 if cells[k].is_negative else 1.0 for k in places])
        values[places] = signs * parse_numbers(numbers.filter(fitting), notation.decimal).to_numpy()
    wrong = [label for label in _without(labels, places) if not _is_missing(label)]
    return values, wrong[0] if wrong else None


def _without(labels: list[str], places: np.ndarray) -> list[str]:
    rest = np.ones(len(labels), np.bool_)
    rest[places] = False
    return [labels[k] for k in np.flatnonzero(rest)]


def _take_known_apart(labels: list[str]) -> list[Cell] | None:
    """The cells that are not missing; None if one of them is no number."""
    cells = []
    for label in labels:
        if not _is_missing(label):
            cell = take_apart(label)
            if cell is None:
                return None
            cells.append(cell)
    return cells


def _is_missing(label: str) -> bool:
    return label.strip() in WRITTEN_MISSING


def _is_missing_written(labels: list[str]) -> bool:
    return any(_is_missing(label) and label.strip() not in MADE_MISSING for label in labels)


def _numbers_of(cells: list[Any]) -> Any:
    import pyarrow as pa

    return pa.array([cell.number for cell in cells], pa.string())


def _have_equal_groups(numbers: Any) -> bool:
    """Whether all are cut into the same number of groups, three or more, as phone numbers are.

    Thousands would differ in length.
    """
    groups = {len(re.findall(r"\d+", number)) for number in numbers.to_pylist()}
    return len(groups) == 1 and groups.pop() > 2


def _settle_sign(numbers: Any) -> str | None:
    """The decimal sign of numbers that fit both; None if nothing tells which.

    With three digits behind every sign, 1,234 is a thousand where numbers below a thousand have no sign at all.
    """
    texts = numbers.to_pylist()
    used = {sign for sign in SIGNS if any(sign in text for text in texts)}
    if not used:
        return "."
    is_plain = [not any(sign in text for sign in used) for text in texts]
    return SIGNS[used.pop()] if any(is_plain) and len(used) == 1 else None
