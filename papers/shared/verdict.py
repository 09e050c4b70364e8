"""What a table and a claim come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

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
    """What a paper says, what became of it, and by which numbers."""

    says: str
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


def judge(share: float, enough: float = 0.9, some: float = 0.5) -> Outcome:
    """A share of agreeing cells as an outcome."""
    if np.isnan(share):
        return "not measured yet"
    return "reproduced" if share >= enough else "in part" if share >= some else "not reproduced"


def judge_order(holds: Sequence[bool]) -> Outcome:
    """Of several inequalities that a claim makes: all, some or none hold."""
    if not holds:
        return "not measured yet"
    return "reproduced" if all(holds) else "in part" if any(holds) else "not reproduced"


def as_rows(comparisons: Sequence[Comparison]) -> list[dict]:
    """Comparisons as records."""
    return [asdict(comparison) for comparison in comparisons]
