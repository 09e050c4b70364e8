"""Pages of results in Markdown, with what they were made by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.report import describe_run, format_table
from papers.shared.verdict import RULE, Claim, Comparison

PROVISIONAL = "**Not all folds that claims are about are in: these verdicts are provisional.**"
Cells = Sequence[Sequence[str]]


@dataclass
class Page:
    """What a paper's results come to: parts of Markdown, comparisons, claims, and tables for CSV files."""

    name: str
    title: str
    seeds: str
    parts: list[str] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    is_whole: bool = True

    def add(self, *parts: str) -> None:
        """Parts, each a block of its own."""
        self.parts += parts

    def add_table(self, header: list[str], rows: Cells) -> None:
        """A table."""
        self.parts.append(format_table(header, [list(row) for row in rows]))

    def add_figure(self, file: str, words: str) -> None:
        """A picture beside the page."""
        self.parts.append(f"![{words}]({file})")

    def write(self, folder: Path, command: str) -> None:
        """The page, beside its tables."""
        head = [f"# {self.title}", f"{describe_run(command)}\n* Seeds: {self.seeds}"]
        closing = write_verdicts(self.claims, self.is_whole)
        text = "\n\n".join([*head, *self.parts, *closing]) + "\n"
        (folder / f"{self.name}.md").write_text(text, encoding="utf-8")

    def write_tables(self, folder: Path) -> None:
        """The tables as CSV files, from which claims are judged."""
        folder.mkdir(parents=True, exist_ok=True)
        for table, frame in self.tables.items():
            path = folder / f"{self.name}_{table}.csv"
            frame.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")


def write_verdicts(claims: Sequence[Claim], is_whole: bool) -> list[str]:
    """The closing parts of a page: each claim, its rule, what became of it and the numbers."""
    if not claims:
        return []
    lines = [[c.says, c.rule, f"**{c.outcome}**", c.because] for c in claims]
    table = format_left(["the paper says", "rule", "here", "numbers"], lines)
    return ["## Claim by claim", RULE, *([] if is_whole else [PROVISIONAL]), table]


def read_tables(folder: Path, name: str) -> dict[str, pd.DataFrame]:
    """The tables of a page, by what follows its name."""
    found = sorted(folder.glob(f"{name}_*.csv"))
    return {path.stem.removeprefix(f"{name}_"): pd.read_csv(path) for path in found}


def format_left(header: list[str], rows: Cells) -> str:
    """A Markdown table of words."""
    rule = ["---"] * len(header)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *rows])


def say_progress(folds: int, planned: int, of: str = "folds") -> str:
    """How much of the plan is in."""
    if folds >= planned:
        return f"All {planned:,} {of} are in."
    return f"**Incomplete: {folds:,} of {planned:,} {of} are in.** Means are over what is there."


def number(value: float, digits: int = 2) -> str:
    """A number, or nothing where none is known."""
    return "" if value is None or np.isnan(value) else f"{value:.{digits}f}"


def signed(value: float, digits: int = 1) -> str:
    """A difference, or nothing where none is known."""
    return "" if np.isnan(value) else f"{value:+.{digits}f}"
