"""Naive Bayes of every column given others: what fills the gaps of a table.

A numeric column is cut into pieces, a nominal one has its categories, and each other column has a density for each of
these groups. A row's other gaps are left out of the evidence, so nothing needs to be filled before something else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.evidence import TrainingFacts
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.families.imputation.sums import Beside, Grouping
from bayfold.families.mte.distribution import PieceDistribution
from bayfold.families.mte.draws import draw_groups
from bayfold.families.mte.learner import (
    MTEModel,
    MTEPredictor,
    MTESettings,
    NumericDomain,
    derive_mte_term,
)


@dataclass(frozen=True, eq=False)
class ColumnModel:
    """One column given others.

    Attributes
    ----------
    column : int
    predictor : MTEPredictor
        Its groups are the pieces or the categories of the column.
    labels : ndarray of object or None
        The categories; None for a numeric column.
    """

    column: int
    predictor: MTEPredictor
    labels: np.ndarray | None

    def expect(self, table: Table, n_threads: int) -> np.ndarray:
        """The mean, or the most probable category, of each row."""
        probability = self.predictor.probabilities(table, n_threads)
        if self.labels is not None:
            return self.labels[probability.argmax(axis=1)]
        return probability @ self.predictor.pieces.means()

    def draw(self, table: Table, u: np.ndarray, n_threads: int) -> np.ndarray:
        """A value for each row, from a uniform number each."""
        probability = self.predictor.probabilities(table, n_threads)
        if self.labels is not None:
            return self.labels[draw_groups(probability, u)]
        return PieceDistribution(self.predictor.pieces, probability).ppf(u[:, None])[:, 0]


def derive_column(
    schema: Schema, domains: dict[int, NumericDomain], j: int, grouping: Grouping, beside: Beside
) -> ColumnModel:
    """The model of column ``j`` given those that were counted beside its groups."""
    others = [i for of, i in beside.tables if of == j] if grouping.n_groups > 1 else []
    terms = [
        derive_mte_term(schema, domains, i, beside.tables[j, i], MTESettings()) for i in others
    ]
    share = grouping.share
    log_prior = np.log((share + 1.0) / (share.sum() + grouping.n_groups))
    kept = tuple(term for term in terms if term is not None)
    model = MTEModel(NaiveBayesModel(schema, log_prior, kept), grouping.pieces)
    return ColumnModel(j, MTEPredictor(model), grouping.labels)


@dataclass(frozen=True, eq=False)
class LearntColumns:
    """What all columns are, the models of those that can be filled, and what was seen of them."""

    schema: Schema
    models: dict[int, ColumnModel]
    facts: TrainingFacts
