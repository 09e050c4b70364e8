"""One number per column of a table, read by position or by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from bayfold.errors import ambiguous_name, unknown_column

NAMED_COLUMNS = 8
"""Of a repr; the others are counted."""


class ColumnArray(np.ndarray):
    """An array with one number per column, which takes the name of a column in place of a position.

    Whatever is computed from it, and every part of it, is a plain array: sorted or cut it would have wrong names.

    Examples
    --------
    >>> importances = ColumnArray([0.75, 0.25], ["age", "income"])
    >>> float(importances["age"]), float(importances[1])
    (0.75, 0.25)
    >>> importances
    ColumnArray(age=0.75, income=0.25)
    >>> importances * 2
    array([1.5, 0.5])
    """

    names: tuple[str, ...] | None

    def __new__(cls, values: Any, names: Sequence[str]) -> Self:
        """An array of the values, one for each name."""
        array = np.array(values, np.float64).view(cls)
        array.names = tuple(names)
        return array

    def __array_finalize__(self, obj: Any) -> None:
        """Views and copies made by NumPy do not know which columns they hold."""
        self.names = None

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Results of computations are plain."""
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def __getitem__(self, key: Any) -> Any:
        """The number of a column by its name, or whatever a plain array gives."""
        if isinstance(key, str) and self.names is not None:
            key = self._find(key)
        return np.asarray(self)[key]

    def _find(self, name: str) -> int:
        assert self.names is not None
        if name not in self.names:
            raise unknown_column("column", name, list(self.names))
        if self.names.count(name) > 1:
            raise ambiguous_name("column", name, self.names.count(name))
        return self.names.index(name)

    def to_dict(self) -> dict[str, float]:
        """The numbers by column, in the order of the table; of columns with the same name the last."""
        names = self.names or tuple(map(str, range(len(self))))
        return dict(zip(names, self.tolist(), strict=True))

    def __reduce__(self) -> tuple[Callable, tuple]:
        """Pickled with its names."""
        if self.names is None:
            return np.array, (np.asarray(self),)
        return ColumnArray, (np.asarray(self), self.names)

    def __deepcopy__(self, memo: dict[int, Any] | None) -> Self:
        """As a pickle."""
        make, parts = self.__reduce__()
        return make(*parts)

    def __repr__(self) -> str:
        """Names and numbers, as many as fit in a line or two."""
        if self.names is None:
            return repr(np.asarray(self))
        pairs = zip(self.names, self.tolist(), strict=True)
        shown = [f"{name}={value:.4g}" for name, value in list(pairs)[:NAMED_COLUMNS]]
        more = len(self) - NAMED_COLUMNS
        return f"ColumnArray({', '.join(shown + ([f'... and {more} more'] if more > 0 else []))})"
