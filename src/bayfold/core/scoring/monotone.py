"""What a model promises of the order of its scores along columns of numbers, and the look at its tables that proves it.

Scores are sums of tables, so the least step between two neighbouring bins, whatever the other cells of a row are, is
that of the column's own table plus the least of each table it shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayfold.core.discretize import INCREASING, PEAK, VALLEY
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NumericColumn

if TYPE_CHECKING:
    from bayfold.core.scoring.naive_bayes import NaiveBayesModel

ROUNDING_OF_STEPS = 1e-9
"""Of a score: steps against the order that are smaller are rounding of sums of some hundred entries."""


@dataclass(frozen=True, eq=False)
class MonotoneRule:
    """Columns along which scores are ordered, and what that cost.

    Attributes
    ----------
    directions : mapping of int to str
        ``"increasing"``, ``"decreasing"``, ``"peak"`` or ``"valley"`` by column.
    turns : mapping of int to int
        Of a peak or a valley, how many bins lie before the turn.
    found : tuple of int
        The columns whose direction held-out rows have chosen.
    measure : str
        Of held-out rows: ``"log_loss"``, ``"rmse"`` or ``"deviance"``.
    ordered, free : float
        The measure with the order, and without; NaN where no rows were held out.
    """

    directions: Mapping[int, str]
    turns: Mapping[int, int] = field(default_factory=dict)
    found: tuple[int, ...] = ()
    measure: str = "log_loss"
    ordered: float = float("nan")
    free: float = float("nan")

    def signs(self, column: int, n_bins: int) -> np.ndarray:
        """The order of each step between neighbouring bins of a column: 1, -1, or 0 where it is free."""
        return find_signs(self.directions[column], n_bins, self.turns.get(column, 0))

    def describe(self, names: Sequence[str]) -> str:
        """In a few words: which columns, which were found, and the price on held-out rows."""
        known = [
            f"{names[j]} {direction}{' (found)' if j in self.found else ''}"
            for j, direction in self.directions.items()
        ]
        if self.ordered == self.ordered and self.free == self.free:
            measure = self.measure.replace("_", "-")
            known.append(f"{measure} {self.ordered:.4g} instead of {self.free:.4g} without")
        return ", ".join(known)


def find_signs(direction: str, n_bins: int, turn: int = 0) -> np.ndarray:
    """The order of each step between neighbouring bins; the step at the turn is free.

    >>> find_signs("increasing", 3), find_signs("peak", 5, turn=2)
    (array([1, 1]), array([ 1,  0, -1, -1]))
    """
    step = np.arange(1, n_bins)
    if direction in (PEAK, VALLEY):
        return np.sign(turn - step) * (1 if direction == PEAK else -1)
    return np.full(len(step), 1 if direction == INCREASING else -1)


class WrongStep(NamedTuple):
    """Two neighbouring bins of a column between which some rows' scores go the wrong way, and by how much."""

    column: int
    bin: int
    step: float


def find_wrong_steps(model: NaiveBayesModel) -> Iterator[WrongStep]:
    """All steps of a model against its own rule, over all cells that a row may have in the other columns."""
    rule = model.monotone
    for j in sorted(rule.directions) if rule is not None else ():
        assert rule is not None
        column = model.schema.columns[j]
        assert isinstance(column, NumericColumn)
        bins = slice(FIRST_BIN, column.first_special)
        own = _read_score(model.evidence_terms[j].tabulate(None))[bins]
        signs = rule.signs(j, len(own))
        least = signs * np.diff(own)
        for pair in model.pairs:
            if j in pair.columns:
                side = pair.columns.index(j)
                shared = np.moveaxis(_read_score(pair.log_table), side, 0)
                least = least + find_least_steps(shared[pair.merges[side][bins]], signs)
        for k in np.flatnonzero((least < -ROUNDING_OF_STEPS) & (signs != 0)).tolist():
            yield WrongStep(j, k, float(least[k]))


def find_least_steps(shared: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """The least step in the given order of a table along its first axis, over all else; never above zero.

    A row whose other cell is unknown has no entry of the table, hence no step.
    """
    steps = np.diff(shared.reshape(len(shared), -1), axis=0) * signs[:, None]
    return steps.min(axis=1, initial=0.0)


def _read_score(table: np.ndarray) -> np.ndarray:
    """The score of each entry: log-odds of two groups, otherwise the first of the scores, which is the location."""
    return table[..., 1] - table[..., 0] if table.shape[-1] == 2 else table[..., 0]
