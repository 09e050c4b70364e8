"""Units of holding out: rows that belong together, such as those of a patient, by a hash of the group they were given.

Rows of one unit are never on both sides of anything held out. Only hashes are kept, so names of groups reach neither a
model nor a file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.counts.count_hashes import finalize_hashes
from bayfold.core.counts.row_hashes import UNIT_BITS, hash_label
from bayfold.core.frames import number_labels


def hash_units(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The hash of each row's group, and which groups are known. Whole numbers of all types are the same numbers.

    >>> hashes, known = hash_units(np.array([3.0, 5.0, np.nan]))
    >>> bool((hashes[:2] == hash_units(np.array([3, 5]))[0]).all()), known.tolist()
    (True, [True, True, False])
    """
    kind = values.dtype.kind
    if kind in "mM":
        known = ~np.isnat(values)
        microseconds = "timedelta64[us]" if kind == "m" else "datetime64[us]"
        return _hash_integers(values.astype(microseconds).view(np.int64)), known
    if kind in "biu":
        return _hash_integers(values), np.ones(len(values), bool)
    if kind == "f":
        return _hash_floats(values.astype(np.float64))
    codes, labels = number_labels(values)
    hashes = [0] * (len(labels) + 1)
    for k, label in enumerate(labels):
        hashes[k] = _hash_label(label)
    return np.array(hashes, np.uint64)[codes], codes >= 0


def _hash_label(label: Any) -> int:
    if isinstance(label, int | float | np.number):
        return int(hash_units(np.array([label]))[0][0])
    return hash_label("unit", str(label))


def _hash_integers(values: np.ndarray) -> np.ndarray:
    kept = values if values.dtype.kind == "u" else values.astype(np.int64)
    # zero is a fixed point of the finalizer
    return finalize_hashes(finalize_hashes(kept.astype(np.uint64) + np.uint64(1)))


def _hash_floats(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    known = ~np.isnan(values)
    is_whole = known & (values == np.floor(values)) & (np.abs(values) < 2.0**53)
    bits = values.view(np.uint64)
    whole = np.where(is_whole, values, 0.0).astype(np.int64)
    return np.where(is_whole, _hash_integers(whole), finalize_hashes(~bits)), known


def mix_units(
    hashes: np.ndarray, units: np.ndarray | None, time: np.ndarray | None = None
) -> np.ndarray:
    """Hashes of rows by content first, then by group, unit and time; as they are where there are no units and times."""
    if units is None and time is None:
        return hashes
    mixed = hashes & UNIT_BITS
    if units is not None:
        mixed = finalize_hashes(mixed + units)
    if time is not None:
        mixed = finalize_hashes(mixed + (time + 0.0).view(np.uint64))
    return (hashes & ~UNIT_BITS) | (mixed & UNIT_BITS)
