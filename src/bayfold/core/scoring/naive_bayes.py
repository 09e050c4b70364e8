"""The naive Bayes model: a log prior and one term per column, packed kind by kind into what scores blocks of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from bayfold.core.densities import PairTerm, Term, centre_groups
from bayfold.core.densities.terms import PackedTerms, Packing, Summand
from bayfold.core.schema import RowBlock, Schema
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.edits import Edit
from bayfold.core.scoring.errors import CountErrors, LeftOutErrors, ShiftErrors
from bayfold.core.scoring.monotone import MonotoneRule
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.stored import Stored
from bayfold.errors.kinds import few


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
    conformal : ConformalScores or None
        Of the same rows: what sets of classes are made by.
    errors : ndarray of shape (n_columns,) or None
        Standard errors of the weights, as far as each is free to move beside the others.
    """

    weights: np.ndarray
    intercept: np.ndarray
    dropped: tuple[Dropped, ...] = ()
    held_out: HeldOutScore | None = None
    conformal: ConformalScores | None = None
    errors: np.ndarray | None = None

    def spread(self, columns: np.ndarray, n_columns: int) -> Calibration:
        """The same of a table with more columns, where these are some and the others have no weight."""
        weights = np.zeros(n_columns)
        weights[columns] = self.weights
        errors = None if self.errors is None else np.zeros(n_columns)
        if errors is not None:
            errors[columns] = self.errors
        dropped = tuple(replace(step, column=int(columns[step.column])) for step in self.dropped)
        return replace(self, weights=weights, dropped=dropped, errors=errors)


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
    edits : tuple of Edit
        The changes that people made by hand, in order.
    unedited : NaiveBayesModel or None
        The model before them.
    monotone : MonotoneRule or None
        What scores are ordered along, as far as edits have left it so.
    errors : CountErrors, LeftOutErrors, ShiftErrors or None
        What standard errors of weights follow from; None where nothing of them is known.
    """

    schema: Schema
    log_prior: np.ndarray
    terms: tuple[Term, ...]
    calibration: Calibration | None = None
    pairs: tuple[PairTerm, ...] = ()
    methods: Mapping[int, str] = field(default_factory=dict)
    widths: Mapping[int, float] = field(default_factory=dict)
    edits: tuple[Edit, ...] = ()
    unedited: NaiveBayesModel | None = None
    monotone: MonotoneRule | None = None
    errors: CountErrors | LeftOutErrors | ShiftErrors | None = None

    def __repr__(self) -> str:
        """How much there is of what, not every number."""
        parts = [f"{self.n_groups} groups", f"{len(self.terms)} terms"]
        parts += [f"{len(self.pairs)} pairs"] if self.pairs else []
        parts += ["calibrated"] if self.calibration is not None else []
        parts += [f"{len(self.edits)} edits"] if self.edits else []
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
    def code_errors(self) -> dict[int, tuple[object, np.ndarray]]:
        """Standard errors of the weights of codes of columns that were asked for, with the counts they follow from."""
        return {}

    @cached_property
    def evidence_terms(self) -> tuple[Term, ...]:
        """The terms as far as they are believed."""
        if self.calibration is None:
            return self.terms
        weights = self.calibration.weights
        return tuple(term.scaled(float(weights[term.column])) for term in self.terms)


GROUPS_TO_LEAVE_OUT = 16
"""From so many groups on, terms without weight are left out: reading zeros of fewer takes no longer than choosing the
codes of the other columns."""


class Scorer:
    """Scores of coded rows.

    Parameters
    ----------
    model : NaiveBayesModel
    centred : bool
        True: weights of evidence, one column for two groups and one per group for more; their sum is the
        decision function. False: log p(g, x), one column per group.
    columns : sequence of int or None
        Only the terms of these columns; None for all, and for pairs of columns.
    with_prior : bool
    """

    def __init__(
        self,
        model: NaiveBayesModel,
        *,
        centred: bool = True,
        columns: Sequence[int] | None = None,
        with_prior: bool = True,
    ) -> None:
        prior = model.intercept if centred else model.log_prior
        self.start = prior if with_prior else np.zeros_like(prior)
        self.n_scores = len(self.start)
        silent = model.silent_columns if centred and self.n_scores >= GROUPS_TO_LEAVE_OUT else ()
        summands: list[Summand] = [
            term
            for term in (model.evidence_terms if centred else model.terms)
            if (columns is None or term.column in columns) and term.column not in silent
        ]
        summands += model.pairs if columns is None else ()
        self.packed = pack_by_kind(summands, Packing(model.schema, self.n_scores, centred))

    def score(self, block: RowBlock) -> np.ndarray:
        """Scores of shape (n_rows, n_scores)."""
        scores = np.empty((block.n_rows, self.n_scores))
        scores[:] = self.start
        for packed in self.packed:
            packed.add_scores(block, scores)
        return scores


def pack_by_kind(summands: Sequence[Summand], packing: Packing) -> list[PackedTerms]:
    """One object per kind that adds up the terms of this kind.

    Kinds follow each other by name, so that the order of columns does not change in which order scores are rounded;
    backwards by name, because tables, the most frequent kind, come first that way.
    """
    ordered = sorted(summands, key=_kind, reverse=True)
    by_kind = [list(some) for _, some in groupby(ordered, _kind)]
    return [some[0].pack(some, packing) for some in by_kind]


def _kind(summand: Summand) -> str:
    return summand.kind
