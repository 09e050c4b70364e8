"""Cells that cannot be written to, for kernels that only read them."""

from __future__ import annotations

import numpy as np


def lend_cells(cells: np.ndarray) -> np.ndarray:
    """The same cells for a kernel that only reads them, without a copy where they lie in one piece.

    numba takes an array that cannot be written to, as all of Arrow's are, for another type, and would compile every
    kernel once more. This one says that it can be, and whoever is lent it must not write.

    >>> cells = np.frombuffer(bytes(16))
    >>> cells.flags.writeable, lend_cells(cells).flags.writeable
    (False, True)
    """
    if cells.flags.carray:  # most often, where columns were lent as a whole
        return cells
    cells = np.require(cells, requirements=["C", "A"])
    return cells if cells.flags.writeable else np.asarray(_Lent(cells))


class _Lent:
    """An array in NumPy's own words, which holds on to the cells for as long as somebody reads them."""

    def __init__(self, cells: np.ndarray) -> None:
        address, _ = cells.__array_interface__["data"]
        self._cells = cells
        self.__array_interface__ = {**cells.__array_interface__, "data": (address, False)}
