"""What ``fit`` is given for each row beside the table and the target: weights, groups, times and exposures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.options import VectorLike
from bayfold.core.counts.units import hash_units
from bayfold.core.frames import read_vector
from bayfold.core.frames.read import array_column


@dataclass(frozen=True, eq=False)
class Read:
    """Values of an extra that were read before, as a source that was copied to disk has them."""

    values: np.ndarray


@dataclass(frozen=True, eq=False)
class PerRow:
    """What was given for each row, not yet read. Another argument is a field here, and one of ``READERS_OF_EXTRAS``.

    Attributes
    ----------
    sample_weight : array-like or None
    groups : array-like or None
        Rows of one group are held out together.
    time : array-like or None
        Rows that are held out are later than those that are learnt from.
    exposure : array-like or None
        How much of the unit a row was observed.
    offset : array-like or None
        The logarithm of what the mean of a row is known to be multiplied by.
    """

    sample_weight: VectorLike | None = None
    groups: VectorLike | Read | None = None
    time: VectorLike | Read | None = None
    exposure: VectorLike | Read | None = None
    offset: VectorLike | Read | None = None

    @classmethod
    def of(cls, given: PerRow | VectorLike | None) -> PerRow:
        """What was given; weights alone need not be wrapped."""
        return given if isinstance(given, PerRow) else cls(given)

    def read_extras(self, n_rows: int) -> dict[str, np.ndarray]:
        """The arrays beside the weights, checked, by the name of the argument, as ``LabelledRows.extras``."""
        extras = {}
        for field in fields(self):
            given = getattr(self, field.name)
            if given is None or field.name not in READERS_OF_EXTRAS:
                continue
            read = READERS_OF_EXTRAS[field.name]
            extras[field.name] = given.values if isinstance(given, Read) else read(given, n_rows)
        return extras


def read_groups(groups: VectorLike, n_rows: int) -> np.ndarray:
    """The hash of each row's group."""
    hashes, known = hash_units(_read_one_per_row("groups", groups, n_rows))
    if not known.all():
        raise errors.missing_units("groups", int(np.count_nonzero(~known)))
    return hashes


def read_time(time: VectorLike, n_rows: int) -> np.ndarray:
    """When each row was observed, as a number that grows with time: dates are seconds since 1970."""
    column = array_column("time", _read_one_per_row("time", time, n_rows))
    if column.kind != "numeric":
        raise errors.time_without_order(column.kind)
    numbers = column.numbers(0, n_rows).astype(np.float64)
    unknown = ~np.isfinite(numbers)
    if unknown.any():
        raise errors.missing_units("time", int(np.count_nonzero(unknown)))
    return numbers


def _read_one_per_row(name: str, given: VectorLike, n_rows: int) -> np.ndarray:
    if isinstance(given, str):
        raise errors.name_in_place_of_values(name, given)
    values = read_vector(given)
    if values.ndim != 1:
        raise errors.not_a_column_of_rows(name, values.shape)
    if len(values) != n_rows:
        raise errors.unequal_lengths(name, len(values), n_rows)
    return values


def read_exposure(exposure: VectorLike, n_rows: int) -> np.ndarray:
    """How much of the unit each row was observed."""
    numbers = _read_numbers("exposure", exposure, n_rows)
    wrong = ~(np.isfinite(numbers) & (numbers > 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise errors.bad_exposure(float(numbers[row]), row)
    return numbers


LARGEST_OFFSET = 300.0
"""Exponentials of it, and their products with targets, are still floats."""


def read_offset(offset: VectorLike, n_rows: int) -> np.ndarray:
    """The logarithm of what each row's mean is multiplied by."""
    numbers = _read_numbers("offset", offset, n_rows)
    wrong = ~(np.abs(numbers) < LARGEST_OFFSET)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise errors.bad_offset(float(numbers[row]), row, LARGEST_OFFSET)
    return numbers


def _read_numbers(name: str, given: VectorLike, n_rows: int) -> np.ndarray:
    values = _read_one_per_row(name, given, n_rows)
    return errors.as_numbers(name, "numbers, one per row", values)


READERS_OF_EXTRAS: Mapping[str, Callable[[Any, int], np.ndarray]] = {
    "groups": read_groups,
    "time": read_time,
    "exposure": read_exposure,
    "offset": read_offset,
}
"""How each argument is read."""
