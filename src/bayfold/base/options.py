"""Types of parameters that several estimators share, so that editors complete them."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import IO, Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from bayfold.core.frames import Table
from bayfold.core.frames.sources import Source


class ArrowStream(Protocol):
    """Whatever speaks the Arrow PyCapsule interface: pandas, polars, pyarrow, DuckDB relations, and more."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as an Arrow stream."""


class ClusterFrame(Protocol):
    """A dataframe of Dask or Spark."""

    def persist(self, *args: Any, **kwargs: Any) -> Any:
        """Keep the rows in the memory of the workers."""


class ClusterClient(Protocol):
    """A ``dask.distributed.Client``."""

    def submit(self, *args: Any, **kwargs: Any) -> Any:
        """Have a worker call a function."""


TableLike = ArrayLike | ArrowStream | Table
"""A table: a NumPy array, nested lists, or a frame of any library."""

VectorLike = ArrayLike | ArrowStream
"""A column: a NumPy array, a list, a Series of any library."""

PathLike = str | os.PathLike[str]
FileLike = str | os.PathLike[str] | IO[bytes]

SourceLike = (
    PathLike
    | Sequence[PathLike]
    | ArrowStream
    | ClusterFrame
    | Callable[[], Iterable[object]]
    | Source
)
"""Files, a query, a frame, a dataframe on a cluster, or a function that gives Arrow batches anew for every pass."""

ClassLabel = Hashable
"""A class as it stands in the target: a string, a boolean, a number, a date."""

ClassWeight = Literal["balanced"] | Mapping[Any, float] | None
Bins = int | Mapping[Any, int | Sequence[float] | Sequence[Sequence[Any]]] | None
"""Bins of columns: cuts of numbers, groups of categories, or how many."""

Interactions = Literal["auto", 1, 2, 3] | Sequence[tuple[Any, ...]]
"""Columns of a table, at most; or the pairs, and threes, that may have one."""

SpecialCodes = float | Sequence[float] | Mapping[Any, float | Sequence[float]] | None
"""Numbers that are codes for something else, of all columns of numbers or by column."""

Columns = str | int | Sequence[str] | Sequence[int] | Sequence[bool] | np.ndarray | None
"""Columns by name, by position or by mask."""

NumericColumns = Columns | Mapping[Any, Literal[".", ","]]
"""Columns as above, or with the decimal sign of each."""

RandomState = int | np.random.RandomState | None
Missing = Literal["ignore", "category"]
Calibration = Literal["weights", "temperature"] | None
Statistic = Literal["mean", "median"]
Direction = Literal["increasing", "decreasing", "peak", "valley", "auto"]
Density = Literal["auto", "smooth", "kernel", "mdl", "equal_frequency", "equal_width", "gaussian"]
SmoothingRule = (
    Literal["shrinkage", "m_estimate", "laplace", "none", "laplace_declared"] | float | None
)
Priors = Literal["laplace", "uniform"] | Sequence[float] | np.ndarray | Mapping[Any, float] | None
