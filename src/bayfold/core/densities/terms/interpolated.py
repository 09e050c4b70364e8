"""A curve per group between equally spaced nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.terms.protocol import Packing, multiply, stack_tables
from bayfold.core.kernels.codes import MISSING, UNSEEN
from bayfold.core.schema import RowBlock

LEAST_SPAN = 1e-300
"""Of a curve's domain: numbers that differ by less than normal floats can tell would scale to infinity."""


@dataclass(frozen=True, eq=False)
class InterpolatedTerm:
    """A curve per group, given at equally spaced nodes from ``low`` to ``high``.

    ``log_nodes`` has the shape (n_nodes, n_groups); ``missing`` counts where the cell is empty. ``log_unit`` belongs
    to log p(x), not to the evidence, as in a TableTerm.
    """

    column: int
    low: float
    high: float
    log_nodes: np.ndarray
    missing: np.ndarray
    log_unit: float = 0.0
    kind: str = field(default="interpolated", init=False)
    merge: None = field(default=None, init=False)

    @property
    def log_density(self) -> np.ndarray:
        """Log-density at the nodes."""
        return self.log_nodes + self.log_unit

    def scaled(self, weight: float) -> InterpolatedTerm:
        """The term with its evidence multiplied."""
        return replace(
            self,
            log_nodes=multiply(self.log_nodes, weight),
            missing=multiply(self.missing, weight),
        )

    def tabulate(self, centres: np.ndarray | None) -> np.ndarray:
        """The curves at the centres."""
        assert centres is not None
        last = len(self.log_nodes) - 1
        place = np.nan_to_num((centres - self.low) / (self.high - self.low)) * last
        place = np.clip(place, 0.0, last)
        node = np.minimum(place.astype(np.int64), last - 1)
        share = (place - node)[:, None]
        table = (1.0 - share) * self.log_nodes[node] + share * self.log_nodes[node + 1]
        table[MISSING] = self.missing
        table[UNSEEN] = 0.0
        return table

    @classmethod
    def pack(cls, terms: Sequence[InterpolatedTerm], packing: Packing) -> PackedInterpolated:
        """The nodes of all columns in one flat array."""
        low = np.array([term.low for term in terms])
        n_nodes = np.array([len(term.log_nodes) for term in terms], np.int64)
        span = np.array([term.high for term in terms]) - low
        scale = (n_nodes - 1) / np.maximum(span, LEAST_SPAN)
        curves = [term.log_nodes if packing.centred else term.log_density for term in terms]
        missing = np.array([packing.weigh(term.missing) for term in terms])
        return PackedInterpolated(
            packing.numeric_positions(terms),
            low,
            scale,
            n_nodes,
            *stack_tables([packing.weigh(curve) for curve in curves]),
            missing,
        )


@dataclass(frozen=True, eq=False)
class PackedInterpolated:
    """Curves of several columns; the nodes of a column begin at its offset in ``tables``."""

    columns: np.ndarray
    low: np.ndarray
    scale: np.ndarray
    n_nodes: np.ndarray
    offsets: np.ndarray
    tables: np.ndarray
    missing: np.ndarray

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add the curves at each row's numbers."""
        kernels.score_interpolated(
            block.values,
            self.columns,
            self.low,
            self.scale,
            self.n_nodes,
            self.offsets,
            self.tables,
            self.missing,
            scores,
        )
