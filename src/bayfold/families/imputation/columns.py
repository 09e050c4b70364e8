"""Naive Bayes of every column given others: what fills the gaps of a table.

A numeric column is cut into pieces, a nominal one has its categories, and each other column has a density for each of
these groups. A row's other gaps are left out of the evidence, so nothing needs to be filled before something else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts.target_axis import moments_of_target
from bayfold.core.densities import Term
from bayfold.core.frames import Table
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import NominalColumn, NumericColumn, Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.families.mte.distribution import PieceDistribution, Pieces
from bayfold.families.mte.draws import draw_groups
from bayfold.families.mte.learner import MTEModel, MTESettings, NumericDomain, derive_mte_term
from bayfold.families.mte.predictor import MTEPredictor
from bayfold.families.mte.target_pieces import cut_target

MOST_CATEGORIES = 50
"""Categories that are told apart; of a column with more, only the most frequent are filled in."""


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


@dataclass(frozen=True, eq=False)
class _Grouping:
    """Rows whose cell is known, by piece or category."""

    rows: np.ndarray
    group_of: np.ndarray
    share: np.ndarray
    pieces: Pieces
    labels: np.ndarray | None


@dataclass(frozen=True, eq=False)
class ImputationRows:
    """All rows of a table in codes, and its numeric cells.

    Attributes
    ----------
    schema : Schema
    domains : dict of int to NumericDomain
    codes : list of ndarray of int
        One array per column.
    numbers : dict of int to ndarray
        The cells of the numeric columns.
    weights : ndarray
    """

    schema: Schema
    domains: dict[int, NumericDomain]
    codes: list[np.ndarray]
    numbers: dict[int, np.ndarray]
    weights: np.ndarray


def learn_column(
    rows: ImputationRows, j: int, others: np.ndarray, n_pieces: int
) -> ColumnModel | None:
    """The model of column ``j`` given some others; None if no cell of it is known.

    Parameters
    ----------
    rows : ImputationRows
    j : int
    others : ndarray of int
        The columns that it is filled from.
    n_pieces : int
        Of a numeric column.
    """
    column_schema = rows.schema.columns[j]
    known = np.flatnonzero(rows.codes[j] >= FIRST_BIN)
    if isinstance(column_schema, NominalColumn):
        grouping = _by_category(column_schema, rows, j, known)
    else:
        grouping = _by_piece(column_schema, rows, j, known, n_pieces) if len(known) else None
    if grouping is None:
        return None
    n_groups = len(grouping.share)
    terms = [_learn_term(rows, grouping, int(i)) for i in others] if n_groups > 1 else []
    log_prior = np.log((grouping.share + 1.0) / (grouping.share.sum() + n_groups))
    kept = tuple(term for term in terms if term is not None)
    model = MTEModel(NaiveBayesModel(rows.schema, log_prior, kept), grouping.pieces)
    return ColumnModel(j, MTEPredictor(model), grouping.labels)


def _by_piece(
    column_schema: NumericColumn, rows: ImputationRows, j: int, known: np.ndarray, n_pieces: int
) -> _Grouping:
    bins, w = rows.codes[j][known] - FIRST_BIN, rows.weights[known]
    cut = cut_target(
        column_schema, moments_of_target(column_schema, bins, rows.numbers[j][known], w), n_pieces
    )
    pieces = Pieces.with_means(cut.edges, cut.means)
    return _Grouping(known, cut.piece_of[bins], cut.weights, pieces, None)


def _by_category(
    column_schema: NominalColumn, rows: ImputationRows, j: int, known: np.ndarray
) -> _Grouping | None:
    """The most frequent categories; those that share one bin have no name to be filled in."""
    bins = rows.codes[j][known] - FIRST_BIN
    n_named = len(column_schema.categories)
    count = np.bincount(bins, rows.weights[known], minlength=column_schema.n_bins)[:n_named]
    frequent = np.sort(np.argsort(-count, kind="stable")[:MOST_CATEGORIES])
    frequent = frequent[count[frequent] > 0]
    if not len(frequent):
        return None
    place = np.full(column_schema.n_bins, -1)
    place[frequent] = np.arange(len(frequent))
    kept = place[bins] >= 0
    labels = np.array(column_schema.categories, object)[frequent]
    pieces = Pieces(np.arange(len(frequent) + 1.0), np.zeros(len(frequent)))
    return _Grouping(known[kept], place[bins][kept], count[frequent], pieces, labels)


def _learn_term(rows: ImputationRows, grouping: _Grouping, i: int) -> Term | None:
    n_groups = len(grouping.share)
    place = rows.codes[i][grouping.rows] * n_groups + grouping.group_of
    n_codes = rows.schema.n_codes[i]
    flat = np.bincount(place, rows.weights[grouping.rows], minlength=n_codes * n_groups)
    table = flat.reshape(n_codes, n_groups)
    return derive_mte_term(rows.schema, rows.domains, i, table, MTESettings())
