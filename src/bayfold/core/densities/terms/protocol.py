"""What every kind of term must be able to do, so that a method can bring its own.

A term belongs to a column and knows its numbers. All terms of a kind are packed together into the arrays that one
kernel reads: ``pack`` belongs to the kind, and what it returns scores blocks of rows. ``centre_groups`` turns
log-probabilities per group into weights of evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bayfold.core.densities.terms.forms import Form
from bayfold.core.schema import RowBlock, Schema


def centre_groups(log_values: np.ndarray) -> np.ndarray:
    """Weights of evidence from log-probabilities with one entry per group along the last axis.

    Two groups: ``log p(v | second) - log p(v | first)``, one column. More: each group's value less the mean over
    groups. Either way the weights of a row's cells add up to the decision function.

    Impossible values (minus infinity, only without smoothing) are left out of the mean, so that they
    rule out their own group and no other.

    Examples
    --------
    >>> centre_groups(np.log(np.array([[0.2, 0.4]]))).round(4)
    array([[0.6931]])
    """
    if log_values.shape[-1] == 2:
        impossible = np.isneginf(log_values).all(axis=-1, keepdims=True)
        both = np.where(impossible, 0.0, log_values)
        return both[..., 1:] - both[..., :1]
    finite = np.isfinite(log_values)
    total = np.where(finite, log_values, 0.0).sum(axis=-1, keepdims=True)
    return log_values - total / np.maximum(finite.sum(axis=-1, keepdims=True), 1)


@dataclass(frozen=True)
class Packing:
    """Which scores are wanted.

    Attributes
    ----------
    schema : Schema
    n_scores : int
        One per group, or a single one for the contrast of two groups.
    centred : bool
        True: weights of evidence. False: log-probabilities, and log-densities of numbers.
    """

    schema: Schema
    n_scores: int
    centred: bool

    def weigh(self, log_values: np.ndarray) -> np.ndarray:
        """Log-probabilities per group as they are added up."""
        return centre_groups(log_values) if self.centred else log_values

    def numeric_positions(self, terms: Sequence[Term]) -> np.ndarray:
        """Where the columns of the terms stand among the numeric ones."""
        position = self.schema.numeric_position
        return np.array([position[term.column] for term in terms], np.int64)


class PackedTerms(Protocol):
    """All terms of a kind, in the arrays that its kernel reads."""

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add what the terms say of each row to ``scores``, of shape (n_rows, n_scores)."""
        ...


class Summand(Protocol):
    """Something that adds to the log joint."""

    @property
    def kind(self) -> str:
        """The name of the kind."""
        ...

    @classmethod
    def pack(cls, terms: Sequence[Any], packing: Packing) -> PackedTerms:
        """Terms of this kind, at least one, made ready for scoring."""
        ...


class Term(Summand, Protocol):
    """What one column adds to the log joint."""

    @property
    def column(self) -> int:
        """The position of the column."""
        ...

    @property
    def merge(self) -> np.ndarray | None:
        """The bin of each fine bin where the evidence is one weight per bin; None where it is a curve."""
        ...

    def scaled(self, weight: float) -> Term:
        """The term with its evidence multiplied."""
        ...

    def tabulate(self, centres: np.ndarray | None) -> np.ndarray:
        """Log-probability by code and group.

        Curves are taken at ``centres``, one number per code of a numeric column; tables need none.
        """
        ...

    def form(self, packing: Packing) -> Form:
        """The term as plain numbers: scores as they are added up, but for a constant per cell if not centred."""
        ...


def multiply(log_values: np.ndarray, weight: float) -> np.ndarray:
    """Log-values times a weight.

    A weight of zero silences an impossible value too: infinity times zero would not be a number.
    """
    return log_values * weight if weight > 0 else np.zeros(log_values.shape, log_values.dtype)


def stack_tables(tables: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Where each table begins when they lie one behind the other, and all of them."""
    offsets = np.cumsum([0, *(table.size for table in tables[:-1])]).astype(np.int64)
    return offsets, np.concatenate([table.ravel() for table in tables])
