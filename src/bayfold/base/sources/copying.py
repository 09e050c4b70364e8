"""A source as rows on disk: one pass copies it, for methods that go over their rows many times."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.inputs import Grouped
from bayfold.base.sources.reading import ChunkReader, check_tally
from bayfold.core.counts import LabelledRows
from bayfold.core.counts.sums import unite_groups
from bayfold.core.counts.survey import Tally
from bayfold.core.engine.row_store import (
    RowStore,
    StoredNumbers,
    StoredPart,
    join_parts,
    shorten,
    smallest_type,
)
from bayfold.core.frames import Column, NullColumn, Table
from bayfold.core.frames.columns import LabelColumn, NumberColumn, cells_as_kept
from bayfold.core.frames.sources import Chunk

GROUP = "\0group"
TARGET = "\0target"
WEIGHT = "\0weight"
EXTRA = "\0extra:"
"""Names that no column has."""


@dataclass(frozen=True)
class ColumnKind:
    """What a column was read as, without its cells."""

    name: str
    kind: str
    zone: str | None


@dataclass(frozen=True, eq=False)
class CopiedChunk:
    """The cells of a chunk as arrays, columns of labels as indices.

    Attributes
    ----------
    arrays : dict of str to ndarray
    labels : dict of str to list
        Of each column of labels.
    groups : ndarray
        What the indices of groups stand for.
    columns : tuple of ColumnKind
    """

    arrays: dict[str, np.ndarray]
    labels: dict[str, list[str]]
    groups: np.ndarray
    columns: tuple[ColumnKind, ...]
    n_rows: int
    tally: Tally


@dataclass(frozen=True)
class ReadCells:
    """Reads the cells of chunks that count."""

    reader: ChunkReader

    def __call__(self, chunk: Chunk) -> CopiedChunk:
        """The cells of a chunk."""
        rows, tally = self.reader.read(chunk)
        arrays = {}
        labels = {}
        for column in rows.table.columns:
            if column.kind == "nominal":
                arrays[column.name], labels[column.name] = column.labels()
            elif column.kind == "numeric":
                arrays[column.name] = shorten(cells_as_kept(column, 0, rows.n_rows))
        if rows.weights is not None:
            arrays[WEIGHT] = rows.weights
        if rows.target is not None:
            arrays[TARGET] = rows.target
        else:
            arrays[GROUP] = rows.group_of.astype(smallest_type(len(rows.groups)), copy=False)
        arrays |= {EXTRA + name: values for name, values in rows.extras.items()}
        kinds = tuple(ColumnKind(c.name, c.kind, c.zone) for c in rows.table.columns)
        return CopiedChunk(arrays, labels, rows.groups, kinds, rows.n_rows, tally)


@dataclass
class Copy:
    """What has been copied so far: all that must be known of the file beside it, so that it can be saved.

    Attributes
    ----------
    tally : Tally
    n_chunks : int
        How many chunks were read.
    n_rows : list of int
        Of each chunk that has rows.
    groups : list of ndarray
        Of each of these chunks.
    place_of : dict
        Of each column of labels, the labels and their indices.
    columns : tuple of ColumnKind
    written : dict
        See ``RowStore``.
    is_done : bool
    """

    tally: Tally = field(default_factory=Tally)
    n_chunks: int = 0
    n_rows: list[int] = field(default_factory=list)
    groups: list[np.ndarray] = field(default_factory=list)
    place_of: dict[str, dict[str, int]] = field(default_factory=dict)
    columns: tuple[ColumnKind, ...] = ()
    written: dict[str, list[StoredPart]] = field(default_factory=dict)
    is_done: bool = False

    def add(self, chunk: CopiedChunk, store: RowStore) -> None:
        """Write the cells of the next chunk."""
        self.n_chunks += 1
        self.tally = self.tally + chunk.tally
        self.columns = self.columns or chunk.columns
        if not chunk.n_rows:
            return
        self.n_rows.append(chunk.n_rows)
        self.groups.append(chunk.groups)
        for name, array in chunk.arrays.items():
            if name in chunk.labels:
                array = self._place(name, chunk.labels[name])[array]
            store.append(name, array)

    def _place(self, name: str, labels: list[str]) -> np.ndarray:
        """The index of each label of a chunk among those of all chunks, and -1 at the end for missing cells."""
        place_of = self.place_of.setdefault(name, {})
        places = [*(place_of.setdefault(k, len(place_of)) for k in labels), -1]
        return np.array(places, smallest_type(len(place_of)))

    def to_rows(self, store: RowStore, has_target: bool) -> LabelledRows:
        """All rows, on disk; what only all rows can tell is checked."""
        check_tally(self.tally, is_weighted=False, has_target=has_target)
        if not self.n_rows:
            raise errors.all_weights_zero()
        parts = store.parts()
        starts = np.append(0, np.cumsum(self.n_rows))
        columns = tuple(self._column(column, parts, starts) for column in self.columns)
        table = Table(columns, int(starts[-1]), tuple(column.name for column in columns))
        groups = reduce(lambda a, b: unite_groups(a, b)[0], self.groups)
        weights = join_parts(parts[WEIGHT]) if WEIGHT in parts else None
        extras = {
            name.removeprefix(EXTRA): join_parts(part)
            for name, part in parts.items()
            if name.startswith(EXTRA)
        }
        if TARGET in parts:
            target = join_parts(parts[TARGET])
            return LabelledRows.in_one_group(table, weights, target, extras)
        places = [np.searchsorted(groups, own).astype(np.int32) for own in self.groups]
        group_of = join_parts(parts[GROUP], places, np.int32)
        return LabelledRows(table, groups, group_of, weights, extras=extras)

    def _column(
        self, column: ColumnKind, parts: dict[str, list[np.ndarray]], starts: np.ndarray
    ) -> Column:
        name = column.name
        if column.kind == "nominal":
            indices = join_parts(parts[name], dtype=np.int32)
            return LabelColumn(name, indices, list(self.place_of[name]))
        if column.kind == "numeric":
            n_rows = int(starts[-1])
            return NumberColumn(name, StoredNumbers(parts[name], starts), n_rows, column.zone)
        return NullColumn(name, int(starts[-1]))


def target_of(rows: LabelledRows) -> Any:
    """What ``fit`` is to be given as the target."""
    return Grouped(rows.group_of, rows.groups) if rows.target is None else rows.target
