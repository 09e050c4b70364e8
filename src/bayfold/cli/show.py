"""Results for people, as tables in the terminal, and for programs, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayfold.core.evidence import Records

WIDTH_OF_FILE = 120
"""Columns of text where nothing says how wide the terminal is, as in a pipe."""


def find_console() -> Console:
    """Standard output; names from the user's table are shown as they are, not as markup."""
    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in console._environ:
        console.width = WIDTH_OF_FILE
    return console


def show_json(value: object) -> None:
    """One JSON document on standard output; what is no number in JSON is null."""
    typer.echo(json.dumps(as_plain(value), ensure_ascii=False, indent=2, allow_nan=False))


def as_plain(value: Any) -> Any:
    """Arrays, records and NumPy's scalars as JSON has them."""
    if isinstance(value, Records):
        columns = value.to_dict()
        return [
            as_plain(dict(zip(columns, row, strict=True)))
            for row in zip(*columns.values(), strict=True)
        ]
    if isinstance(value, Mapping):
        return {str(key): as_plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return as_plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [as_plain(each) for each in value]
    if isinstance(value, np.generic):
        return as_plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def make_table(title: str, headings: Sequence[str], numbers: Sequence[str] = ()) -> Table:
    """An empty table; the columns named by ``numbers`` stand at the right."""
    shown = Text(title, style="bold")
    table = Table(title=shown, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="right" if heading in numbers else "left")
    return table


def show_records(title: str, records: Records, digits: Mapping[str, int]) -> None:
    """A table of records; ``digits`` says after how many decimals numbers end."""
    names = [name for name in records.names if name not in digits or not _is_unknown(records[name])]
    table = make_table(title, names, list(digits))
    for row in zip(*(records[name] for name in names), strict=True):
        cells = [
            _number(value, digits[name]) if name in digits else str(value)
            for name, value in zip(names, row, strict=True)
        ]
        table.add_row(*(Text(cell) for cell in cells))
    find_console().print(table)


def _is_unknown(column: np.ndarray) -> bool:
    """Whether no row has a number, such as a spread over one repeat."""
    return bool(np.isnan(column.astype(np.float64)).all())


def _number(value: Any, digits: int) -> str:
    return "" if value is None or value != value else f"{value:,.{digits}f}"
