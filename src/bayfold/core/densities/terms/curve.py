"""A curve per group between places of its own, one in each fine bin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.terms.forms import CodedForm, Stretch, lay_out_stretches
from bayfold.core.densities.terms.protocol import Packing, multiply, stack_tables
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import RowBlock


@dataclass(frozen=True, eq=False)
class CurveTerm:
    """A curve per group, given at one place within each fine bin and linear between places.

    ``log_nodes`` has the shape (n_bins, n_groups) and ``places``, increasing, the shape (n_bins,); ``missing``
    counts where the cell is empty. The code of a cell finds the places next to it, so they need no equal spacing.
    Bins that are ``alone`` hold one value each that repeats; no curve leads to them or from them.
    """

    column: int
    places: np.ndarray
    log_nodes: np.ndarray
    missing: np.ndarray
    alone: np.ndarray | None = None
    kind: str = field(default="curve", init=False)
    merge: None = field(default=None, init=False)

    def scaled(self, weight: float) -> CurveTerm:
        """The term with its evidence multiplied."""
        return replace(
            self,
            log_nodes=multiply(self.log_nodes, weight),
            missing=multiply(self.missing, weight),
        )

    def tabulate(self, centres: np.ndarray | None = None) -> np.ndarray:
        """The nodes: each is within the bin of a code."""
        table = np.concatenate([np.zeros((FIRST_BIN, self.log_nodes.shape[1])), self.log_nodes])
        table[MISSING] = self.missing
        return table

    def inverse_gaps(self) -> np.ndarray:
        """One over the distance from each place to the next; zero behind the last and beside a bin that is alone."""
        with np.errstate(divide="ignore", over="ignore"):
            gaps = np.append(1.0 / np.diff(self.places), 0.0)
        if self.alone is not None:
            gaps[self.alone] = 0.0
            gaps[:-1][self.alone[1:]] = 0.0
        return gaps

    def form(self, packing: Packing) -> CodedForm:
        """A stretch between each place and the next; level up to the edge where nothing leads there."""
        nodes = packing.weigh(self.log_nodes)
        places = self.places
        gaps = self.inverse_gaps()
        edges = packing.schema.columns[self.column].edges  # type: ignore[union-attr]
        stretches = [Stretch(-np.inf, nodes[0], nodes[0])]
        for k in range(len(places) - 1):
            if gaps[k] > 0:
                stretches.append(Stretch(places[k], nodes[k], nodes[k + 1], places[k], gaps[k]))
            else:
                stretches.append(Stretch(places[k], nodes[k], nodes[k]))
                stretches.append(Stretch(edges[k], nodes[k + 1], nodes[k + 1]))
        stretches.append(Stretch(places[-1], nodes[-1], nodes[-1]))
        return lay_out_stretches(stretches, packing.weigh(self.missing))

    @classmethod
    def pack(cls, terms: Sequence[CurveTerm], packing: Packing) -> PackedCurves:
        """The places and nodes of all columns in flat arrays."""
        missing = np.array([packing.weigh(term.missing) for term in terms])
        return PackedCurves(
            packing.numeric_positions(terms),
            np.cumsum([0, *(len(term.places) for term in terms)]).astype(np.int64),
            np.concatenate([term.places for term in terms]),
            np.concatenate([term.inverse_gaps() for term in terms]),
            *stack_tables([packing.weigh(term.log_nodes) for term in terms]),
            missing,
        )


@dataclass(frozen=True, eq=False)
class PackedCurves:
    """Curves of several columns; those of column k lie between two of the offsets.

    Numeric columns come first among the narrow codes, so one position finds both number and code.
    """

    columns: np.ndarray
    offsets: np.ndarray
    places: np.ndarray
    gaps: np.ndarray
    table_offsets: np.ndarray
    tables: np.ndarray
    missing: np.ndarray

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add the curves at each row's numbers."""
        kernels.score_curves(
            block.values,
            block.narrow,
            self.columns,
            self.offsets,
            self.places,
            self.gaps,
            self.table_offsets,
            self.tables,
            self.missing,
            scores,
        )
