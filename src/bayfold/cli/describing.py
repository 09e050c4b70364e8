"""What is in a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.text import Text

from bayfold.cli.loading import TARGET, kind_of
from bayfold.cli.show import find_console, make_table
from bayfold.persist import read_notes


def describe_model(model: Any, path: str) -> dict[str, Any]:
    """Kind, parameters, columns and classes, as plain data."""
    default = type(model)().get_params(deep=False)
    given = model.get_params(deep=False)
    changed = {name: value for name, value in given.items() if repr(value) != repr(default[name])}
    counts = getattr(model, "class_count_", None)
    classes = getattr(model, "classes_", None)
    return {
        "file": path,
        "bytes": Path(path).stat().st_size,
        "model": type(model).__name__,
        "target": read_notes(path).get(TARGET),
        "parameters": changed,
        "classes": None if classes is None else list(classes),
        "class_counts": None if counts is None else list(counts),
        "columns": _describe_columns(model),
    }


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
