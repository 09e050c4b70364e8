"""Build a frame of the library the user works with.

Every frame is built as an Arrow table first and converted from there, so that a missing cell, a
string or a category means the same thing in all three libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from bayfold import errors

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable  # noqa: F401  (named by those that may not import pyarrow)


@dataclass(frozen=True, eq=False)
class Categories:
    """A nominal column: one code per row into a fixed, ordered list of labels.

    Parameters
    ----------
    codes : array of int
        The position of each row's label in `labels`; -1 where the cell is missing.
    labels : sequence of str
        Every value the column may take, also those no row has. All distinct.

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold.core.frames.output import Categories
    >>> Categories(np.array([0, -1, 0]), ["owner", "tenant"]).values()
    array(['owner', None, 'owner'], dtype=object)
    """

    codes: np.ndarray
    labels: Sequence[str]

    def __post_init__(self) -> None:
        labels = tuple(self.labels)
        _check_labels(labels)
        codes = np.asarray(self.codes)
        _check_codes(codes, len(labels))
        # An own, read-only copy: a frozen column must not change when its source does.
        codes = codes.astype(np.int32)
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "labels", labels)

    def __len__(self) -> int:
        return len(self.codes)

    def values(self) -> np.ndarray:
        """Give the labels row by row, as an object array with None for missing."""
        # The extra None at the end is what the code -1 picks.
        return np.array([*self.labels, None], dtype=object)[self.codes]


def _check_labels(labels: tuple[str, ...]) -> None:
    seen = set()
    for label in labels:
        if not isinstance(label, str):
            raise errors.bad_categories("strings", label)
        if label in seen:
            raise errors.bad_categories("distinct", label)
        seen.add(label)


def _check_codes(codes: np.ndarray, n_labels: int) -> None:
    # NumPy makes an empty list an array of floats, so only codes that exist are asked to be whole.
    if codes.ndim != 1 or (codes.size and codes.dtype.kind not in "iu"):
        raise errors.bad_categories("codes", codes)
    outside = codes[(codes < -1) | (codes >= n_labels)]
    if outside.size:
        raise errors.bad_categories("range", int(outside[0]))


def make_frame(columns: Mapping[str, object], library: str) -> Any:
    """Build a frame from columns.

    Parameters
    ----------
    columns : mapping of str to array, list or Categories
        Equally long columns by name. None and NaN are missing cells.
    library : {"arrow", "pandas", "polars"}
        The library whose frame is wanted.

    Returns
    -------
    pyarrow.Table, pandas.DataFrame or polars.DataFrame
        Missing cells are null (NaN where pandas uses it); `Categories` become dictionary,
        categorical or enum columns that keep every label.

    Examples
    --------
    >>> from bayfold.core.frames.output import make_frame
    >>> table = make_frame({"age": [31.0, float("nan")], "city": ["Bonn", None]}, "arrow")
    >>> table.to_pydict()
    {'age': [31.0, None], 'city': ['Bonn', None]}
    """
    if library not in _CONVERTERS:
        raise errors.unknown_frame_library(library, sorted(_CONVERTERS))
    lengths = {name: _length(name, column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise errors.unequal_column_lengths(lengths)
    # Asked for first, so that a missing library is reported before any work is done.
    convert = _CONVERTERS[library]
    module = _import_library(library)
    return convert(module, _make_arrow_table(columns))


def convert_arrow(filled: Any, library: str) -> Any:
    """An Arrow table as a frame of a library; what is no Arrow table stays as it is."""
    if library not in _CONVERTERS or type(filled).__module__.split(".")[0] != "pyarrow":
        return filled
    return _CONVERTERS[library](_import_library(library), filled)


def _length(name: str, column: Any) -> int:
    try:
        return len(column)
    except TypeError as reason:
        raise errors.unreadable_column(name, reason) from None


def _import_library(library: str) -> Any:
    package = "pyarrow" if library == "arrow" else library
    try:
        return import_module(package)
    except ImportError:
        raise errors.frame_library_not_installed(library, package) from None


def _make_arrow_table(columns: Mapping[str, object]) -> Any:
    pyarrow = _import_library("arrow")
    return pyarrow.table({name: _arrow_array(name, column) for name, column in columns.items()})


def _arrow_array(name: str, column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, Categories):
        codes = pa.array(column.codes, mask=column.codes < 0)
        return pa.DictionaryArray.from_arrays(codes, pa.array(column.labels, pa.string()))
    if isinstance(column, np.ndarray) and column.dtype.kind == "U":
        column = column.astype(object)  # Arrow reads no fixed-width NumPy strings
    try:
        return pa.array(column, from_pandas=True)  # NaN becomes null, as None does
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as reason:
        raise errors.unreadable_column(name, reason) from None


def _to_arrow(pyarrow: Any, table: Any) -> Any:
    return table


def _to_pandas(pandas: Any, table: Any) -> Any:
    return table.to_pandas()


def _to_polars(polars: Any, table: Any) -> Any:
    """Convert to polars, with enums: its categoricals forget labels that no row has."""
    frame = polars.from_arrow(table)
    enums = [
        polars.col(name).cast(polars.Enum(table[name].chunk(0).dictionary.to_pylist()))
        for name in table.column_names
        if str(table.schema.field(name).type).startswith("dictionary")
    ]
    return frame.with_columns(enums)


_CONVERTERS: dict[str, Callable[[Any, Any], Any]] = {
    "arrow": _to_arrow,
    "pandas": _to_pandas,
    "polars": _to_polars,
}
