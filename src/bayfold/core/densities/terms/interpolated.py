"""A curve per group between equally spaced nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.terms.forms import CodedForm, Stretch, lay_out_stretches
from bayfold.core.densities.terms.protocol import Packing, multiply, stack_tables
from bayfold.core.kernels.encode import MISSING, UNSEEN
from bayfold.core.schema import RowBlock

LEAST_SPAN = 1e-300
"""Of a curve's domain: numbers that differ by less than normal floats can tell would scale to infinity."""

ROUNDINGS = 4
"""A quotient and a sum are each rounded by half a step at most, as are a difference and a product: two steps in all."""


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

    @property
    def scale(self) -> float:
        """Nodes per unit of the column."""
        return (len(self.log_nodes) - 1) / max(self.high - self.low, LEAST_SPAN)

    def form(self, packing: Packing) -> CodedForm:
        """A stretch between each node and the next, level beyond the outermost."""
        nodes = packing.weigh(self.log_nodes)
        scale = self.scale
        starts = find_starts(self.low, scale, len(nodes))
        stretches = [Stretch(-np.inf, nodes[0], nodes[0])]
        for k, start in enumerate(starts[:-1]):
            stretches.append(Stretch(start, nodes[k], nodes[k + 1], self.low, scale, float(k)))
        stretches.append(Stretch(starts[-1], nodes[-1], nodes[-1]))
        return lay_out_stretches(stretches, packing.weigh(self.missing))

    @classmethod
    def pack(cls, terms: Sequence[InterpolatedTerm], packing: Packing) -> PackedInterpolated:
        """The nodes of all columns in one flat array."""
        low = np.array([term.low for term in terms])
        n_nodes = np.array([len(term.log_nodes) for term in terms], np.int64)
        scale = np.array([term.scale for term in terms])
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


def find_starts(low: float, scale: float, n_nodes: int) -> list[float]:
    """The smallest number that the kernel takes to each node, rounding included.

    >>> find_starts(10.0, 2.0, 3)
    [10.0, 10.5, 11.0]
    """
    nodes = np.arange(n_nodes)
    starts = low + nodes / scale
    for _ in range(ROUNDINGS):
        below = np.nextafter(starts, -np.inf)
        starts = np.where((below - low) * scale >= nodes, below, starts)
        starts = np.where((starts - low) * scale < nodes, np.nextafter(starts, np.inf), starts)
    starts[0] = low
    return starts.tolist()
