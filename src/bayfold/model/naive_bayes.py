"""The model: a log prior and one term per column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayfold.densities import PairTerm, Term
from bayfold.model.contrast import centre_groups
from bayfold.schema import Schema


@dataclass(frozen=True, eq=False)
class Calibration:
    """How far the evidence is to be believed.

    Attributes
    ----------
    weights : ndarray of shape (n_columns,)
        Not negative; all equal for a temperature.
    intercept : ndarray of shape (n_scores,)
    """

    weights: np.ndarray
    intercept: np.ndarray


@dataclass(frozen=True, eq=False)
class NaiveBayesModel:
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
    """

    schema: Schema
    log_prior: np.ndarray
    terms: tuple[Term, ...]
    calibration: Calibration | None = None
    pairs: tuple[PairTerm, ...] = ()

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

    @cached_property
    def evidence_terms(self) -> tuple[Term, ...]:
        """The terms as far as they are believed."""
        if self.calibration is None:
            return self.terms
        weights = self.calibration.weights
        return tuple(term.scaled(float(weights[term.column])) for term in self.terms)
