"""Estimators that learn from sources by copying them to disk first."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from bayfold import errors
from bayfold.base.notices import records_warnings
from bayfold.base.options import ClusterClient, PathLike, SourceLike, TableLike, VectorLike
from bayfold.base.per_row import Read
from bayfold.base.sources.copying import Copy, ReadCells, target_of
from bayfold.base.sources.fit import SourceFit, SourceOptions, check_per_row
from bayfold.base.sources.follow import Callback
from bayfold.base.sources.resume import FILE_NAME, ROWS_NAME
from bayfold.core.counts import LabelledRows
from bayfold.core.engine import lies_on_cluster
from bayfold.core.engine.row_store import RowStore
from bayfold.core.engine.scratch import arrays_on_disk
from bayfold.core.frames.sources.chunk import release_memory


class ScratchLearner:
    """A model that goes over its rows many times."""

    _target_is_numeric: ClassVar[bool] = False
    _has_target: ClassVar[bool] = True
    _stays_with_rows: ClassVar[bool] = False
    """Whether rows of a cluster can stay there."""

    @abstractmethod
    def fit(self, X: TableLike, y: VectorLike, sample_weight: VectorLike | None = None) -> Self:
        """Learn from rows in memory."""

    def _check_source(self) -> None:
        """Refuse, before anything is read, parameters that cannot be."""

    def _find_obstacles(self) -> Iterable[str]:
        """Parameters whose values need all rows in one place."""
        return ()

    def _fit_kept(self, fit: SourceFit) -> None:
        """Learn from rows that stay where they are."""
        raise NotImplementedError

    def _check_parts(self, *names: str) -> None:
        """Refuse estimators of other libraries as parameters: they read tables in memory."""
        for name in names:
            part = getattr(self, name)
            if part is not None and not hasattr(part, "fit_source"):
                raise errors.part_not_from_sources(name, part)

    def fit_source(
        self,
        source: SourceLike,
        target: str | None = None,
        *,
        weight: str | None = None,
        columns: Sequence[str] | None = None,
        engine: ClusterClient | None = None,
        resume: PathLike | None = None,
        scratch: PathLike | None = None,
        progress: bool = True,
        callback: Callback | None = None,
        **per_row: str | None,
    ) -> Self:
        """Learn from rows that need not fit in memory: on a cluster where they are, otherwise copied to disk.

        Parameters
        ----------
        source : path-like, list of them, DuckDB relation, dataframe of Dask or Spark, frame or callable
            Parquet, CSV, Arrow or ARFF files, globs, and folders (``year=2024/`` in a path is a column); a query; a
            dataframe of a cluster; anything with ``__arrow_c_stream__``; or a function without arguments that gives
            Arrow batches.
        target : str
            The column to predict, of a method that predicts one.
        weight : str, optional
            A column of frequencies: weight 2 is the row twice, weight 0 the row absent.
        columns : list of str, optional
            The columns to learn from: all others by default, or those of ``schema``.
        engine : dask.distributed.Client, optional
            A cluster whose workers read the files of ``source`` and keep their rows, for boosting and trees. By default
            these methods leave the rows of a dataframe of Dask or Spark on its cluster. The others refuse an engine
            and copy the rows of a dataframe, too.
        resume : path-like, optional
            A folder in which the copied rows stay until the model is made: after an interruption the same call goes on
            with the copying where it was, and what comes after it begins again from the copy. By default an interrupted
            fit leaves nothing behind.
        scratch : path-like, optional
            A folder on a disk with room for the rows and for what is worked out for each of them: that for temporary
            files by default. Whatever happens, nothing is left there; the rows themselves go to ``resume`` instead, if
            it is given. Rows of a cluster are copied, too, if a folder is named.
        progress : bool, default=True
            Show rows, rate and time left of the copying, on a terminal.
        callback : callable, optional
            Called after every partition that is copied with a ``SourceProgress``.
        **per_row : str
            Columns of the other arguments of ``fit`` with one entry for each row, such as ``groups="patient"``,
            ``time="date"``, or ``exposure="years"`` of a boosted regressor of counts.

        Returns
        -------
        self

        Notes
        -----
        One pass over the source, in which cells become arrays in a file; then the method works as it does in memory,
        with its large arrays in files too. The model is that of ``fit``, bit for bit. Where rows stay on a cluster,
        three passes over the source find what the columns hold, count, and code the rows; bin edges beyond 20,000 rows
        come from other rows than those of ``fit``, as for methods that only count, and boosted tables draw and leave
        out other rows.
        """
        if engine is not None and not self._stays_with_rows:
            raise errors.not_for_copied_rows(engine, type(self).__name__)
        self._check_source()
        check_per_row(self, per_row)
        if engine is not None or (
            self._stays_with_rows and scratch is None and lies_on_cluster(source)
        ):
            self._check_cluster(scratch, per_row)
            options = SourceOptions(engine, resume, progress, callback)
            return self._fit_on_cluster(
                source, options, target=target, weight=weight, columns=columns
            )
        fit = SourceFit(
            self,
            source,
            options=SourceOptions(resume=resume, progress=progress, callback=callback),
            is_numeric=self._target_is_numeric,
            has_target=self._has_target,
            target=target,
            weight=weight,
            columns=columns,
            extras=per_row,
        )
        with arrays_on_disk(scratch) as folder:
            rows = copy_rows(fit, folder)
            extras = {name: Read(values) for name, values in rows.extras.items()}
            self.fit(rows.table, target_of(rows), sample_weight=rows.weights, **extras)
        fit.done()
        return self

    def _check_cluster(self, scratch: PathLike | None, per_row: dict[str, str | None]) -> None:
        """Refuse what rows that stay on a cluster cannot have."""
        refused = {name: getattr(self, name) for name in self._find_obstacles()}
        refused |= {name: column for name, column in per_row.items() if column is not None}
        refused |= {} if scratch is None else {"scratch": scratch}
        for name, value in refused.items():
            raise errors.needs_all_rows(name, value, type(self).__name__)

    @records_warnings
    def _fit_on_cluster(self, source: SourceLike, options: SourceOptions, **roles: Any) -> Self:
        self._fit_kept(SourceFit(self, source, options=options, **roles))
        return self


def copy_rows(fit: SourceFit, folder: Path) -> LabelledRows:
    """The rows of a source, on disk: in a file that goes with the process, or where an interrupted fit goes on from."""
    kept = fit.checkpoint.folder
    saved = fit.saved
    copy: Copy = saved.copy or Copy()
    store = open_store(copy, folder, kept)

    def save(now: bool = False) -> None:
        if fit.checkpoint.is_due(now):
            store.flush()  # before it is said to be there
            saved.copy = copy
            fit.checkpoint.save(saved, now=True)

    def write(chunk: Any) -> None:
        try:
            copy.add(chunk, store)
            save()
        except OSError as error:
            raise _no_room(folder, kept, error) from error

    try:
        if not copy.is_done:
            fit.go_through("copying", ReadCells(fit.reader), write, copy.n_chunks)
            copy.is_done = True
            save(now=True)
        release_memory()
        return copy.to_rows(store, fit.roles.target is not None)
    finally:
        store.close()


def open_store(copy: Copy, folder: Path, kept: Path | None) -> RowStore:
    """The file that rows are copied to, or that an interrupted fit has copied them to."""
    try:
        if kept is None:
            return RowStore(folder, None, copy.written)
        return RowStore(kept, ROWS_NAME, copy.written)
    except (EOFError, OSError) as error:
        if kept is not None and isinstance(error, EOFError | FileNotFoundError):
            raise errors.bad_checkpoint(f"{kept}/{FILE_NAME}", error) from error
        raise _no_room(folder, kept, error) from error


def _no_room(folder: Path, kept: Path | None, error: Exception) -> Exception:
    """The files of a scratch folder are gone with the process; those of ``resume`` stay."""
    if kept is None:
        return errors.no_room_for_scratch(str(folder), error)
    return errors.no_room_for_copy(str(kept), error)
