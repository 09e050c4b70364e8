"""Lists of names on the command line."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from bayfold import errors


def split_names(given: Sequence[str] | None) -> list[str]:
    """Names parted by commas, options repeated; a name with a comma stands in quotes.

    >>> split_names(["a,b", '"c,d"'])
    ['a', 'b', 'c,d']
    """
    parts = [name.strip() for row in csv.reader(given or []) for name in row]
    return [name for name in parts if name]


def check_columns(option: str, names: Sequence[str], known: Sequence[str], path: str) -> None:
    """Refuse names that are no columns, with those that are close."""
    for name in names:
        if name not in known:
            raise errors.column_not_found(option, name, list(known), path)


def free_name(name: str, taken: Sequence[str]) -> str:
    """The name, or the name with a number, whichever no column has.

    >>> free_name("prediction", ["age"]), free_name("prediction", ["prediction"])
    ('prediction', 'prediction_2')
    """
    number, found = 2, name
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def split_rows(text: str, n_rows: int) -> list[int]:
    """Positions of rows that are counted from 1.

    >>> split_rows("1,4-6", 10), split_rows("all", 2)
    ([0, 3, 4, 5], [0, 1])
    """
    if text.strip() == "all":
        return list(range(n_rows))
    rows: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise errors.bad_rows(text, n_rows)
        rows += range(int(first) - 1, int(last if dash else first))
    if not rows or min(rows) < 0 or max(rows) >= n_rows:
        raise errors.bad_rows(text, n_rows)
    return rows
