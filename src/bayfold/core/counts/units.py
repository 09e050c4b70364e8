"""Units of holding out: rows that belong together, such as those of a patient, by a hash of the group they were given.

Rows of one unit are never on both sides of anything held out. Only hashes are kept, so names of groups reach neither a
model nor a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from bayfold.core.counts.count_hashes import finalize_hashes
from bayfold.core.counts.row_hashes import UNIT_BITS, hash_label
from bayfold.core.frames import Table, number_labels


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


ROWS_LOOKED_AT = 1_000
"""Rows whose distances are looked at, some milliseconds; of a longer table stretches of neighbouring rows, as rows of a
unit often stand together."""

N_STRETCHES = 4
"""Of neighbouring rows: one alone may be all of one kind."""

FEWEST_LOOKED_AT = 20
"""Fewer rows may lie anywhere."""

MOST_MEASURED = 20
"""Columns of numbers that distances are taken over, the first: near-copies are near in any."""

MOST_TRIED = 200
"""Columns among which these are looked for: wide tables are no longer looked at than others."""

ROWS_ASKED = 100
"""Rows whose neighbours are looked for: a share of one half is then known to ten points with two standard errors."""

ASKED_FIRST = 10
"""One of so many is asked first: if none of ten rows has a gap, half of all have it in one table of a thousand."""

NEIGHBOURS_ASKED = 50
"""Neighbours among which a gap is looked for: of larger units single rows tell little, and folds hold some anyway."""

GAP = 5.0
"""Times as far as its unit is the next row, at least. Of independent rows in two columns one of 25 has such a gap
behind its first neighbour, one of 600 behind the second; in three columns one of 125."""

LEAST_WITH_GAP = 0.5
"""Share of the rows that have such a gap where rows come in units. None of 114 tables of the benchmarks has one."""

MEASURED = 0.5
"""Distinct values per row that make a column one of measurements: numbers that repeat are near by chance."""

LEAST_AGREEMENT = 0.95
"""Share of near-copies with the same value of an identifier."""


@dataclass(frozen=True)
class NearCopies:
    """What was found.

    Attributes
    ----------
    share : float
        Of the rows that have near-copies.
    column : str or None
        The likely identifier of units.
    n_repeats : int
        How often one of its values comes, in the median.
    """

    share: float
    column: str | None = None
    n_repeats: int = 0


def find_near_copies(table: Table) -> NearCopies | None:
    """Whether most rows have others that are far nearer than the rest; None where they have not.

    >>> from bayfold.core.frames import read_table
    >>> rng = np.random.default_rng(0)
    >>> visits = np.repeat(rng.normal(size=(20, 3)), 5, axis=0) + 0.001 * rng.normal(size=(100, 3))
    >>> find_near_copies(read_table(visits)), find_near_copies(read_table(rng.normal(size=(100, 3))))
    (NearCopies(share=1.0, column=None, n_repeats=0), None)
    """
    rows = _choose_stretches(table.n_rows)
    if len(rows) < FEWEST_LOOKED_AT or table.bag is not None:
        return None
    numeric = (column for column in table.columns[:MOST_TRIED] if column.kind == "numeric")
    measured = (_measure(column.take(rows).numbers(0, len(rows))) for column in numeric)
    columns = list(islice((x for x in measured if x is not None), MOST_MEASURED))
    if len(columns) < 2:
        return None
    asked = np.linspace(0, len(rows) - 1, min(ROWS_ASKED, len(rows))).astype(np.int64)
    places = np.stack(columns, axis=1)
    _, _, has_gap = _find_neighbours(places, asked[::ASKED_FIRST])
    if not has_gap.any():  # as in most tables
        return None
    asked, near, has_gap = _find_neighbours(places, asked)
    if not len(asked) or has_gap.mean() < LEAST_WITH_GAP:
        return None
    share = float(has_gap.mean())
    pairs = asked[has_gap], near[has_gap]
    counts = [_count_shared(table, j, rows, pairs) for j in range(len(table.columns))]
    best = int(np.argmax([len(of_values) for of_values in counts]))
    if not len(counts[best]):
        return NearCopies(share)
    return NearCopies(share, table.columns[best].name, int(np.median(counts[best])))


def _choose_stretches(n_rows: int) -> np.ndarray:
    if n_rows <= ROWS_LOOKED_AT:
        return np.arange(n_rows)
    length = ROWS_LOOKED_AT // N_STRETCHES
    starts = np.linspace(0, n_rows - length, N_STRETCHES).astype(np.int64)
    return np.unique(starts[:, None] + np.arange(length))


def _measure(x: np.ndarray) -> np.ndarray | None:
    """Numbers in units of the middle half, long tails drawn in; None for what is no measurement of most rows."""
    x = np.asarray(x, np.float64)
    known = np.isfinite(x)
    values = np.sort(x[known])
    if not len(values) or 1 + np.count_nonzero(np.diff(values)) < MEASURED * len(x):
        return None
    low, middle, high = values[(len(values) - 1) * np.arange(1, 4) // 4]
    centred = np.where(known, x, middle) / 2 - middle / 2  # differences of floats may be none
    with np.errstate(over="ignore"):
        units = centred / max(high / 2 - low / 2, np.finfo(float).tiny)
    return np.arcsinh(np.nan_to_num(units))  # the largest float in place of infinity


def _find_neighbours(
    places: np.ndarray, asked: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows asked about that no other row equals, the nearest row of each, and whether a gap is behind its first."""
    near = np.empty(len(asked), np.int64)
    has_gap = np.zeros(len(asked), bool)
    differs = np.zeros(len(asked), bool)
    most = min(NEIGHBOURS_ASKED + 2, len(places) - 1)
    for k, row in enumerate(asked.tolist()):
        distance = np.abs(places - places[row]).max(axis=1)
        distance[row] = np.inf
        near[k] = distance.argmin()
        first = np.sort(np.partition(distance, most - 1)[:most])
        differs[k] = first[0] > 0
        has_gap[k] = differs[k] and bool((first[1:] > GAP * first[:-1]).any())
    return asked[differs], near[differs], has_gap[differs]


def _count_shared(
    table: Table, j: int, rows: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """How often each value of a column comes, if near-copies share them and they come more than once; else none."""
    column = table.columns[j].take(rows)
    nothing = np.empty(0, np.int64)
    if column.kind == "numeric":
        codes = np.unique(column.numbers(0, len(rows)), return_inverse=True)[1]
    elif column.kind == "nominal":
        codes = column.labels()[0]
    else:
        return nothing
    counts = np.unique(codes, return_counts=True)[1]
    agree = float((codes[pairs[0]] == codes[pairs[1]]).mean())
    is_shared = agree >= LEAST_AGREEMENT and 2 < len(counts) <= MEASURED * len(rows)
    return counts if is_shared else nothing
