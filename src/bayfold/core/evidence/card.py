"""A model card: what a model is, what it learnt from, how good it was, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayfold.core.evidence.summary import MEASURES, NOT_HELD_OUT, Summary

TO_FILL_IN = "To be filled in: what the model is for, who uses it, and what it must not decide."


def write_card(summary: Summary, parameters: Mapping[str, Any], about: str | None) -> str:
    """The card as Markdown. What the model cannot know is asked for, not guessed."""
    given = ", ".join(f"`{name}={value!r}`" for name, value in parameters.items())
    lines = [
        f"# {summary.model}",
        "",
        "## Intended use",
        "",
        TO_FILL_IN if about is None else about,
        "",
        "## Model",
        "",
        f"Learnt from {summary.describe_facts()}. Parameters that are not the default: {given or 'none'}.",
        "",
        *_describe_answer(summary),
        "## Columns",
        "",
        *_as_table(_list_columns(summary)),
        "",
        "## Quality on held-out rows",
        "",
        *_describe_quality(summary),
        "",
    ]
    if summary.warnings:
        lines += ["## Warnings at fit", "", *(f"- {text}" for text in summary.warnings), ""]
    return "\n".join(lines)


def _describe_answer(summary: Summary) -> list[str]:
    """The classes, or the range of the target."""
    if summary.classes is not None:
        heading = "## Classes"
        classes = summary.classes
        rows = [
            [label, _show(count), f"{share:.1%}" if share == share else ""]
            for label, count, share in zip(*classes.columns.values(), strict=True)
        ]
        table = _as_table([["class", "rows", "share"], *rows])
    elif summary.target is not None:
        heading = "## Target"
        table = _as_table([list(summary.target), [_show(v) for v in summary.target.values()]])
    else:
        return []
    return [heading, "", *table, ""]


def _list_columns(summary: Summary) -> list[list[Any]]:
    names = ["column", "kind", "values", "missing", "importance"]
    columns = summary.columns
    rows = zip(*(columns[name] for name in names), strict=True)
    return [names, *([_show(cell) for cell in row] for row in rows)]


def _describe_quality(summary: Summary) -> list[str]:
    """Each measure beside that of the prior alone."""
    held = summary.held_out
    if held is None:
        return [NOT_HELD_OUT + "."]
    rows = [
        [MEASURES.get(name, name), _show(value), _show(held.prior[name])]
        for name, value in held.model.items()
    ]
    return [*_as_table([["measure", "model", "prior alone"], *rows]), "", f"Measured: {held.how}."]


def _show(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return "" if value != value else f"{value:,.4g}"
    return str(value)


def _as_table(rows: list[list[Any]]) -> list[str]:
    """A table of Markdown; bars in cells would end them."""
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    cells.insert(1, ["---"] * len(cells[0]))
    return [f"| {' | '.join(row)} |" for row in cells]
