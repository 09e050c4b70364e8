"""What a table and a claim come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

Outcome = Literal["reproduced", "in part", "not reproduced", "not measured yet"]


@dataclass(frozen=True)
class Comparison:
    """One published column beside ours: how many cells are compared, and how many are near."""

    paper: str
    table: str
    column: str
    cells: int
    near: int
    tolerance: str
    folds: int
    planned: int


@dataclass(frozen=True)
class Claim:
    """What a paper says, the rule by which it is judged, what became of it, and the numbers."""

    says: str
    rule: str
    outcome: Outcome
    because: str


def compare(
    of: tuple[str, str, str],
    published: np.ndarray,
    measured: np.ndarray,
    within: np.ndarray | float,
    tolerance: str,
    folds: tuple[int, int],
) -> Comparison:
    """Count the cells that lie within the tolerance; those not measured are no cells."""
    known = ~np.isnan(measured) & ~np.isnan(published)
    near = np.abs(measured - published)[known] <= np.broadcast_to(within, known.shape)[known]
    return Comparison(*of, int(known.sum()), int(near.sum()), tolerance, *folds)


RULE = (
    "A claim is reproduced if all conditions of its rule hold, in part if some do, not reproduced if none does. "
    "Conditions are computed from the CSV files beside this page."
)

Condition = tuple[str, Callable[[], bool]]
"""What must hold: in words, and as what computes it from the tables."""


class UnknownError(Exception):
    """A number that a condition needs has not been measured."""


def judge_claim(says: str, conditions: Sequence[Condition], numbers: Callable[[], str]) -> Claim:
    """A claim by its conditions; the numbers are words for the page."""
    rule = "; ".join(f"({k}) {words}" for k, (words, _) in enumerate(conditions, start=1))
    try:
        found = [bool(holds()) for _, holds in conditions]
        because = numbers()
    except UnknownError:
        return Claim(says, rule, "not measured yet", "")
    if all(found):
        return Claim(says, rule, "reproduced", because)
    if not any(found):
        return Claim(says, rule, "not reproduced", because)
    failed = ", ".join(f"({k})" for k, holds in enumerate(found, start=1) if not holds)
    return Claim(says, rule, "in part", f"{because}; not {failed}")


def take_known(value: Any) -> float:
    """A number that must have been measured."""
    if value is None or np.isnan(value):
        raise UnknownError
    return float(value)


def as_rows(comparisons: Sequence[Comparison]) -> list[dict]:
    """Comparisons as records."""
    return [asdict(comparison) for comparison in comparisons]
