"""The summary of all papers: one row per table, and one picture."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from benchmarks.report import format_table
from papers.shared.figures import new_figure, save
from papers.shared.page import Page, format_left
from papers.shared.verdict import RULE, as_rows

FILES = {"cells": "summary_cells.csv", "claims": "summary_claims.csv"}
INTRODUCTION = """\
Published tables beside what bayfold measures with the same protocols. `bayfold papers all` makes everything here: it
measures what its store lacks, then writes these pages. `--quick` does a few folds of everything in some minutes. A
cell is near if it lies within the tolerance of the published one; a table that is not complete says how much is in.
"""


NO_RULE = "of a run before rules were written down"


def update_summary(folder: Path, pages: list[Page]) -> None:
    """Put the comparisons and claims of these pages in place of their older ones, and write the summary."""
    cells = _replace(
        folder / FILES["cells"], [row for page in pages for row in as_rows(page.comparisons)], pages
    )
    claims = _replace(
        folder / FILES["claims"],
        [
            {
                "paper": p.name,
                "says": c.says,
                "rule": c.rule,
                "outcome": c.outcome
                if p.is_whole or not c.because
                else f"{c.outcome} (provisional)",
                "because": c.because,
            }
            for p in pages
            for c in p.claims
        ],
        pages,
    )
    if len(cells):
        draw_summary(cells, folder / "summary.png")
    (folder / "README.md").write_text(write_summary(cells, claims, folder), encoding="utf-8")


def _replace(path: Path, rows: list[dict], pages: list[Page]) -> pd.DataFrame:
    new = pd.DataFrame(rows)
    if path.exists():
        old = pd.read_csv(path, keep_default_na=False)
        new = pd.concat([old[~old.paper.isin([page.name for page in pages])], new])
    if len(new):  # a paper may have no published cells
        new = new.sort_values("paper", kind="stable").fillna("")
        new.to_csv(path, index=False, lineterminator="\n")
    return new


def write_summary(cells: pd.DataFrame, claims: pd.DataFrame, folder: Path) -> str:
    """Markdown: cells compared, claims counted."""
    rows = [
        [
            f"[{row.paper}]({row.paper}.md)",
            str(row.table),
            str(row.column),
            str(row.cells),
            f"{row.near} ({row.near / row.cells:.0%})" if row.cells else "",
            str(row.tolerance),
            "all" if row.folds >= row.planned else f"{row.folds:,} of {row.planned:,}",
        ]
        for row in cells.itertuples()
    ]
    header = ["paper", "table", "column", "cells", "near", "tolerance", "folds in"]
    parts = ["# The papers, published beside measured", INTRODUCTION.strip()]
    parts += ["![Share of near cells by table](summary.png)"] if len(cells) else []
    parts += ["## Tables", format_table(header, rows) if rows else "None is in yet."]
    verdicts = [
        [
            f"[{row.paper}]({row.paper}.md)",
            row.says,
            row.rule or NO_RULE,
            f"**{row.outcome}**",
            row.because,
        ]
        for row in claims.itertuples()
    ]
    claimed = [
        "## Claims",
        RULE,
        format_left(["paper", "says", "rule", "here", "numbers"], verdicts),
    ]
    parts += claimed if verdicts else []
    if (folder / "defaults.md").exists():
        parts.append("[All models of the library and their peers, on all datasets](defaults.md).")
    listed = {"README", "defaults", *claims.get("paper", ())}  # there may be no claim yet
    others = [path.name for path in sorted(folder.glob("*.md")) if path.stem not in listed]
    if others:
        links = ", ".join(f"[{name.removesuffix('.md')}]({name})" for name in others)
        parts.append(f"Of scripts before this command, until its own runs are in: {links}.")
    return "\n\n".join(parts) + "\n"


def draw_summary(cells: pd.DataFrame, path: Path) -> None:
    """A bar per table: the share of its cells that are near."""
    names = [f"{row.paper}, {row.table}, {row.column}" for row in cells.itertuples()]
    shares = [row.near / row.cells if row.cells else 0.0 for row in cells.itertuples()]
    figure, axes = new_figure(9, 0.32 * len(names) + 1)
    axis = axes[0]
    axis.barh(names[::-1], shares[::-1], color="#4f9fd6")
    for place, row in enumerate(reversed(list(cells.itertuples()))):
        axis.text(0.01, place, f"{row.near} of {row.cells}", va="center", fontsize=8)
    axis.set_xlim(0, 1)
    axis.set_xlabel("share of published cells within the tolerance")
    save(figure, path)
