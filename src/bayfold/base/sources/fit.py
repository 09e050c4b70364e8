"""Fitting estimators from sources: two passes over the chunks, or one where the schema is given."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from types import MappingProxyType
from typing import Any, ClassVar, Self

from bayfold import errors
from bayfold.base.notices import records_warnings
from bayfold.base.options import ClusterClient, PathLike, SourceLike
from bayfold.base.per_row import READERS_OF_EXTRAS
from bayfold.base.sources.follow import Callback, follow_pass
from bayfold.base.sources.passes import CountChunk, FoldChunk, Learnt, LookAtChunk
from bayfold.base.sources.reading import ChunkReader, Roles, check_tally
from bayfold.base.sources.resume import Checkpoint, SavedFit, find_key
from bayfold.core.counts import LabelledRows
from bayfold.core.counts.survey import Survey, find_changed_column
from bayfold.core.engine import Engine, TreeSum, open_with_engine, resolve_threads
from bayfold.core.engine.engine import map_in_order
from bayfold.core.engine.kept_rows import KeptRows, StartPart
from bayfold.core.frames.sources import Chunk, Source
from bayfold.core.frames.sources.chunk import cut_chunks, partition_rows
from bayfold.core.schema import Schema


@dataclass(frozen=True, eq=False)
class SourceOptions:
    """How a source is gone through: as the parameters of ``fit_source`` say."""

    engine: Any = None
    resume: Any = None
    progress: bool = True
    callback: Callback | None = None


class SourceFit:
    """The passes of one fit.

    Parameters
    ----------
    estimator
        Of which parameters are read, and ``n_jobs``.
    source
        Whatever ``open_with_engine`` opens.
    target, weight : str or None
    columns : list of str or None
    options : SourceOptions
    extras : mapping of str to str or None
        Columns of the other arguments of ``fit`` with one entry for each row (see ``PerRow``).
    is_numeric, has_target : bool
        Whether the target is a number, and whether there is one.
    """

    def __init__(
        self,
        estimator: Any,
        source: Any,
        *,
        target: str | None,
        weight: str | None,
        columns: Any,
        options: SourceOptions,
        is_numeric: bool = False,
        has_target: bool = True,
        extras: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        errors.check_flag("progress", options.progress)
        errors.check_callable("callback", options.callback)
        self.source: Source
        self.engine: Engine
        self._n_threads = resolve_threads(estimator.n_jobs)
        self.source, self.engine = open_with_engine(source, options.engine, self._n_threads)
        for notice in getattr(self.source, "notices", ()):
            errors.warn(errors.DataWarning(notice))
        if options.resume is not None and not self.engine.can_resume:
            raise errors.cluster_cannot_resume(options.resume)
        schema = getattr(estimator, "schema", None)
        if columns is None and isinstance(schema, Schema) and schema.named:
            columns = schema.names
        self.roles = Roles.find(self.source, target, weight, columns, has_target, extras)
        self.reader = ChunkReader(self.roles, is_numeric)
        self._options = options
        self.checkpoint = Checkpoint(options.resume, find_key(estimator, self.source, self.roles))
        self.saved: SavedFit = self.checkpoint.load()

    def look(
        self, nominal: frozenset[int], special: Mapping[int, Sequence[float]] | None = None
    ) -> Survey:
        """The first pass: what the columns hold, and a sample of rows; checked as a table is checked."""
        look = LookAtChunk(self.reader, nominal, special or {})
        survey: Survey = self._run("looking", look, None) or Survey()
        self._check(survey.tally)
        infinite = survey.find_infinite()
        if infinite:
            raise errors.infinite_cells([self.roles.features[j] for j in infinite])
        return survey

    def count(
        self, learn: Callable[..., Any], schema: Schema, nothing: Any, survey: Survey | None
    ) -> Any:
        """The statistics of all rows, in the first pass or, after a survey, in the second."""
        reader = self._reader_after(survey)
        count = CountChunk(reader, learn, schema, nothing, is_complete=survey is not None)
        learnt: Learnt = self._run("counting", count, survey) or Learnt()
        if survey is None:
            self._check(learnt.tally)
        else:
            self._check_same_rows(survey, learnt)
        return learnt.statistics

    def reduce_rows(
        self, what: str, function: Callable[[LabelledRows], Any], survey: Survey
    ) -> Any:
        """The sum of what a function makes of the rows, in one more pass."""
        return self._run(what, FoldChunk(self._reader_after(survey), function), survey)

    def keep(
        self, function: Callable[[LabelledRows], Any], start: StartPart, survey: Survey
    ) -> KeptRows:
        """What a function makes of the rows, kept where they are; they must be those of the first pass."""
        options = self._options
        keep = FoldChunk(self._reader_after(survey), function)
        before = survey.tally.n_rows
        n_rows = 0
        args = self.source, "keeping", options.progress, options.callback, before
        with follow_pass(*args) as advance:

            def follow(rows: int, n_bytes: int) -> None:
                nonlocal n_rows
                n_rows += rows
                advance(rows, n_bytes)

            kept = self.engine.keep(keep, self.source, self.roles.columns, start, follow)
        if n_rows != before:
            kept.close()
            raise errors.rows_changed(before, n_rows)
        return kept

    def go_through(
        self, what: str, function: Callable[[Chunk], Any], take: Callable, n_done: int = 0
    ) -> None:
        """One pass in which what a function makes of each partition is taken in order; the first are done already."""
        size = self._partition_rows
        self.source.check_unchanged()
        chunks = cut_chunks(self.source.chunks(self.roles.columns, skip=n_done * size), size)
        options = self._options
        with follow_pass(
            self.source, what, options.progress, options.callback, n_before=n_done * size
        ) as advance:
            for n_rows, n_bytes, made in map_in_order(function, chunks, self._n_threads):
                take(made)
                advance(n_rows, n_bytes)
        self.source.check_unchanged()

    def done(self) -> None:
        """The model is made: what was saved on the way is not needed any more."""
        self.checkpoint.clear()

    def _check(self, tally: Any) -> None:
        roles = self.roles
        check_tally(tally, roles.weight is not None, roles.target is not None)

    def _check_same_rows(self, survey: Survey, learnt: Learnt) -> None:
        """Refuse a source that gave other rows in the second pass; files are also known by size and time."""
        error = None
        before = survey.tally
        after = learnt.tally
        if (after.n_rows, after.n_unlabelled) != (before.n_rows, before.n_unlabelled):
            error = errors.rows_changed(before.n_rows, after.n_rows)
        elif (
            after.n_counted == before.n_counted
        ):  # else some weights turned out to be as good as zero
            changed = find_changed_column(survey, learnt.statistics.counts)
            error = None if changed is None else errors.column_changed(changed)
        if error is not None:
            self.checkpoint.clear()  # going on from here would end here again
            raise error

    def _reader_after(self, survey: Survey | None) -> ChunkReader:
        """A reader that knows what the first pass has found."""
        if survey is None:
            return self.reader
        classes = None if self.reader.is_numeric else survey.sample.in_order().groups
        return replace(self.reader, classes=classes, largest=survey.tally.largest)

    @property
    def _partition_rows(self) -> int:
        columns = self.roles.columns
        return partition_rows(len(columns), self.source.text_bytes(columns))

    def _run(self, what: str, function: Any, survey: Survey | None) -> Any:
        """A pass, or what is left of it, or its outcome where that was saved."""
        saved = self.saved
        options = self._options
        if what in saved.totals:
            return saved.totals[what]
        n_rows = None if survey is None else survey.tally.n_rows
        tree = saved.sums.setdefault(what, TreeSum())
        n_before = tree.n_parts * self._partition_rows
        with follow_pass(
            self.source, what, options.progress, options.callback, n_rows, n_before
        ) as advance:

            def follow(rows: int, n_bytes: int) -> None:
                self.checkpoint.save(saved)
                advance(rows, n_bytes)

            total = self.engine.reduce(function, self.source, self.roles.columns, tree, follow)
        saved.totals[what] = total
        del saved.sums[what]
        self.checkpoint.save(saved, now=True)
        return total


def check_per_row(estimator: Any, names: Iterable[str]) -> None:
    """Refuse columns for arguments that ``fit`` does not take."""
    taken = signature(estimator.fit).parameters.keys() & READERS_OF_EXTRAS.keys()
    for name in names:
        if name not in taken:
            problem = f"got an unexpected keyword argument '{name}'"
            raise errors.bad_call(type(estimator).__name__, "fit_source", problem)


def with_one_thread(estimator: Any) -> Any:
    """The same estimator for one partition: the engine has threads for many."""
    alone = copy.copy(estimator)
    alone.n_jobs = 1
    return alone


def unfitted_with_one_thread(estimator: Any) -> Any:
    """The parameters alone: what was learnt before need not be sent to workers."""
    return type(estimator)(**{**estimator.get_params(deep=False), "n_jobs": 1})


class SourceLearner(ABC):
    """A model that needs no more of its rows than a few passes."""

    _target_is_numeric: ClassVar[bool] = False

    @abstractmethod
    def _check_source(self) -> None:
        """Refuse, before anything is read, parameters that cannot be or that need all rows at once."""

    @abstractmethod
    def _fit_passes(self, fit: SourceFit) -> None:
        """Learn in one or more passes."""

    @records_warnings
    def fit_source(
        self,
        source: SourceLike,
        target: str,
        *,
        weight: str | None = None,
        columns: Sequence[str] | None = None,
        engine: ClusterClient | None = None,
        resume: PathLike | None = None,
        progress: bool = True,
        callback: Callback | None = None,
        **per_row: str | None,
    ) -> Self:
        """Learn from rows that need not fit in memory.

        Parameters
        ----------
        source : path-like, list of them, DuckDB relation, dataframe of Dask or Spark, frame or callable
            Parquet, CSV, Arrow or ARFF files, globs, and folders (``year=2024/`` in a path is a column); a query; a
            dataframe, whose partitions are counted where they lie; anything with ``__arrow_c_stream__`` that can be
            read twice; or a function without arguments that gives Arrow batches, called for every pass.
        target : str
            The column to predict.
        weight : str, optional
            A column of frequencies: weight 2 is the row twice, weight 0 the row absent.
        columns : list of str, optional
            The columns to learn from: all others by default, or those of ``schema``.
        engine : dask.distributed.Client, optional
            A cluster whose workers read the files of ``source``. By default dataframes of Dask and Spark are learnt
            from on their own cluster, and everything else in threads of this process.
        resume : path-like, optional
            A folder to save the sums in now and then. The same call goes on from there after an interruption.
        progress : bool, default=True
            Show rows, rate and time left, on a terminal.
        callback : callable, optional
            Called after every partition with a ``SourceProgress``.
        **per_row : str
            Columns of the other arguments of ``fit`` with one entry for each row: ``groups="patient"``,
            ``time="date"``. They are not learnt from.

        Returns
        -------
        self

        Notes
        -----
        Two passes: the first finds categories, ranges and a sample of rows, the second counts. With ``schema=`` one
        pass is enough. Up to 20,000 rows the model is that of ``fit``. Of more, bin edges come from 20,000 rows that
        are drawn by their content, so neither the order of rows nor how they are cut into files changes the model;
        ``fit`` draws others. With the same ``schema``, both count the same.
        """
        self._check_source()
        check_per_row(self, per_row)
        fit = SourceFit(
            self,
            source,
            target=target,
            weight=weight,
            columns=columns,
            is_numeric=self._target_is_numeric,
            options=SourceOptions(engine, resume, progress, callback),
            extras=per_row,
        )
        self._fit_passes(fit)
        fit.done()
        return self
