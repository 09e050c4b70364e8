"""Terms as plain numbers, for those who score rows elsewhere: in a database, a browser, a runtime.

Two forms hold all kinds: numbers by code, with straight lines within codes where a term is a curve, and parabolas.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.kernels.encode import FIRST_BIN, MISSING


@dataclass(frozen=True, eq=False)
class Line:
    """Which share of the rise of its code a number has gone: ``(x - origin) * slope - offset``, from 0 to 1.

    Arrays with one entry per code, of a column of numbers; ``rises`` with one row per code.
    """

    origins: np.ndarray
    slopes: np.ndarray
    offsets: np.ndarray
    rises: np.ndarray


@dataclass(frozen=True, eq=False)
class CodedForm:
    """``table[code]``, and along a line within the code ``table[code] + share * rises[code]``.

    Attributes
    ----------
    edges : ndarray or None
        Of a column of numbers: the code of x is ``FIRST_BIN`` plus the number of edges at or below x.
    table : ndarray of shape (n_codes, n_scores)
    line : Line or None
        None where every code has one value.
    """

    edges: np.ndarray | None
    table: np.ndarray
    line: Line | None = None


@dataclass(frozen=True, eq=False)
class ParabolaForm:
    """``constant - ((x - mean) * inverse_sd)^2 / 2`` per group, not yet compared; ``missing`` is per score."""

    mean: np.ndarray
    inverse_sd: np.ndarray
    constant: np.ndarray
    missing: np.ndarray


Form = CodedForm | ParabolaForm


@dataclass(frozen=True, eq=False)
class Stretch:
    """A part of a curve, from ``start`` to that of the next: straight, or level where ``slope`` is zero."""

    start: float
    left: np.ndarray
    right: np.ndarray
    origin: float = 0.0
    slope: float = 0.0
    offset: float = 0.0


def lay_out_stretches(stretches: list[Stretch], missing: np.ndarray) -> CodedForm:
    """Stretches in increasing order, the first of which goes on to the left, as numbers by code."""
    left, right = (np.stack([getattr(s, side) for s in stretches]) for side in ("left", "right"))
    table = np.concatenate([np.zeros((FIRST_BIN, left.shape[1])), left])
    table[MISSING] = missing
    with np.errstate(invalid="ignore"):
        rises = np.where(left == right, 0.0, right - left)  # equal also where both are infinite
    nowhere = np.zeros(FIRST_BIN)
    line = Line(
        np.append(nowhere, [s.origin for s in stretches]),
        np.append(nowhere, [s.slope for s in stretches]),
        np.append(nowhere, [s.offset for s in stretches]),
        np.concatenate([np.zeros((FIRST_BIN, left.shape[1])), rises]),
    )
    edges = np.array([s.start for s in stretches[1:]], np.float64)
    return CodedForm(edges, table, line)
