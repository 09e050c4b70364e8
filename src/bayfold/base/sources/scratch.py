"""Estimators that learn from sources by copying them to disk first."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from bayfold import errors
from bayfold.base.options import ClusterClient, PathLike, SourceLike, TableLike, VectorLike
from bayfold.base.sources.copying import Copy, ReadCells, target_of
from bayfold.base.sources.fit import SourceFit, SourceOptions
from bayfold.base.sources.follow import Callback
from bayfold.core.counts import LabelledRows
from bayfold.core.engine.row_store import RowStore
from bayfold.core.engine.scratch import arrays_on_disk
from bayfold.core.frames.sources.chunk import release_memory


class ScratchLearner:
    """A model that goes over its rows many times."""

    _target_is_numeric: ClassVar[bool] = False
    _has_target: ClassVar[bool] = True

    @abstractmethod
    def fit(self, X: TableLike, y: VectorLike, sample_weight: VectorLike | None = None) -> Self:
        """Learn from rows in memory."""

    def _check_source(self) -> None:
        """Refuse, before anything is read, parameters that cannot be."""

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
    ) -> Self:
        """Learn from rows that need not fit in memory: they are copied to disk, which needs room there.

        Parameters
        ----------
        source : path-like, list of them, DuckDB relation, frame or callable
            Parquet, CSV, Arrow or ARFF files, globs, and folders (``year=2024/`` in a path is a column); a query;
            anything with ``__arrow_c_stream__``; or a function without arguments that gives Arrow batches.
        target : str
            The column to predict, of a method that predicts one.
        weight : str, optional
            A column of frequencies: weight 2 is the row twice, weight 0 the row absent.
        columns : list of str, optional
            The columns to learn from: all others by default, or those of ``schema``.
        engine, resume : None
            Refused: the rows are copied to this machine, and an interrupted fit starts again. Methods that only count
            have them.
        scratch : path-like, optional
            A folder on a disk with room for the rows and for what is worked out for each of them: that for temporary
            files by default. Whatever happens, nothing is left there.
        progress : bool, default=True
            Show rows, rate and time left of the copying, on a terminal.
        callback : callable, optional
            Called after every partition that is copied with a ``SourceProgress``.

        Returns
        -------
        self

        Notes
        -----
        One pass over the source, in which cells become arrays in a file; then the method works as it does in memory,
        with its large arrays in files too. The model is that of ``fit``, bit for bit.
        """
        for name, value in (("engine", engine), ("resume", resume)):
            if value is not None:
                raise errors.not_for_copied_rows(name, value, type(self).__name__)
        self._check_source()
        fit = SourceFit(
            self,
            source,
            options=SourceOptions(progress=progress, callback=callback),
            is_numeric=self._target_is_numeric,
            has_target=self._has_target,
            target=target,
            weight=weight,
            columns=columns,
        )
        with arrays_on_disk(scratch) as folder:
            rows = copy_rows(fit, folder)
            return self.fit(rows.table, target_of(rows), sample_weight=rows.weights)


def copy_rows(fit: SourceFit, folder: Path) -> LabelledRows:
    """The rows of a source, on disk."""
    try:
        store = RowStore(folder)
    except OSError as error:
        raise errors.no_room_for_scratch(str(folder), error) from error
    copy = Copy(store)

    def write(chunk: Any) -> None:
        try:
            copy.add(chunk)
        except OSError as error:
            raise errors.no_room_for_scratch(str(folder), error) from error

    try:
        fit.go_through("copying", ReadCells(fit.reader), write)
        release_memory()
        return copy.to_rows(fit.roles.target is not None)
    finally:
        store.close()
