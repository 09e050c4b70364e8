"""Where a source is worked on: here, or on the cluster it lies on.

Dataframes of Dask and Spark are known by the names of their modules: neither library is imported before somebody comes
with something of it.
"""

from __future__ import annotations

import os
from typing import Any

from bayfold import errors
from bayfold.core.engine.engine import Engine, ThreadEngine
from bayfold.core.frames.sources import Source, open_source
from bayfold.core.frames.sources.many_files import FileSource


def open_rows(source: Any) -> Source:
    """Open whatever rows can be read from, in this process."""
    if _is_dask_frame(source):
        from bayfold.core.engine.dask_engine import DaskSource

        return DaskSource(source)
    if _is_spark_frame(source):
        from bayfold.core.engine.spark_engine import SparkSource

        return SparkSource(source)
    return open_source(source)


def lies_on_cluster(source: Any) -> bool:
    """Whether a source is a dataframe of Dask or Spark."""
    return _is_dask_frame(source) or _is_spark_frame(source)


def open_with_engine(source: Any, engine: Any, n_threads: int) -> tuple[Source, Engine]:
    """Open a source, and find the engine that reduces it.

    Parameters
    ----------
    source
        Whatever ``open_source`` opens, or a dataframe of Dask or Spark.
    engine : dask.distributed.Client or None
        Whose workers read files, or have the partitions of a dataframe. None: the cluster of a dataframe, and for all
        other sources the threads of this process.
    n_threads : int
        Of this process.
    """
    if engine is not None and not _comes_from(engine, "distributed"):
        raise errors.bad_engine(type(engine).__name__)
    opened = open_rows(_with_whole_paths(source) if engine is not None else source)
    if _is_spark_frame(source) and engine is None:
        from bayfold.core.engine.spark_engine import SparkEngine

        return opened, SparkEngine()
    if engine is None and not _is_dask_frame(source):
        return opened, ThreadEngine(n_threads)
    if not _is_dask_frame(source) and not isinstance(opened, FileSource):
        raise errors.not_for_workers(type(source).__name__)
    from bayfold.core.engine.dask_engine import DaskEngine

    return opened, DaskEngine(engine)


def _with_whole_paths(source: Any) -> Any:
    """Workers may stand in another folder."""
    if isinstance(source, (str, os.PathLike)):
        return os.path.abspath(source)
    if isinstance(source, (list, tuple)):
        return [_with_whole_paths(path) for path in source]
    return source


def _is_dask_frame(thing: Any) -> bool:
    return _comes_from(thing, "dask", "dask_expr") and hasattr(thing, "map_partitions")


def _is_spark_frame(thing: Any) -> bool:
    return _comes_from(thing, "pyspark") and hasattr(thing, "mapInArrow")


def _comes_from(thing: Any, *packages: str) -> bool:
    """Whether the class of a thing, or one it is made from, is one of these packages."""
    return any(cls.__module__.partition(".")[0] in packages for cls in type(thing).__mro__)
