"""The roles of the columns of a source (features, target, weights), and labelled rows read from its chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.inputs import (
    check_not_negative,
    check_total_weight,
    read_numeric_target,
    warn_about_weights,
    without_negligible,
)
from bayfold.base.per_row import PerRow
from bayfold.core.counts import LabelledRows
from bayfold.core.counts.survey import Tally
from bayfold.core.frames import NullColumn, Table, find_groups, find_numbers
from bayfold.core.frames.sources import Chunk, Source


@dataclass(frozen=True)
class Roles:
    """What the columns of a source are for.

    Attributes
    ----------
    features : tuple of str
    target, weight : str or None
    extras : tuple of pairs of str
        Other arguments of ``fit`` with one entry for each row, and the columns that hold them.
    """

    features: tuple[str, ...]
    target: str | None = None
    weight: str | None = None
    extras: tuple[tuple[str, str], ...] = ()

    @classmethod
    def find(
        cls,
        source: Source,
        target: Any,
        weight: Any,
        columns: Sequence[str] | None,
        has_target: bool = True,
        extras: Mapping[str, Any] = MappingProxyType({}),
    ) -> Roles:
        """Check the names; without ``columns``, all that are left are learnt from."""
        names = dict.fromkeys(source.names)
        used = {"target": target} if has_target else {}
        given = {name: column for name, column in extras.items() if column is not None}
        used |= ({} if weight is None else {"weight": weight}) | given
        role_of: dict[Any, str] = {}
        for role, name in used.items():
            check_name(role, name, names)
            if name in role_of:
                raise errors.column_has_two_roles(name, role_of[name], role)
            role_of[name] = role
        if columns is None:
            columns = [name for name in names if name not in used.values()]
        for name in columns:
            check_name("columns", name, names)
            for role, other in used.items():
                if name == other:
                    raise errors.column_has_two_roles(name, "columns", role)
        if not columns:
            raise errors.no_columns_left(list(names))
        return cls(tuple(columns), target, weight, tuple(given.items()))

    @property
    def columns(self) -> list[str]:
        """All that are read."""
        others = [name for name in (self.target, self.weight) if name is not None]
        return [*self.features, *others, *(column for _, column in self.extras)]

    def header(self) -> Table:
        """The columns that are learnt from, without a row."""
        columns = tuple(NullColumn(name, 0) for name in self.features)
        return Table(columns, 0, self.features)


def check_name(parameter: str, name: Any, names: Mapping[str, Any]) -> None:
    """Refuse what is no column; ``names`` is a mapping because a list would be searched for each of its columns."""
    if not isinstance(name, str) or name not in names:
        raise errors.no_such_column(parameter, name, list(names))


UNLABELLED = -1  # the group of a row without a target, which is also the last place of a list

OTHER_CLASS = -2
"""The group of a row whose class the first pass did not count: nobody's, unless its weight is zero."""


@dataclass(frozen=True, eq=False)
class ChunkReader:
    """Reads rows with the roles of their columns.

    Attributes
    ----------
    roles : Roles
    is_numeric : bool
        Whether the target is a number.
    classes : ndarray or None
        All classes, once they are known.
    largest : float
        The largest weight, once it is known: beside it some weights are as good as zero.
    """

    roles: Roles
    is_numeric: bool = False
    classes: np.ndarray | None = None
    largest: float = 0.0

    def read(self, chunk: Chunk) -> tuple[LabelledRows, Tally]:
        """The rows that count, and how many there are of the others."""
        rows = replace(self._read_all(chunk), extras=self._read_extras(chunk))
        weights = self._read_weights(chunk)
        if weights is None and rows.group_of.min(initial=0) >= 0:  # most often
            return rows, Tally.of_counted(rows.n_rows)
        known = rows.group_of != UNLABELLED
        tally = Tally.of(known, weights)
        counted = known if weights is None else known & (weights > 0)
        rows = replace(rows, weights=weights)
        if not counted.all():
            rows = rows.take(np.flatnonzero(counted))
            rows = rows.without_empty_groups() if self.classes is None else rows
        if rows.group_of.min(initial=UNLABELLED) == OTHER_CLASS:
            raise errors.class_appeared()
        return replace(rows, kept=None), tally

    def _read_all(self, chunk: Chunk) -> LabelledRows:
        table = chunk.table(self.roles.features)
        target = self.roles.target
        if target is None:
            return LabelledRows.in_one_group(table)
        vector = chunk.vector(target)
        if self.is_numeric:
            numbers = read_numeric_target(vector, chunk.n_rows, is_whole=False)
            return LabelledRows.in_one_group(table, None, numbers)
        group_of, groups = find_groups(vector)
        if self.classes is None:
            return LabelledRows(table, groups, group_of)
        return LabelledRows(table, self.classes, self._find_class(group_of, groups))

    def _read_extras(self, chunk: Chunk) -> dict[str, np.ndarray]:
        given = {name: chunk.vector(column) for name, column in self.roles.extras}
        return PerRow(**given).read_extras(chunk.n_rows)

    def _find_class(self, group_of: np.ndarray, groups: np.ndarray) -> np.ndarray:
        """Positions among all classes instead of among those of the chunk."""
        assert self.classes is not None
        place_of = {label: k for k, label in enumerate(self.classes.tolist())}
        places = [place_of.get(label, OTHER_CLASS) for label in groups.tolist()]
        if places == list(range(len(places))):  # most often: the chunk has them all
            return group_of.astype(np.int32, copy=False)
        return np.array([*places, UNLABELLED], np.int32)[group_of]

    def _read_weights(self, chunk: Chunk) -> np.ndarray | None:
        if self.roles.weight is None:
            return None
        weights = find_numbers(chunk.vector(self.roles.weight))
        check_not_negative(weights)
        return without_negligible(weights, self.largest)


def check_tally(tally: Tally, is_weighted: bool, has_target: bool) -> None:
    """Check what needs all rows: that some count, and how far their weights are from one."""
    if tally.n_rows == 0:
        raise errors.source_without_rows()
    if has_target and tally.n_unlabelled == tally.n_rows:
        raise errors.target_missing_entirely()
    if tally.n_unlabelled:
        errors.warn(errors.missing_targets(tally.n_unlabelled))
    if not is_weighted:
        return
    if tally.n_counted == 0:
        raise errors.all_weights_zero()
    check_total_weight(tally.weight)
    warn_about_weights(tally.weight / tally.n_counted)
