"""What commands print: tables, bars, and the description of a model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayfold.base.estimator import find_changed
from bayfold.cli.reading import TARGET, kind_of
from bayfold.core.evidence import Records
from bayfold.persist import read_notes

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


HALF = 14
"""Characters of the longest bar to either side."""
BLOCKS = " ▏▎▍▌▋▊▉█"


def make_bars(title: str, records: Records, sides: tuple[str, str], top: int = 0) -> Table:
    """A table of the cells of one row, each with what it adds, strongest first; what begins stays on top.

    With ``top``, all but so many cells share a line.
    """
    measure = records.measure
    values = records.effects
    write = _factor if measure == "factor" else _amount
    is_start = records["column"] == "(prior)"
    order = [*np.flatnonzero(is_start), *_strongest(values, ~is_start)]
    shown = order[: np.count_nonzero(is_start) + top] if top else order
    rest = order[len(shown) :]
    longest = np.abs(values[~is_start]).max(initial=0.0) or 1.0
    has_bins = "bin" in records.names
    headings = [
        "column",
        "value",
        *(["bin"] if has_bins else []),
        measure,
        f"{sides[0]} | {sides[1]}",
    ]
    table = make_table(title, headings, [measure])
    for k in shown:
        value, bin_name = (records[n][k] if n in records.names else "" for n in ("value", "bin"))
        cells = [str(records["column"][k]), str(value or "")]
        cells += ["" if bin_name == value else str(bin_name or "")] if has_bins else []
        bar = Text("") if is_start[k] else draw_bar(values[k] / longest)
        table.add_row(*(Text(cell) for cell in cells), Text(write(values[k])), bar)
    blank = [""] * (2 if has_bins else 1)
    if rest:
        added = float(values[rest].sum())
        bar = draw_bar(added / longest)
        table.add_row(f"{len(rest)} others", *blank, Text(write(added)), bar)
    table.add_section()
    total = ["product" if measure == "factor" else "sum", *blank]
    table.add_row(*total, Text(write(float(values.sum()))), "")
    return table


def _strongest(values: np.ndarray, among: np.ndarray) -> np.ndarray:
    found = np.flatnonzero(among)
    return found[np.argsort(-np.abs(values[found]), kind="stable")]


def _amount(value: float) -> str:
    return f"{value:+,.2f}" if abs(value) < 1000 else f"{value:+,.0f}"


def _factor(log_factor: float) -> str:
    return f"{np.exp(log_factor):.3g}"


def draw_bar(share: float) -> Text:
    """A bar from the middle to the left or right, as long as the share of the longest one.

    >>> draw_bar(-0.5).plain
    '       ███████|              '
    """
    filled = round(min(abs(share), 1.0) * HALF * 8)
    blocks = "█" * (filled // 8) + (BLOCKS[filled % 8] if filled % 8 else "")
    if share >= 0:
        return Text(f"{'':{HALF}}|").append(f"{blocks:<{HALF}}", style="blue")
    # eighths grow from the left; to the left, halves of a character will do
    whole = "█" * round(filled / 8)
    return Text().append(f"{whole:>{HALF}}", style="dark_orange").append(f"|{'':{HALF}}")


def describe_model(model: Any, path: str) -> dict[str, Any]:
    """Kind, parameters, columns and classes, as plain data."""
    counts = getattr(model, "class_count_", None)
    classes = getattr(model, "classes_", None)
    edits = list(model.edits_) if getattr(model, "_find_edits", tuple)() else None
    described = {
        "file": path,
        "bytes": Path(path).stat().st_size,
        "model": type(model).__name__,
        "target": read_notes(path).get(TARGET),
        "parameters": find_changed(model),
        "classes": None if classes is None else list(classes),
        "class_counts": None if counts is None else list(counts),
        "columns": _describe_columns(model),
    }
    return described if edits is None else described | {"edits": edits}


def _describe_columns(model: Any) -> list[dict[str, Any]]:
    """Name, kind and categories of each column; models built of others have no schema, and know names alone."""
    n_columns = model.n_features_in_
    schema = getattr(model, "schema_", None)
    if schema is None:
        names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(n_columns)])
        return [{"name": str(name), "kind": None} for name in names]
    described = []
    for column in schema.columns[:n_columns]:
        categories = getattr(column, "categories", None)
        values = {} if categories is None else {"categories": list(categories)}
        described.append({"name": column.name, "kind": kind_of(column), **values})
    return described


def show_model(found: dict[str, Any]) -> None:
    """The same for people."""
    console = find_console()
    console.print(f"{found['model']}, {found['file']}, {found['bytes'] / 1000:,.0f} kB")
    if found["target"] is not None:
        console.print(Text(f"target: {found['target']}"))
    if found["parameters"]:
        shown = ", ".join(f"{name}={value!r}" for name, value in found["parameters"].items())
        console.print(f"parameters: {shown}")
    if found["classes"] is not None:
        counts = found["class_counts"] or [None] * len(found["classes"])
        pairs = zip(found["classes"], counts, strict=True)
        shown = ", ".join(f"{c}" if n is None else f"{c} ({n:,g} rows)" for c, n in pairs)
        console.print(f"classes: {shown}")
    table = make_table("", ["column", "kind", "values"])
    for column in found["columns"]:
        values = column.get("categories", [])
        text = ", ".join(values[:6]) + (f" and {len(values) - 6} more" if len(values) > 6 else "")
        table.add_row(Text(column["name"]), Text(column["kind"] or ""), Text(text))
    console.print(table)
    if "edits" in found:
        names = ["edit", "action", "column", "bin", "before", "after", "reason", "author", "when"]
        edits = make_table("edited by hand", names, ["before", "after"])
        for record in found["edits"]:
            edits.add_row(*(Text(_show_cell(record[name])) for name in names))
        console.print(edits)


def _show_cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.4g}"
    return str(value)
