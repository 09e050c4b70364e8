"""Rows to learn from: a table, and the group and weight of each of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core.counts.sums import unite_groups
from bayfold.core.frames import Table, concat_tables
from bayfold.core.schema import Schema
from bayfold.core.schema.target import find_cells_of_target


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """A table with the group and weight of each row, and the number to be predicted where that is the target.

    Attributes
    ----------
    table : Table
    groups : ndarray
        Sorted labels of the groups. A numeric target has a single one until a schema says what its cells are.
    group_of : ndarray of int32
        Position of each row's group in ``groups``; -1 where it is unknown.
    weights : ndarray or None
        None where all are one.
    target : ndarray or None
        Numbers to be predicted; NaN where unknown.
    kept : ndarray or None
        Positions of the rows in the table they were taken from; None if they are all of it.
    extras : mapping of str to ndarray
        What else is given for each row, by the argument of ``fit`` (see ``base.per_row``): ``groups``, as hashes, are
        the units that rows are held out in, ``time``, and ``exposure`` and ``offset`` of a rate.
    """

    table: Table
    groups: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray | None = None
    target: np.ndarray | None = None
    kept: np.ndarray | None = None
    extras: Mapping[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def in_one_group(
        cls,
        table: Table,
        weights: np.ndarray | None = None,
        target: np.ndarray | None = None,
        extras: Mapping[str, np.ndarray] | None = None,
    ) -> LabelledRows:
        """Rows without groups, or with a numeric target whose cells are not known yet."""
        group_of = np.zeros(table.n_rows, np.int32)
        if target is not None:
            group_of[np.isnan(target)] = -1
        return cls(
            table, np.zeros(1, np.int64), group_of, weights, target, extras=dict(extras or {})
        )

    @property
    def units(self) -> np.ndarray | None:
        """Hashes of the groups that rows are held out with, if any were given."""
        return self.extras.get("groups")

    @property
    def time(self) -> np.ndarray | None:
        """When rows were observed, if it was given."""
        return self.extras.get("time")

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.table.n_rows

    def find_weights(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """The weights of some neighbouring rows, or of all."""
        stop = self.n_rows if stop is None else stop
        return np.ones(stop - start) if self.weights is None else self.weights[start:stop]

    def take(self, rows: np.ndarray) -> LabelledRows:
        """Some of the rows."""
        return LabelledRows(
            self.table.take(rows),
            self.groups,
            self.group_of[rows],
            None if self.weights is None else self.weights[rows],
            None if self.target is None else self.target[rows],
            rows if self.kept is None else self.kept[rows],
            {name: values[rows] for name, values in self.extras.items()},
        )

    def labelled(self) -> LabelledRows:
        """The rows whose group is known."""
        if (
            self.group_of.min(initial=0) >= 0
        ):  # nearly always, and found without an array of answers
            return self
        return self.take(np.flatnonzero(self.group_of >= 0))

    def without_empty_groups(self) -> LabelledRows:
        """The same rows; groups that no row is in are gone."""
        known = self.group_of[self.group_of >= 0]
        present = np.bincount(known, minlength=len(self.groups)) > 0
        place = np.append(np.cumsum(present) - 1, -1).astype(np.int32)  # no group stays none
        return replace(self, groups=self.groups[present], group_of=place[self.group_of])

    def in_cells(self, schema: Schema) -> LabelledRows:
        """The same rows, grouped by the cells that the schema has for their numeric target."""
        assert schema.target is not None
        assert self.target is not None
        cells = find_cells_of_target(schema.target, self.target)
        return replace(self, groups=np.arange(schema.target.n_bins), group_of=np.maximum(cells, -1))

    @staticmethod
    def join(batches: Sequence[LabelledRows]) -> LabelledRows:
        """The rows of all batches."""
        groups = batches[0].groups
        for batch in batches[1:]:
            groups, _, _ = unite_groups(groups, batch.groups)
        # the last place is for rows in no group
        places = [np.append(np.searchsorted(groups, b.groups), -1) for b in batches]
        unweighted = all(batch.weights is None for batch in batches)
        targets = [batch.target for batch in batches if batch.target is not None]
        return LabelledRows(
            concat_tables([batch.table for batch in batches]),
            groups,
            np.concatenate(
                [p[b.group_of].astype(np.int32) for p, b in zip(places, batches, strict=True)]
            ),
            None if unweighted else np.concatenate([batch.find_weights() for batch in batches]),
            np.concatenate(targets) if targets else None,
            extras={
                name: np.concatenate([batch.extras[name] for batch in batches])
                for name in batches[0].extras
            },
        )
