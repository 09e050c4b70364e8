"""Estimators that learn from sources."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

from bayfold.base.options import ClusterClient, PathLike, SourceLike
from bayfold.base.sources.fit import SourceFit, SourceOptions
from bayfold.base.sources.follow import Callback
from bayfold.base.summarised import remembers_warnings


class SourceLearner(ABC):
    """A model that needs no more of its rows than a few passes."""

    _target_is_numeric: ClassVar[bool] = False

    @abstractmethod
    def _check_source(self) -> None:
        """Refuse, before anything is read, parameters that cannot be or that need all rows at once."""

    @abstractmethod
    def _fit_passes(self, fit: SourceFit) -> None:
        """Learn in one or more passes."""

    @remembers_warnings
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
        fit = SourceFit(
            self,
            source,
            target=target,
            weight=weight,
            columns=columns,
            is_numeric=self._target_is_numeric,
            options=SourceOptions(engine, resume, progress, callback),
        )
        self._fit_passes(fit)
        fit.done()
        return self
