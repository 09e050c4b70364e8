"""The schema: the columns in order, each with what its codes stand for."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.frames import Column
from bayfold.core.frames.labels import any_number, label_of
from bayfold.core.frames.notation import Notation
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS, WIDE_BINS
from bayfold.core.schema.bags import BagOfWords
from bayfold.core.schema.edges import find_midpoints, find_width_cuts, keep_some_values
from bayfold.core.schema.grids import Grids
from bayfold.core.schema.text import TextColumn
from bayfold.core.stored import Stored
from bayfold.errors.kinds import few

COLUMNS_KEPT = 8
"""Nominal columns of which something that takes time to find is kept for the next statistic of the same batch."""


@dataclass(frozen=True, eq=False, repr=False)
class NumericColumn(Stored):
    """A column of numbers, cut into fine bins.

    Attributes
    ----------
    name : str
    edges : ndarray
        Increasing; bin k holds ``edges[k-1] <= x < edges[k]``.
    values : ndarray or None
        The value of each bin when every distinct value has a bin of its own.
    shift, scale : float
        Near the mean and the spread; sums of ``(x - shift) / scale`` stay accurate.
    zone : str or None
        None for numbers that are no times. Times are seconds since 1970, and this is the time zone they are shown in,
        such as "Europe/Berlin"; "" where they came without one.
    width_bins, width_edges : int, ndarray or None
        If an equal-width model of so many bins was asked for: those of the edges that bound them.
    max_values : int
        Up to so many, a value that comes later gets a bin of its own, like a new category. 0: the edges are fixed,
        as they are where values are many or measured, so that hardly one comes twice.
    added : ndarray
        Those of the values that came after the schema was inferred.
    notation : Notation or None
        How the numbers are written where they come as strings: with a unit, as money, as percent.
    atoms : ndarray or None
        Of a target of many values: those that many rows share, each alone in its bin.
    special : tuple of float
        Numbers that are codes for something else, increasing: each has a bin behind all others.
    is_given : bool
        Whether somebody has given the bins: they are taken as they are, neither merged nor smoothed.
    """

    name: str
    edges: np.ndarray
    values: np.ndarray | None = None
    shift: float = 0.0
    scale: float = 1.0
    zone: str | None = None
    width_bins: int = 0
    width_edges: np.ndarray | None = None
    max_values: int = 0
    added: np.ndarray = field(default_factory=lambda: np.empty(0))
    notation: Notation | None = None
    atoms: np.ndarray | None = None
    special: tuple[float, ...] = ()
    is_given: bool = False
    kind: str = field(default="numeric", init=False)

    @property
    def is_time(self) -> bool:
        """Whether the numbers are seconds since 1970."""
        return self.zone is not None

    @property
    def n_bins(self) -> int:
        """How many fine bins there are, those of special codes left aside."""
        return len(self.edges) + 1

    @property
    def first_special(self) -> int:
        """The code of the first special code; bins end before it."""
        return self.n_bins + FIRST_BIN

    @property
    def n_codes(self) -> int:
        """Bins, special codes, and the codes for missing and unseen."""
        return self.first_special + len(self.special)

    @property
    def is_empty(self) -> bool:
        """Whether no cell was known when the schema was inferred."""
        return self.values is not None and len(self.values) == 0

    @cached_property
    def first_values(self) -> np.ndarray:
        """The values the schema was inferred with, where each has a bin of its own."""
        return np.empty(0) if self.values is None else np.setdiff1d(self.values, self.added)

    def extended(self, values: np.ndarray) -> NumericColumn:
        """The column with a bin for each further value, as far as there is room.

        Which values stay when there are too many depends on the values alone, so that parts of the data merge into
        the same column in whatever order they come; the others are counted in the nearest bin.
        """
        new = np.setdiff1d(values, self.first_values)
        added = keep_some_values(
            np.union1d(self.added, new), self.max_values - len(self.first_values)
        )
        if np.array_equal(added, self.added):
            return self
        union = np.union1d(self.first_values, added)
        edges = find_midpoints(union[:-1], union[1:])
        width_edges = None
        if self.width_bins:
            cuts = find_width_cuts(union, union[0], union[-1], self.width_bins)
            width_edges = edges[cuts - 1]
        return replace(self, values=union, added=added, edges=edges, width_edges=width_edges)

    def bin_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bound of each bin; the outermost are infinite."""
        return np.append(-np.inf, self.edges), np.append(self.edges, np.inf)

    def centres(self, low: float, high: float) -> np.ndarray:
        """A number for every bin: its value where it has one of its own, else its middle between the bounds."""
        if self.values is not None and len(self.values) == self.n_bins:
            return self.values
        lower, upper = self.bin_bounds()
        return np.clip(lower, low, high) / 2 + np.clip(upper, low, high) / 2

    def __eq__(self, other: object) -> bool:
        """Whether codes mean the same."""
        return (
            isinstance(other, NumericColumn)
            and self.name == other.name
            and np.array_equal(self.edges, other.edges)
            and (self.shift, self.scale, self.notation, self.is_given, self.special)
            == (other.shift, other.scale, other.notation, other.is_given, other.special)
        )

    def __repr__(self) -> str:
        """What the column holds, not every edge of it."""
        bounds = (
            f", cut from {self.edges[0]:.4g} to {self.edges[-1]:.4g}" if len(self.edges) else ""
        )
        return f"NumericColumn({self.name!r}, {self.n_bins} bins{bounds})"


@dataclass(frozen=True, repr=False)
class NominalColumn(Stored):
    """A column of categories.

    Attributes
    ----------
    name : str
    categories : tuple of str
    has_other : bool
        Whether the last bin stands for all categories beyond the cap.
    members : tuple of tuple of str
        For each of the categories that is a bin of several: its name, then these. Other cells are in a bin alone.
    """

    name: str
    categories: tuple[str, ...]
    has_other: bool = False
    members: tuple[tuple[str, ...], ...] = ()
    kind: str = field(default="nominal", init=False)

    def __repr__(self) -> str:
        """What the column holds, not every category of it."""
        some = few(list(self.categories))
        other = " and OTHER" if self.has_other else ""
        return f"NominalColumn({self.name!r}, {len(self.categories)} categories{other}: {some})"

    @property
    def n_bins(self) -> int:
        """How many bins there are, OTHER included."""
        return len(self.categories) + self.has_other

    @property
    def n_codes(self) -> int:
        """Bins plus the codes for missing and unseen."""
        return self.n_bins + FIRST_BIN

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of each category, and of each in a shared bin. Kept: batches of a stream ask for it again."""
        codes = range(FIRST_BIN, FIRST_BIN + len(self.categories))
        found = dict(zip(self.categories, codes, strict=True))
        return found | {label: found[name] for name, *group in self.members for label in group}

    def accepts(self, column: Column) -> bool:
        """Whether a column can be coded: numbers only as objects, or where some category is a number.

        Not where all are: of a column that mixes strings and numbers, a few rows may hold numbers only.
        """
        if column.kind != "numeric" or column.is_loose or not self.categories:
            return True
        return any_number(self.code_of)

    def extended(self, labels: Iterable[str], cap: int = WIDE_BINS - 1) -> NominalColumn:
        """The column with more categories, in sorted order; beyond ``cap`` new ones share OTHER.

        Sorted, so that parts of the data merge into the same column in whatever order they come.
        """
        known = self.code_of
        new = sorted({label for label in labels if label not in known})
        if not new or self.has_other:
            return self
        room = max(cap - len(self.categories), 0)
        # two sorted runs behind each other are merged, not sorted
        categories = tuple(sorted([*self.categories, *new[:room]]))
        return replace(self, categories=categories, has_other=len(new) > room)

    def __hash__(self) -> int:
        """From little of it: what is kept for columns of many categories is found again without reading them all."""
        return hash((self.name, len(self.categories), self.categories[:1], self.categories[-1:]))

    def covers(self, other: NominalColumn) -> bool:
        """Whether every category of the other column is one of these, in the same bin as there."""
        return (
            self.has_other >= other.has_other
            and self.members == other.members
            and _has_categories(self, other)
        )


@lru_cache(maxsize=COLUMNS_KEPT)
def _has_categories(column: NominalColumn, other: NominalColumn) -> bool:
    """Kept, because counts and samples of a batch are added one after the other."""
    return other.code_of.keys() <= column.code_of.keys()


ColumnSchema = NumericColumn | NominalColumn | TextColumn | BagOfWords
TARGET_NAME = "(target)"


@dataclass(frozen=True, repr=False)
class Schema(Stored):
    """What the columns of a table are and how they are coded: ``model.schema_``, and accepted as ``schema=``.

    Attributes
    ----------
    columns : tuple of NumericColumn, NominalColumn or TextColumn
    named : bool
        Whether the names came with the table (otherwise they are x0, x1, ...).
    target : NumericColumn or None
        The cells of a numeric target; None for classes.
    """

    columns: tuple[ColumnSchema, ...]
    named: bool = True
    target: NumericColumn | None = None

    def __repr__(self) -> str:
        """The first columns, each in a few words."""
        target = "" if self.target is None else f"; target {self.target!r}"
        return f"Schema({len(self.columns)} columns: {few(list(self.columns))}{target})"

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @cached_property
    def numeric(self) -> np.ndarray:
        """Positions of the numeric columns."""
        return np.array([j for j, c in enumerate(self.columns) if c.kind == "numeric"], np.int64)

    @cached_property
    def text(self) -> list[int]:
        """Positions of the columns of text."""
        return [j for j, c in enumerate(self.columns) if c.kind == "text"]

    @property
    def bag(self) -> BagOfWords | None:
        """The only column, if tables are sparse matrices."""
        first = self.columns[0] if len(self.columns) == 1 else None
        return first if isinstance(first, BagOfWords) else None

    @property
    def n_features(self) -> int:
        """How many columns tables have."""
        return len(self.columns) if self.bag is None else self.bag.n_words

    @cached_property
    def numeric_position(self) -> dict[int, int]:
        """Where each numeric column stands among the numeric ones."""
        return {int(j): k for k, j in enumerate(self.numeric)}

    @cached_property
    def narrow(self) -> np.ndarray:
        """Positions of the columns with one-byte codes: numeric ones first, as the encoder writes them."""
        few = [
            j for j, c in enumerate(self.columns) if c.kind != "numeric" and c.n_bins <= NARROW_BINS
        ]
        return np.append(self.numeric, np.array(few, np.int64))

    @cached_property
    def wide(self) -> np.ndarray:
        """Positions of the columns with two-byte codes."""
        return np.array([j for j, c in enumerate(self.columns) if c.n_bins > NARROW_BINS], np.int64)

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """For each column whether its codes are wide (1) or narrow (0), and its position among those."""
        found: dict[int, tuple[int, int]] = {}
        for width, columns in enumerate((self.narrow, self.wide)):
            found |= {j: (width, position) for position, j in enumerate(columns.tolist())}
        return [found[j] for j in range(len(self.columns))]

    @cached_property
    def grids(self) -> Grids:
        """The edges of the numeric columns as the encoder reads them."""
        return Grids([c.edges for c in self.columns if isinstance(c, NumericColumn)])

    @cached_property
    def n_codes(self) -> list[int]:
        """Codes per column."""
        return [column.n_codes for column in self.columns]

    def with_categories(self, categories: Mapping[str, Iterable[object]]) -> Schema:
        """Add categories that did not occur in the table but may occur later.

        Parameters
        ----------
        categories : dict
            For each nominal column, by name, the values to add.

        Returns
        -------
        schema : Schema
            A new schema; this one stays as it is.

        Examples
        --------
        >>> schema = Schema((NominalColumn("grade", ("a", "b")),))
        >>> schema.with_categories({"grade": ["b", "c"]}).columns[0].categories
        ('a', 'b', 'c')
        """
        columns = list(self.columns)
        for name, labels in categories.items():
            if self.names.count(name) > 1:
                raise errors.ambiguous_name("categories", name, self.names.count(name))
            j = self.names.index(name) if name in self.names else -1
            column_schema = columns[j] if j >= 0 else None
            if not isinstance(column_schema, NominalColumn):
                raise errors.no_such_nominal_column(name)
            columns[j] = column_schema.extended(label_of(label) for label in labels)
        return replace(self, columns=tuple(columns))

    def with_room_for(self, n_values: int) -> Schema:
        """The schema whose numeric columns grow to so many values at most; where there are more, edges are fixed."""
        columns = list(self.columns)
        for j, column in enumerate(columns):
            if isinstance(column, NumericColumn) and column.max_values > n_values:
                limit = n_values if column.n_bins <= n_values else 0
                columns[j] = replace(column, max_values=limit)
        return replace(self, columns=tuple(columns))

    def merged(self, other: Schema) -> Schema:
        """The schema that covers both: categories are united, edges must be equal."""
        if other == self:
            return self
        mine, theirs = ([(c.name, c.kind) for c in s.columns] for s in (self, other))
        if mine != theirs:
            raise errors.columns_differ(self.names, other.names)
        if self.target != other.target:
            raise errors.edges_differ(TARGET_NAME)
        pairs = zip(self.columns, other.columns, strict=True)
        columns = tuple(_merge_columns(a, b) for a, b in pairs)
        if self.named == other.named and all(map(operator.is_, columns, other.columns)):
            return other  # a batch was learnt under a schema that had grown
        return replace(self, columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """The schema as plain lists and numbers, ready for JSON."""
        plain: dict[str, Any] = {
            "named": self.named,
            "columns": [_column_to_dict(column) for column in self.columns],
        }
        return plain if self.target is None else plain | {"target": _column_to_dict(self.target)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Schema:
        """The schema that ``to_dict`` wrote.

        >>> schema = Schema((NominalColumn("grade", ("a", "b")),))
        >>> Schema.from_dict(schema.to_dict()) == schema
        True
        """
        columns = tuple(_column_from_dict(column) for column in data["columns"])
        target = _column_from_dict(data["target"]) if "target" in data else None
        return cls(columns, data["named"], target)  # type: ignore[arg-type]


def _merge_columns(a: ColumnSchema, b: ColumnSchema) -> ColumnSchema:
    if isinstance(a, NominalColumn) and isinstance(b, NominalColumn):
        if b.covers(a):
            return b
        if a.covers(b):
            return a
        if a.members != b.members:
            raise errors.edges_differ(a.name)
        union = sorted(
            [*a.categories, *(label for label in b.categories if label not in a.code_of)]
        )
        cap = WIDE_BINS - 1
        has_other = a.has_other or b.has_other or len(union) > cap
        return NominalColumn(a.name, tuple(union[:cap]), has_other, a.members)
    if isinstance(a, NumericColumn) and isinstance(b, NumericColumn):
        return _merge_numeric(a, b)
    if isinstance(a, BagOfWords) or isinstance(b, BagOfWords):
        return _merge_bags(a, b)
    if a != b:
        raise errors.ngrams_differ(a.name)
    return a


def _merge_bags(a: ColumnSchema, b: ColumnSchema) -> BagOfWords:
    """The column itself: matrices must have the same columns."""
    if a != b or not isinstance(a, BagOfWords):
        raise errors.sparse_columns_differ(*(getattr(column, "n_words", None) for column in (a, b)))
    return a


def _merge_numeric(a: NumericColumn, b: NumericColumn) -> NumericColumn:
    """The column itself where the edges are equal or one side holds nothing; else with the values of both."""
    if a == b or b.is_empty:
        return a
    if a.is_empty:
        return b
    alike = (a.shift, a.scale, a.is_time) == (b.shift, b.scale, b.is_time)
    if not (
        alike and a.max_values and b.max_values and np.array_equal(a.first_values, b.first_values)
    ):
        raise errors.edges_differ(a.name)
    return replace(a, max_values=min(a.max_values, b.max_values)).extended(b.added)


def _column_to_dict(column: ColumnSchema) -> dict[str, Any]:
    if isinstance(column, NominalColumn):
        return {
            "kind": "nominal",
            "name": column.name,
            "categories": list(column.categories),
            "has_other": column.has_other,
            "members": [list(group) for group in column.members],
        }
    if isinstance(column, TextColumn):
        return column.to_dict()
    return {
        "kind": "numeric",
        "name": column.name,
        "edges": column.edges.tolist(),
        "values": None if column.values is None else column.values.tolist(),
        "shift": column.shift,
        "scale": column.scale,
        "zone": column.zone,
        "width_bins": column.width_bins,
        "width_edges": None if column.width_edges is None else column.width_edges.tolist(),
        "max_values": column.max_values,
        "added": column.added.tolist(),
        "notation": None if column.notation is None else asdict(column.notation),
        "atoms": None if column.atoms is None else column.atoms.tolist(),
        "special": list(column.special),
        "is_given": column.is_given,
    }


def _column_from_dict(data: dict[str, Any]) -> ColumnSchema:
    fields = {key: value for key, value in data.items() if key != "kind"}
    if data["kind"] == "nominal":
        fields["categories"] = tuple(fields["categories"])
        fields["members"] = tuple(map(tuple, fields.get("members", ())))
        return NominalColumn(**fields)
    if data["kind"] == "text":
        ngrams = tuple(fields.pop("ngrams"))
        if "n_words" not in fields:
            return TextColumn(ngrams=ngrams, **fields)
        words = None if fields["words"] is None else tuple(fields["words"])
        return BagOfWords(**{**fields, "ngrams": ngrams, "words": words})
    for key in ("edges", "values", "width_edges", "added", "atoms"):
        if fields.get(key) is not None:  # what was written before there were atoms has none
            fields[key] = np.array(fields[key], np.float64)
    fields["special"] = tuple(fields.get("special", ()))
    notation = fields.pop("notation", None)  # what was written before there were any
    return NumericColumn(**fields, notation=None if notation is None else Notation(**notation))
