"""The model: a log prior and one term per column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from bayfold.core.densities import PairTerm, Term, centre_groups
from bayfold.core.schema import Schema
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.stored import Stored
from bayfold.errors.listing import few


@dataclass(frozen=True)
class Dropped:
    """A column that was dropped: its weight before, and the mean held-out log-loss without it."""

    column: int
    weight: float
    log_loss: float


@dataclass(frozen=True, eq=False)
class Calibration:
    """How far the evidence is to be believed.

    Attributes
    ----------
    weights : ndarray of shape (n_columns,)
        Not negative; all equal for a temperature.
    intercept : ndarray of shape (n_scores,)
    dropped : tuple of Dropped
        The columns that a selection left out, in this order.
    held_out : HeldOutScore or None
        How well the held-out rows were predicted that all this was fitted to.
    """

    weights: np.ndarray
    intercept: np.ndarray
    dropped: tuple[Dropped, ...] = ()
    held_out: HeldOutScore | None = None

    def spread(self, columns: np.ndarray, n_columns: int) -> Calibration:
        """The same of a table with more columns, where these are some and the others have no weight."""
        weights = np.zeros(n_columns)
        weights[columns] = self.weights
        dropped = tuple(replace(step, column=int(columns[step.column])) for step in self.dropped)
        return Calibration(weights, self.intercept, dropped, self.held_out)


@dataclass(frozen=True, eq=False, repr=False)
class NaiveBayesModel(Stored):
    """``log p(g, x) = log_prior[g] + sum of terms``.

    Attributes
    ----------
    schema : Schema
    log_prior : ndarray of shape (n_groups,)
    terms : tuple of Term
        One per column, in the order of the columns.
    calibration : Calibration or None
        Weights on the columns' evidence and an intercept in place of the prior; log p(x) is not touched by it.
    pairs : tuple of PairTerm
        What columns say two by two, beyond what they say alone.
    methods : mapping of int to str
        The density of each numeric column.
    widths : mapping of int to float
        How widely columns are smoothed, where that was chosen.
    """

    schema: Schema
    log_prior: np.ndarray
    terms: tuple[Term, ...]
    calibration: Calibration | None = None
    pairs: tuple[PairTerm, ...] = ()
    methods: Mapping[int, str] = field(default_factory=dict)
    widths: Mapping[int, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        """How much there is of what, not every number."""
        parts = [f"{self.n_groups} groups", f"{len(self.terms)} terms"]
        parts += [f"{len(self.pairs)} pairs"] if self.pairs else []
        parts += ["calibrated"] if self.calibration is not None else []
        return f"NaiveBayesModel({', '.join(parts)} of {few(self.schema.names)})"

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.log_prior)

    @property
    def intercept(self) -> np.ndarray:
        """Where the decision function starts: the calibrated intercept, or the centred prior."""
        return (
            centre_groups(self.log_prior)
            if self.calibration is None
            else self.calibration.intercept
        )

    @property
    def silent_columns(self) -> frozenset[int]:
        """The columns that are not believed at all."""
        if self.calibration is None:
            return frozenset()
        return frozenset(np.flatnonzero(self.calibration.weights == 0).tolist())

    @cached_property
    def evidence_terms(self) -> tuple[Term, ...]:
        """The terms as far as they are believed."""
        if self.calibration is None:
            return self.terms
        weights = self.calibration.weights
        return tuple(term.scaled(float(weights[term.column])) for term in self.terms)
