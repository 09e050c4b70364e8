"""What was measured against what is required."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.measure import growth_exponent
from benchmarks.models import BINNED, GAUSSIAN, OURS, OURS_DEFAULT
from benchmarks.plan import REFERENCE_ROWS, Plan

Results = dict[str, list[Any]]
Reading = float | None

GROWTH_ROWS = (10**5, 10**7)
"""From how many rows to how many the exponent is required."""


@dataclass(frozen=True)
class Figure:
    """One requirement. ``read`` finds its value for a setting of threads, None if not measured.

    ``judged`` is False when the run had other sizes than the requirement speaks of.
    """

    name: str
    required: float
    aim: float | None
    unit: str
    read: Callable[[str], Reading]
    at_least: bool = False
    judged: bool = True

    def reaches(self, value: float, bound: float) -> bool:
        """Whether a value is on the right side of a bound."""
        return value >= bound if self.at_least else value <= bound

    def judge(self, value: Reading) -> str:
        """How far a value gets: the aim, what is required, or neither."""
        if value is None:
            return "not measured"
        if not self.judged:
            return "other size"
        if self.aim is not None and self.reaches(value, self.aim):
            return "aim"
        return "required" if self.reaches(value, self.required) else "**no**"

    def show(self, value: float | None, bound: bool = False) -> str:
        """A value with its unit, a bound with its direction too."""
        if value is None:
            return "-"
        sign = ("≥ " if self.at_least else "≤ ") if bound else ""
        return f"{sign}{value:g}{self.unit}" if bound else f"{value:.2f}{self.unit}"


def list_figures(results: Results, plan: Plan) -> list[Figure]:
    """All requirements, for 2 classes at the reference size."""
    rows = plan.reference

    def ratio(measure: str, peer: str) -> Callable[[str], Reading]:
        return lambda threads: find_numeric(results, threads, rows, peer, f"{measure}_ratio")

    def default_fit(threads: str) -> Reading:
        ours, peer = (ratio("fit", model)(threads) for model in (OURS_DEFAULT, GAUSSIAN))
        return None if ours is None or peer is None else peer / ours

    def kernel(name: str) -> Callable[[str], Reading]:
        return lambda threads: first(results["kernels"], 0, name) if threads == "one" else None

    def memory(threads: str) -> Reading:
        return find_memory(results, rows) if threads == "default" else None

    def startup(position: int, name: str) -> Callable[[str], Reading]:
        return lambda threads: (
            first(results["startup"], position, name) if threads == "default" else None
        )

    at_reference = rows == REFERENCE_ROWS
    sized = [
        Figure("fit against GaussianNB", 4, 8, "x", ratio("fit", GAUSSIAN), True),
        Figure("fit with default settings against GaussianNB", 2, 4, "x", default_fit, True),
        Figure(f"fit against {BINNED}", 20, 40, "x", ratio("fit", BINNED), True),
        Figure("predict_proba against GaussianNB", 4, 8, "x", ratio("predict", GAUSSIAN), True),
        Figure("counting per row and column", 1.0, 0.5, " ns", kernel("count codes, 2 classes")),
        Figure("scoring per row and column", 0.8, 0.4, " ns", kernel("score tables, 2 classes")),
        Figure("peak extra memory at fit", 35, 20, " %", memory),
    ]
    growth = Figure(growth_name(plan), 1.05, 1.0, "", lambda t: find_growth(results, t))
    return [
        *(replace(figure, judged=at_reference) for figure in sized),
        replace(growth, judged=(min(growth_rows(plan)), max(growth_rows(plan))) == GROWTH_ROWS),
        Figure("import after scikit-learn", 0.5, None, " s", startup(1, "bayfold after it")),
        Figure("first fit and predict, empty cache", 15, None, " s", startup(0, "empty cache")),
    ]


def judge_figures(results: Results, plan: Plan) -> list[list[str]]:
    """Rows of the closing table; what holds for one thread alone is judged by that."""
    table = []
    for figure in list_figures(results, plan):
        usual, single = figure.read("default"), figure.read("one")
        judged = single if usual is None else usual
        bounds = figure.show(figure.required, True), figure.show(figure.aim, True)
        values = figure.show(usual), figure.show(single)
        table.append([figure.name, *bounds, *values, figure.judge(judged)])
    return table


def first(results: list[Any], position: int, name: str) -> Reading:
    """A named value of the result at a position; None if that measurement failed."""
    result = results[position]
    return None if result is None else result[name]


def numeric_records(results: Results, threads: str) -> list[dict[str, Any]]:
    """The records of all cases that did not fail."""
    return [record for case in results[f"numeric, {threads}"] for record in case or ()]


def find_numeric(results: Results, threads: str, rows: int, model: str, key: str) -> Reading:
    """A value of a model on normal columns with 2 classes."""
    for record in numeric_records(results, threads):
        wanted = (record["rows"], record["classes"], record["shape"], record["model"])
        if wanted == (rows, 2, "normal", model):
            return record[key]
    return None


def find_memory(results: Results, rows: int) -> Reading:
    """Peak extra memory of our fit in percent: resident where known, else traced."""
    for record in results["memory"]:
        if record is not None and (record["rows"], record["model"]) == (rows, OURS):
            share = record["traced"] if record["resident"] is None else record["resident"]
            return 100 * share
    return None


def growth_rows(plan: Plan) -> list[int]:
    """The sizes the exponent is taken over: from 10^5 rows, or all of a shorter run."""
    large = [size for size in plan.sizes if size >= GROWTH_ROWS[0]]
    return sorted(large if len(large) > 1 else plan.sizes)


def growth_name(plan: Plan) -> str:
    """The exponent with the sizes it was taken over, which a shorter run changes."""
    sizes = growth_rows(plan)
    return f"growth exponent of fit, {sizes[0]:,} to {sizes[-1]:,} rows"


def find_growth(results: Results, threads: str) -> Reading:
    """Growth exponent of our fit."""
    seconds = {
        record["rows"]: record["fit_seconds"]
        for record in numeric_records(results, threads)
        if (record["classes"], record["shape"], record["model"]) == (2, "normal", OURS)
    }
    large = {rows: s for rows, s in seconds.items() if rows >= GROWTH_ROWS[0]}
    chosen = large if len(large) > 1 else seconds
    return growth_exponent(list(chosen), list(chosen.values())) if len(chosen) > 1 else None
