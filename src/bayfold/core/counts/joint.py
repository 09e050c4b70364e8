"""JointCounts: weighted counts of (column, code) x group, and what else adds up over rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache, reduce
from itertools import repeat
from typing import Any

import numpy as np

from bayfold.core.counts.sums import SumOverSchema
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NominalColumn, NumericColumn, Schema
from bayfold.core.schema.types import COLUMNS_KEPT
from bayfold.core.stored import narrow_numbers


@dataclass(frozen=True, eq=False, repr=False)
class JointCounts(SumOverSchema):
    """Weighted counts of (column, code) x group. Nothing estimated, no smoothing, no parameter.

    Attributes
    ----------
    schema : Schema or None
        None for zero, which needs no schema.
    groups : ndarray
        Sorted labels of the groups.
    tables : tuple of ndarray of shape (n_codes, n_groups)
        One per column, so that a new category or group moves nothing else.
    totals : ndarray of shape (n_groups,)
        Weight of all rows per group.
    minimum, maximum : ndarray
        Of each numeric column, in the order of ``schema.numeric``.
    moments : dict of int to ndarray of shape (3, n_groups)
        Sums of w, w d and w d^2 with ``d = (x - shift) / scale``, for the columns that may want a Gaussian.
    """

    schema: Schema | None = None
    groups: np.ndarray = field(default_factory=lambda: np.empty(0))
    tables: tuple[np.ndarray, ...] = ()
    totals: np.ndarray = field(default_factory=lambda: np.empty(0))
    minimum: np.ndarray = field(default_factory=lambda: np.empty(0))
    maximum: np.ndarray = field(default_factory=lambda: np.empty(0))
    moments: dict[int, np.ndarray] = field(default_factory=dict)

    @property
    def n_rows(self) -> float:
        """Total weight."""
        return float(self.totals.sum())

    def __repr__(self) -> str:
        """How much was counted, not every count."""
        return f"JointCounts({self.n_rows:g} rows, {len(self.tables)} columns, {len(self.groups)} groups)"

    def __getstate__(self) -> dict[str, Any]:
        """Tables in few bytes."""
        return vars(self) | {"tables": tuple(map(narrow_numbers, self.tables))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Tables as they were."""
        tables = tuple(table.astype(np.float64) for table in state["tables"])
        self.__init__(**state | {"tables": tables})  # type: ignore[misc]

    def _plus_aligned(
        self,
        other: JointCounts,
        schema: Schema,
        groups: np.ndarray,
        places: tuple[np.ndarray, np.ndarray],
    ) -> JointCounts:
        a = self._aligned(schema, groups, places[0])
        b = other._aligned(schema, groups, places[1])
        return JointCounts(
            schema,
            groups,
            tuple(s + t for s, t in zip(a.tables, b.tables, strict=True)),
            a.totals + b.totals,
            np.minimum(a.minimum, b.minimum),
            np.maximum(a.maximum, b.maximum),
            # a column without moments on one side has none in the sum: half a sum is no statistic
            {j: a.moments[j] + b.moments[j] for j in a.moments if j in b.moments},
        )

    def __sub__(self, other: JointCounts) -> JointCounts:
        """Counts without the rows of ``other``, a part of these over the same schema and groups."""
        tables = tuple(s - t for s, t in zip(self.tables, other.tables, strict=True))
        moments = {j: self.moments[j] - other.moments[j] for j in self.moments}
        totals = self.totals - other.totals
        return JointCounts(
            self.schema, self.groups, tables, totals, self.minimum, self.maximum, moments
        )

    def scaled(self, factor: float | np.ndarray) -> JointCounts:
        """The counts of rows whose weights are multiplied by a number, or by one for each group."""
        if isinstance(factor, float) and factor == 1.0:
            return self
        return JointCounts(
            self.schema,
            self.groups,
            tuple(table * factor for table in self.tables),
            self.totals * factor,
            self.minimum,
            self.maximum,
            {j: sums * factor for j, sums in self.moments.items()},
        )

    def _aligned(self, schema: Schema, groups: np.ndarray, place: np.ndarray) -> JointCounts:
        """These counts over a schema with more categories and over more groups."""
        if schema is self.schema and len(groups) == len(self.groups):
            return self
        assert self.schema is not None
        n_groups = len(groups)
        tables = []
        for j, table in enumerate(self.tables):
            wider = np.zeros((schema.columns[j].n_codes, n_groups))
            rows = code_positions(self.schema, schema, j)
            # several categories may end in OTHER, so rows are added rather than assigned
            np.add.at(wider, (rows[:, None], place[None, :]), table)
            tables.append(wider)
        return JointCounts(
            schema,
            groups,
            tuple(tables),
            _spread(self.totals, place, n_groups),
            self.minimum,
            self.maximum,
            {j: _spread(sums, place, n_groups) for j, sums in self.moments.items()},
        )


def code_positions(old: Schema, new: Schema, j: int) -> np.ndarray:
    """Where each code of column ``j`` goes when the schema has grown."""
    a = old.columns[j]
    b = new.columns[j]
    if a is b or a == b:
        return np.arange(a.n_codes)
    if isinstance(a, NumericColumn) and isinstance(b, NumericColumn):
        return _numeric_positions(a, b)
    assert isinstance(a, NominalColumn)
    assert isinstance(b, NominalColumn)
    return find_nominal_positions(a, b)


@lru_cache(maxsize=COLUMNS_KEPT)
def find_nominal_positions(a: NominalColumn, b: NominalColumn) -> np.ndarray:
    """Each category by its name. Kept, because counts and samples of a batch are added one after the other."""
    other = b.n_codes - 1
    positions = np.full(a.n_codes, other)  # and what is OTHER stays so
    positions[:FIRST_BIN] = np.arange(FIRST_BIN)
    found = map(b.code_of.get, a.categories, repeat(other))
    n = len(a.categories)
    positions[FIRST_BIN : FIRST_BIN + n] = np.fromiter(found, np.int64, n)
    return positions


def _numeric_positions(a: NumericColumn, b: NumericColumn) -> np.ndarray:
    """Each value goes to the bin that holds it now; a column without a value has an empty bin."""
    if a.values is None or a.is_empty:
        return np.arange(a.n_codes)
    bins = np.searchsorted(b.edges, a.values, side="right")
    special = np.arange(b.first_special, b.n_codes)
    return np.concatenate([np.arange(FIRST_BIN), bins + FIRST_BIN, special])


def _spread(sums: np.ndarray, place: np.ndarray, n_groups: int) -> np.ndarray:
    wider = np.zeros((*sums.shape[:-1], n_groups))
    wider[..., place] = sums
    return wider


def add_in_tree(parts: list) -> Any:
    """Add neighbours, then neighbours of those: rounding does not depend on who computed what when."""
    while len(parts) > 1:
        parts = [reduce(lambda a, b: a + b, parts[k : k + 2]) for k in range(0, len(parts), 2)]
    return parts[0]
