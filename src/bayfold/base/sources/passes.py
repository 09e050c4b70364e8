"""What is done to each chunk of a source: the first pass looks, the second counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bayfold.base.sources.reading import ChunkReader
from bayfold.core.counts import LabelledRows, Statistics
from bayfold.core.counts.sample_limits import SampleLimits
from bayfold.core.counts.sums import Sum
from bayfold.core.counts.survey import Survey, SurveyLimits, Tally, survey_rows
from bayfold.core.engine import TreeSum
from bayfold.core.frames.sources import Chunk
from bayfold.core.schema import NominalColumn, NumericColumn, Schema


class LookAtChunk:
    """The survey of a chunk."""

    plain: Sequence[str] = ()

    def __init__(
        self, reader: ChunkReader, nominal: frozenset[int], special: Mapping[int, Sequence[float]]
    ) -> None:
        self._reader = reader
        self._nominal = nominal
        self._special = special
        self._limits = SurveyLimits()

    def __call__(self, chunk: Chunk) -> Survey:
        """Look at a chunk."""
        rows, tally = self._reader.read(chunk)
        return survey_rows(rows, self._nominal, tally, self._limits, self._special)

    def learn_from(self, tree: TreeSum) -> None:
        """What is beyond what is kept already need not be looked at: a short cut that changes nothing."""
        largest: Survey = tree.sums[0]
        self._limits = largest.limits


@dataclass(frozen=True, eq=False)
class Learnt(Sum):
    """The statistics of some rows, and how many there were."""

    statistics: Any = field(default_factory=Statistics.zero)
    tally: Tally = field(default_factory=Tally)

    def _plus(self, other: Learnt) -> Learnt:
        return Learnt(self.statistics + other.statistics, self.tally + other.tally)


class CountChunk:
    """The statistics of a chunk under a schema.

    Parameters
    ----------
    reader : ChunkReader
    learn : callable
        From rows, a schema and the limits of the sample to statistics.
    schema : Schema
    nothing : Statistics
        Of no rows.
    is_complete : bool
        Whether the schema is known to hold all categories and values of the source.
    """

    def __init__(
        self,
        reader: ChunkReader,
        learn: Callable[..., Any],
        schema: Schema,
        nothing: Any,
        is_complete: bool,
    ) -> None:
        self._reader = reader
        self._learn = learn
        self._schema = schema
        self._nothing = nothing
        self._limits: SampleLimits | None = None
        self.plain = [reader.roles.features[j] for j in schema.text]
        self._few_values = _values_of(schema) if is_complete else {}

    def __call__(self, chunk: Chunk) -> Learnt:
        """Count a chunk."""
        rows, tally = self._reader.read(chunk)
        if not rows.n_rows:
            return Learnt(self._nothing, tally)
        rows.table.few_values.update(self._few_values)
        return Learnt(self._learn(rows, self._schema, limits=self._limits), tally)

    def learn_from(self, tree: TreeSum) -> None:
        """Rows beyond what is sampled already are no candidates: a short cut that changes nothing."""
        statistics = tree.sums[0].statistics
        self._schema = _with_categories_of(self._schema, statistics.schema)
        sample = statistics.sample
        if sample.n_even >= sample.size:
            self._limits = sample.limits


class FoldChunk:
    """What a function makes of the rows of a chunk."""

    plain: Sequence[str] = ()

    def __init__(self, reader: ChunkReader, function: Callable[[LabelledRows], Any]) -> None:
        self._reader = reader
        self._function = function

    def __call__(self, chunk: Chunk) -> Any:
        """Apply the function."""
        return self._function(self._reader.read(chunk)[0])

    def learn_from(self, tree: TreeSum) -> None:
        """Nothing is to be learnt on the way."""


def _with_categories_of(schema: Schema, grown: Schema | None) -> Schema:
    """The schema that has grown by categories, as that of the next chunk would: most of these are in it already.

    Of categories beyond what there are codes for, and of values, those that stay must be chosen among all.
    """
    if grown is None or grown is schema:
        return schema
    for old, new in zip(schema.columns, grown.columns, strict=True):
        if new is not old and not (isinstance(new, NominalColumn) and not new.has_other):
            return schema
    return grown


def _values_of(schema: Schema) -> dict[int, Any]:
    numeric = ((j, c) for j, c in enumerate(schema.columns) if isinstance(c, NumericColumn))
    return {j: c.values for j, c in numeric if c.values is not None}
