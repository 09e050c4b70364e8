"""Naive Bayes of every column given others: what fills the gaps of a table.

A numeric column is cut into pieces, a nominal one has its categories, and each other column has a density for each of
these groups. A row's other gaps are left out of the evidence, so nothing needs to be filled before something else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import RowSample
from bayfold.core.evidence import TrainingFacts
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import FIRST_BIN
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

MOST_OTHERS = 15
"""Columns that a column is filled from. On tables of 40 to 200 columns more of them raise the error, because naive
Bayes counts twice what they share, and the time."""

COARSE_BINS = 6
"""Numbers are taken in so many parts with equally many rows, of categories the most frequent and the others: enough to
rank columns by, and few enough for all pairs."""

PAIR_ROWS = 2000
"""Rows that pairs are counted on: an information of 0.01 nats is then five times its bias."""


def choose_others(sample: RowSample, n_columns: int) -> list[np.ndarray]:
    """For each of the first columns of a sample those that it is filled from.

    Columns behind them, a target, tell about every gap.
    """
    assert sample.schema is not None
    sampled = sample.head(PAIR_ROWS).block().columns()
    bins = [codes.astype(np.int64) - FIRST_BIN for codes in sampled]
    ordered = np.isin(np.arange(len(bins)), sample.schema.numeric)
    behind = np.arange(n_columns, len(bins))
    return [np.union1d(c, behind) for c in find_informative(bins, ordered)]


def find_informative(codes: list[np.ndarray], ordered: np.ndarray) -> list[np.ndarray]:
    """For each column the others that tell most about it, in increasing order of position.

    Parameters
    ----------
    codes : list of ndarray of int
        Bins of the rows, one array per column; negative where nothing is known.
    ordered : ndarray of bool
        Whether neighbouring bins of a column belong together.
    """
    n_columns = len(codes)
    everyone = np.arange(n_columns)
    if n_columns <= MOST_OTHERS + 1:
        return [everyone[everyone != j] for j in range(n_columns)]
    marks = np.stack(
        [_mark_bins(column, order) for column, order in zip(codes, ordered, strict=True)], axis=1
    )
    chosen = []
    for j in range(n_columns):
        information = mutual_information_with(marks, j)
        information[j] = -np.inf
        chosen.append(np.sort(np.argsort(-information, kind="stable")[:MOST_OTHERS]))
    return chosen


def _mark_bins(codes: np.ndarray, ordered: bool) -> np.ndarray:
    """One where a row is in a coarse bin, of shape (n_rows, COARSE_BINS); zeros where nothing is known."""
    known = codes >= 0
    count = np.bincount(codes[known], minlength=1)
    if ordered:
        below = np.cumsum(count) - count / 2
        coarse = (below / max(count.sum(), 1) * COARSE_BINS).astype(np.int64)
    else:
        coarse = np.empty(len(count), np.int64)
        coarse[np.argsort(-count, kind="stable")] = np.arange(len(count))
    coarse = np.clip(coarse, 0, COARSE_BINS - 1)
    marks = np.zeros((len(codes), COARSE_BINS), np.float32)
    marks[np.flatnonzero(known), coarse[codes[known]]] = 1.0
    return marks


def mutual_information_with(marks: np.ndarray, j: int) -> np.ndarray:
    """Mutual information of column ``j`` and each column, in nats, less what chance makes of it.

    Parameters
    ----------
    marks : ndarray of shape (n_rows, n_columns, n_bins)
        Of each cell the bin it is in.
    j : int
    """
    n_rows, n_columns, n_bins = marks.shape
    joint = (marks[:, j].T @ marks.reshape(n_rows, -1)).reshape(n_bins, n_columns, n_bins)
    joint = np.moveaxis(joint, 1, 0).astype(np.float64)
    total = np.maximum(joint.sum(axis=(1, 2), keepdims=True), 1.0)
    p = joint / total
    mine = p.sum(axis=2, keepdims=True)
    theirs = p.sum(axis=1, keepdims=True)
    ratio = np.divide(p, mine * theirs, out=np.ones_like(p), where=p > 0)
    freedom = ((mine > 0).sum(axis=(1, 2)) - 1) * ((theirs > 0).sum(axis=(1, 2)) - 1)
    return (p * np.log(ratio)).sum(axis=(1, 2)) - np.maximum(freedom, 0) / (2 * total[:, 0, 0])


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
