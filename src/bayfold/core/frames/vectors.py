"""One value per row, such as a target or weights, from any library."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core import kernels
from bayfold.core.frames.arrow import check_arrow
from bayfold.core.frames.labels import is_missing
from bayfold.core.frames.notation import Notation, find_notation, parse_labels
from bayfold.core.frames.objects import find_family, find_types
from bayfold.core.frames.read import array_column, as_array
from bayfold.core.frames.strings import Strings

Groups = tuple[np.ndarray, np.ndarray]
"""An index per row, -1 where missing, and the sorted distinct values it points to."""

FIRST_LOOK = 1 << 12
"""Rows that most often hold all classes of a target, already."""

LONG_ARRAY = 1 << 14
"""Fewer labels are found by Arrow in a millisecond or two, without a kernel that would have to be compiled."""

FEW_STRINGS = 16
"""Strings that each label is compared with one after the other; more of them take longer than to hash the labels."""


def read_vector(y: Any) -> np.ndarray:
    """A target or weights as a NumPy array, of whatever shape they have.

    Missing cells become None in an object array or NaN in a float array; whole numbers stay whole.

    Examples
    --------
    >>> read_vector([1, 2, 2])
    array([1, 2, 2])
    """
    if type(y).__module__.split(".")[0] == "pandas":
        y = _from_pandas(y.iloc[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y)
    elif hasattr(y, "__arrow_c_stream__") or hasattr(y, "__arrow_c_array__"):
        y = _from_arrow(y)
    elif isinstance(y, np.ma.MaskedArray) and y.dtype.kind in "iu":
        y = _from_masked(y)
    array = as_array(y)
    if array.dtype.kind == "f" and isinstance(y, list | tuple) and all(map(_is_int, y)):
        # numbers on both sides of 2**63 become floats, which do not tell neighbours apart
        array = np.array(y, object)
    return array


def _is_int(cell: Any) -> bool:
    return isinstance(cell, int)


def _from_masked(y: np.ma.MaskedArray) -> np.ndarray:
    if not np.ma.is_masked(y):
        return y.data
    cells = y.data.astype(object)
    cells[np.ma.getmaskarray(y)] = None
    return cells


def _from_arrow(y: Any) -> Any:
    import pyarrow as pa

    data = (
        pa.chunked_array(y) if not hasattr(y, "column_names") and not hasattr(y, "columns") else y
    )
    if not isinstance(data, pa.ChunkedArray):
        table = pa.table(data)
        if table.num_columns != 1:
            raise errors.target_shape(table.shape)
        data = table.column(0)
    data = check_arrow(data)
    if pa.types.is_dictionary(data.type):
        if pa.types.is_string_view(data.type.value_type):  # polars; Arrow cannot cast these
            return np.concatenate([_look_up(chunk) for chunk in data.chunks])
        data = data.cast(data.type.value_type)
    if data.null_count and pa.types.is_integer(data.type):
        return np.array(data.to_pylist(), object)
    return data.to_numpy()  # nulls: None among strings, NaN among floats


def _look_up(chunk: Any) -> np.ndarray:
    """The cells of a dictionary array."""
    cells = np.array([*chunk.dictionary.to_pylist(), None], object)
    return cells[chunk.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)]


def _from_pandas(y: Any) -> np.ndarray:
    import pyarrow as pa

    dtype = getattr(y, "dtype", None)
    if dtype is None or isinstance(dtype, np.dtype):
        return y.to_numpy()
    if isinstance(held := getattr(getattr(y, "array", y), "_pa_array", None), pa.ChunkedArray):
        check_arrow(held)
    if dtype.kind == "f":
        return y.to_numpy(dtype=np.float64, na_value=np.nan)
    if dtype.kind in "iu":
        return y.to_numpy(dtype=object, na_value=None) if y.isna().any() else np.asarray(y)
    if dtype.kind == "b" and not y.isna().any():
        return y.to_numpy(dtype=bool)
    return y.to_numpy(dtype=object)


def find_numbers(values: np.ndarray, is_whole: bool = True) -> np.ndarray:
    """Floats, NaN where missing, read as a column is; dates and durations are refused with what to do.

    Strings are numbers where all of them are written in one notation, as money is; some of the rows (``is_whole``) do
    not tell which.

    >>> from decimal import Decimal
    >>> find_numbers(np.array([Decimal("0.5"), 2, None], dtype=object))
    array([0.5, 2. , nan])
    >>> find_numbers(np.array(["$1,200", "$950", None], dtype=object))
    array([1200.,  950.,   nan])
    """
    kind = values.dtype.kind
    if kind in "biuf":
        return values.astype(np.float64)
    if kind in "mM":
        raise errors.target_of_times(is_date=kind == "M")
    cells = values if kind == "O" else values.tolist()
    written = find_target_notation(values) if is_whole else None
    if written is not None:
        indices, labels = find_groups(values)
        return np.append(parse_labels(labels.tolist(), written)[0], np.nan)[indices]
    for found in find_types(cells):
        family = find_family(found)
        if family in ("time", "duration"):
            raise errors.target_of_times(is_date=family == "time")
        if family != "number":
            raise errors.target_not_numeric(next(cell for cell in cells if type(cell) is found))
    return array_column("y", values).numbers(0, len(values)).astype(np.float64)


def find_target_notation(values: np.ndarray) -> Notation | None:
    """How numbers are written in a target of strings; None where it is one of labels, or no strings."""
    if values.dtype.kind not in "OUT" or find_types(values.tolist()) != {str}:
        return None
    found = find_notation(find_groups(values)[1].tolist())
    return found if isinstance(found, Notation) else None


def find_groups(values: np.ndarray) -> Groups:
    """Sorted distinct values and the index of each row among them, -1 where missing.

    Sorting a million labels takes longer than learning from them, so small whole numbers are
    counted and strings are hashed.

    Examples
    --------
    >>> codes, groups = find_groups(np.array(["no", "yes", None, "no"], dtype=object))
    >>> codes.tolist(), groups.tolist()
    ([0, 1, -1, 0], ['no', 'yes'])
    """
    kind = values.dtype.kind
    if kind == "b":
        return _integers(values.astype(np.int8), np.dtype(bool))
    if kind in "iu":
        return _integers(values, values.dtype)
    if kind == "f":
        return _floats(values)
    if kind in "USTO":
        return _hashed(values)
    raise errors.unknown_label_type(str(values.dtype))


def number_labels(values: np.ndarray) -> tuple[np.ndarray, list]:
    """The index of each label among the distinct ones as they come, -1 where missing; labels may be of any type.

    >>> number_labels(np.array(["b", (1, 2), None, "b"], dtype=object))
    (array([ 0,  1, -1,  0], dtype=int32), ['b', (1, 2)])
    """
    coded = _arrow_codes(values)
    if coded is not None:
        return coded
    place_of: dict[Any, int] = {}
    cells = values.tolist()
    codes = [-1 if is_missing(c) else place_of.setdefault(c, len(place_of)) for c in cells]
    return np.array(codes, np.int32), list(place_of)


def _integers(values: np.ndarray, dtype: np.dtype) -> Groups:
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low < 1 << 16 and high < 1 << 63:  # what fits in 64 signed bits is counted
        return _small_integers(values, dtype, low, high)
    distinct, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.int32), distinct.astype(dtype)


def _small_integers(values: np.ndarray, dtype: np.dtype, low: int, high: int) -> Groups:
    """The same where all values lie from ``low`` to ``high``."""
    if len(values) == 0:
        return np.empty(0, np.int32), np.empty(0, dtype)
    shifted = values
    if low or values.dtype.kind == "u":
        # in 64 bits: int8 labels may span more than int8 can hold
        shifted = values.astype(np.int64) - low
    present = _find_present(shifted, high - low + 1)
    if present.all():
        return shifted.astype(np.int32), np.arange(low, low + len(present)).astype(dtype)
    lookup = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return lookup[shifted], (np.flatnonzero(present) + low).astype(dtype)


def _find_present(values: np.ndarray, n_values: int) -> np.ndarray:
    """Which of the numbers from zero occur; where the first rows hold them all, the others are not looked at."""
    present = np.bincount(values[:FIRST_LOOK], minlength=n_values) > 0
    return present if present.all() else np.bincount(values, minlength=n_values) > 0


def _floats(values: np.ndarray) -> Groups:
    known = ~np.isnan(values)
    kept = values if known.all() else values[known]
    if np.isinf(kept).any():
        raise errors.infinite_target()
    if (kept != np.floor(kept)).any():
        raise errors.continuous_target()
    codes, groups = (
        _integers(kept.astype(np.int64), values.dtype)
        if (np.abs(kept) < 2**53).all()
        else np.unique(kept, return_inverse=True)[::-1]
    )
    if len(kept) == len(values):
        return codes.astype(np.int32, copy=False), groups
    spread = np.full(len(values), -1, np.int32)
    spread[known] = codes
    return spread, groups


def _hashed(values: np.ndarray) -> Groups:
    codes, distinct = _long_strings(values) or _arrow_codes(values) or _python_codes(values)
    try:
        order = sorted(range(len(distinct)), key=lambda k: distinct[k])
    except TypeError as error:
        types = sorted({type(value).__name__ for value in distinct})
        raise errors.unknown_label_type(f"a mixture of {', '.join(types)}") from error
    rank = np.empty(len(distinct) + 1, np.int32)
    rank[order] = np.arange(len(distinct), dtype=np.int32)
    rank[-1] = -1
    groups = np.empty(len(distinct), _label_dtype(values, distinct))
    groups[:] = [distinct[k] for k in order]
    return rank[codes], groups


def _label_dtype(values: np.ndarray, distinct: list) -> np.dtype:
    """The type of the groups: numbers and booleans among objects have their own, the same with and without gaps."""
    if values.dtype.kind != "O":
        return values.dtype
    if len({find_family(type(label)) for label in distinct}) == 1:
        labels = np.asarray(distinct)
        if labels.dtype.kind in "biuf" and labels.tolist() == distinct:
            return labels.dtype
    return np.dtype(object)


def _long_strings(values: np.ndarray) -> tuple[np.ndarray, list] | None:
    """Codes of a long array of NumPy's strings: comparing with few distinct ones beats hashing, and hashing Arrow."""
    if values.dtype.kind != "U" or len(values) < LONG_ARRAY or values.dtype.itemsize == 0:
        return None
    distinct = np.unique(values[:: len(values) >> 10])
    codes = np.full(len(values), -1, np.int32)
    if len(distinct) <= FEW_STRINGS:
        for code, value in enumerate(distinct):
            codes[values == value] = code
        if (codes >= 0).all():
            return codes, distinct.tolist()
    size = values.dtype.itemsize
    data = np.ascontiguousarray(values).view(np.uint8)
    bounds = np.arange(0, len(data) + 1, size)
    strings = Strings(data, bounds, np.ones(len(values), np.bool_))
    numbers, first = kernels.number_equal(strings.hash_cells(np.arange(len(values))))
    return numbers, values[first].tolist()


def _arrow_codes(values: np.ndarray) -> tuple[np.ndarray, list] | None:
    """Codes by Arrow's hash table; None for objects that Arrow does not take for strings, integers or booleans."""
    import pyarrow as pa

    try:
        data = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return None
    except UnicodeError:  # half of a surrogate pair, which Python holds and UTF-8 does not
        return None
    t = data.type
    known = pa.types.is_string(t) or pa.types.is_large_string(t)
    if not (known or pa.types.is_integer(t) or pa.types.is_boolean(t)):
        return None
    coded = data.dictionary_encode()
    indices = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return indices, coded.dictionary.to_pylist()


def _python_codes(values: np.ndarray) -> tuple[np.ndarray, list]:
    position: dict[Any, int] = {}
    codes = np.full(len(values), -1, np.int32)
    for row, value in enumerate(values.tolist() if values.dtype.kind != "O" else values):
        if not is_missing(value):
            try:
                codes[row] = position.setdefault(value, len(position))
            except TypeError as error:
                raise errors.unknown_label_type(type(value).__name__) from error
    floats = [float(v) for v in position if isinstance(v, (float, np.floating))]
    if np.isinf(floats).any():
        raise errors.infinite_target()
    if any(not v.is_integer() for v in floats):
        raise errors.continuous_target()
    return codes, list(position)
