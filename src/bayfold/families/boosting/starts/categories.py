"""Where boosting begins: with what the categories of a column say that has very many of them.

A split sets one category apart from the rest, or a run of ordered bins; thousands of categories would need as many
rounds. So their weights of evidence are counted, as naive Bayes counts them, and the trees go on from there. A row is
told what its category says by other rows alone: rows are dealt to parts, and each part hears of the others only. So a
category that few rows have, in the limit an identifier, says as little in training as it will say of new rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from bayfold.core.counts import JointCounts
from bayfold.core.long_arrays import count_by, cut_pieces, find_range
from bayfold.core.schema import NominalColumn, Schema
from bayfold.families.boosting import kernels
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows, deal_parts
from bayfold.families.boosting.starts.tables import LinearTables, PairGrid, PairTable

FEW_CATEGORIES = 32
"""Up to so many are left to the trees."""
COUNTED_AT_ONCE = 1 << 18
"""Numbers of a table of counts: two megabytes stay in the cache while rows are added to them."""
STRENGTHS = np.array([0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0])
"""Rows of the prior that a category's counts are mixed with; the loss of left-out rows says which."""
CLEAR_GAIN = 2.0
"""Standard errors, and nats, that a column must gain on rows it was not counted on, to be used at all; of many columns,
their logarithm more: among a hundred of no use the best gains by chance what one in a hundred does."""
FITTED_ROWS = 1 << 14
"""Rows on which the columns are weighed against each other: plenty for one weight per column."""
TEXT_RIDGE = 4.0
"""Pull of the factor of a text towards one, in nats per squared unit, as on the column weights of naive Bayes: words of
five rows may tell them apart whatever the factor."""
FITTED_NUMBERS = 1 << 20
FEWEST_FITTED = 2_000
"""Fewer rows where groups and columns are many: so many numbers are looked at in some milliseconds, twenty times."""


@dataclass(frozen=True)
class Belief:
    """How far the categories of a column are believed.

    Attributes
    ----------
    position : int
        The column, among the narrow and then the wide codes.
    strength : float
        Rows of the prior that the counts of a category are mixed with.
    factor : float
        What the evidence is worth beside that of the other columns, from 0 to 1.
    """

    position: int
    strength: float
    factor: float


@dataclass(frozen=True, eq=False)
class Start:
    """What boosting began with: the prior, what the columns of many categories and of text say, and slopes.

    ``texts`` holds what the evidence of words is multiplied by, in the order of ``schema.text``.
    """

    prior: np.ndarray
    beliefs: tuple[Belief, ...] = ()
    linear: LinearTables | None = None
    texts: tuple[float, ...] = ()

    @property
    def scores(self) -> np.ndarray:
        """Scores before any column is used."""
        scores = start_scores(self.prior)
        return scores if self.linear is None else scores + self.linear.intercept

    @property
    def used(self) -> list[int]:
        """Positions of the columns of many categories that say something."""
        return [belief.position for belief in self.beliefs]

    def scaled(self, factor: float) -> Start:
        """The start with what columns say times a factor."""
        beliefs = tuple(replace(b, factor=factor * b.factor) for b in self.beliefs)
        texts = tuple(float(factor * f) for f in self.texts)
        return replace(self, beliefs=beliefs, texts=texts)

    def restored(self, columns: np.ndarray, codes: dict[int, np.ndarray]) -> Start:
        """The same where columns, and the codes of some, go back to where they stood."""
        beliefs = [
            replace(belief, position=int(columns[belief.position]))
            if belief.position < len(columns)
            else belief
            for belief in self.beliefs
        ]
        beliefs = sorted(beliefs, key=lambda belief: belief.position)
        linear = self.linear and self.linear.restored(columns, codes)
        return replace(self, beliefs=tuple(beliefs), linear=linear)

    def tables(self, counts: JointCounts) -> dict[int, np.ndarray]:
        """What the categories say to new rows, from the counts of all rows.

        Returns
        -------
        tables : dict of int to ndarray of shape (n_codes, n_scores)
            By the position of the column; zero for codes that no row has.
        """
        assert counts.schema is not None
        places = [*counts.schema.narrow, *counts.schema.wide]
        found = dict(enumerate(self.linear.tables)) if self.linear is not None else {}
        for belief in self.beliefs:
            counted = counts.tables[places[belief.position]]
            table = belief.factor * find_evidence(counted, self.prior, belief.strength)
            found[belief.position] = found.get(belief.position, 0.0) + table
        return found


@dataclass(frozen=True, eq=False)
class PairedStart(Start):
    """A start with tables of two columns; a kind of its own, as files of models without them have none."""

    pairs: tuple[PairTable, ...] = ()

    def scaled(self, factor: float) -> PairedStart:
        """The start with what columns say times a factor."""
        pairs = tuple(pair.scaled(factor) for pair in self.pairs)
        return replace(self, **vars(super().scaled(factor)) | {"pairs": pairs})

    def restored(self, columns: np.ndarray, codes: dict[int, np.ndarray]) -> PairedStart:
        """The same where columns, and the codes of some, go back to where they stood."""
        pairs = tuple(pair.restored(columns, codes) for pair in self.pairs)
        return replace(self, **vars(super().restored(columns, codes)) | {"pairs": pairs})


class CrossFitStart:
    """The scores that boosting begins with, for each model from the rows that it may know.

    Parameters
    ----------
    rows : DistinctRows
    prior : ndarray of shape (n_groups,)
    columns : list of int
        Which columns, by their position among the narrow and then the wide codes.
    texts : sequence of ndarray of shape (n_rows, n_scores)
        What the words of each column of text say to rows that they were not counted with.
    grids : sequence of PairGrid
        Pairs of columns whose cells are used like the categories of one more column.
    counted : callable or None
        The weight by category, part and group of all rows, of a column or behind them a grid, where ``rows`` are some.

    Attributes
    ----------
    start : Start
    used : list of Belief
        Of columns, and behind them of grids.
    loss_left : float
        What was left of the loss of the prior when columns were weighed; one where they were not.
    """

    def __init__(
        self,
        rows: DistinctRows,
        prior: np.ndarray,
        columns: list[int],
        texts: Sequence[np.ndarray] = (),
        grids: Sequence[PairGrid] = (),
        counted: Callable[[int], np.ndarray] | None = None,
    ) -> None:
        self.rows = rows
        self.prior = prior
        self._counted = counted
        self._texts = texts
        self.loss_left = 1.0
        self._parts = deal_parts(rows)
        self._n_columns = rows.codes.shape[1] + rows.wide.shape[1]
        self._cells = [grid.find_cells(rows.codes) for grid in grids]
        positions = [*columns, *self._n_columns + np.arange(len(grids))]
        found = [self._examine(k, len(positions)) for k in positions]
        self.used = [belief for belief in found if belief.factor > 0]
        factors = self._weigh() if len(self.used) > 1 or texts else ()
        beliefs = [belief for belief in self.used if belief.position < self._n_columns]
        self.start = Start(prior, tuple(beliefs), texts=factors)
        pairs = self._count_pairs(grids)
        if pairs:
            self.start = PairedStart(**vars(self.start), pairs=pairs)

    def _examine(self, position: int, n_examined: int) -> Belief:
        """How far few rows of a category are to be believed, by what other rows of it are; one of many columns."""
        gains = np.zeros((2, len(STRENGTHS)))
        for _, counts in self._count(position):
            kernels.sum_category_gains(counts, self.prior, STRENGTHS, gains)
        best = int(gains[0].argmax())
        # an identifier gains nothing but rounding, and noise about its standard error
        least = CLEAR_GAIN * max(np.sqrt(gains[1, best]), 1.0) + np.log(n_examined)
        factor = float(gains[0, best] > least)
        return Belief(position, float(STRENGTHS[best]), factor)

    def _count(self, position: int) -> Iterator[tuple[int, np.ndarray]]:
        """The weight by category, part and group of some categories after the other, and the first of them."""
        if self._counted is not None:
            yield 0, self._counted(position)
            return
        rows = self.rows
        codes = self._codes(position)
        shape = self._parts.n_parts, len(self.prior)
        n_codes = int(max((codes[piece].max() for piece in cut_pieces(len(codes))), default=0)) + 1
        n_at_once = max(COUNTED_AT_ONCE // (shape[0] * shape[1]), 1)
        for first in range(0, n_codes, n_at_once):
            counts = np.zeros((min(n_at_once, n_codes - first), *shape))
            for piece in cut_pieces(len(codes)):
                given = codes, rows.labels, rows.weights, self._parts.part_of
                kernels.count_parts(*(array[piece] for array in given), first, counts)
            yield first, counts

    def _codes(self, position: int) -> np.ndarray:
        """Codes of a column, or behind them the cells of a pair."""
        if position < self._n_columns:
            return self.rows.column(position)
        return self._cells[position - self._n_columns]

    def _count_pairs(self, grids: Sequence[PairGrid]) -> tuple[PairTable, ...]:
        """What the cells of pairs say to new rows, from the counts of all rows."""
        found = []
        for belief in self.used:
            if belief.position >= self._n_columns:
                grid = grids[belief.position - self._n_columns]
                counts = np.concatenate(
                    [part.sum(axis=1) for _, part in self._count(belief.position)]
                )
                evidence = belief.factor * find_evidence(counts, self.prior, belief.strength)
                found.append(PairTable.of(grid, evidence))
        return tuple(found)

    def _weigh(self) -> tuple[float, ...]:
        """Columns that repeat each other share their evidence, by the loss of rows it was not counted on.

        Returns the factors of texts.
        """
        beliefs = self.used
        start = start_scores(self.prior)
        n_inputs = len(beliefs) + len(self._texts)
        n_fitted = int(
            np.clip(FITTED_NUMBERS // (n_inputs * len(start)), FEWEST_FITTED, FITTED_ROWS)
        )
        chosen = slice(None, None, max(self.rows.n_rows // n_fitted, 1))
        of_columns = [self._evidence(belief, chosen) for belief in beliefs]
        evidence = np.stack(of_columns + [text[chosen] for text in self._texts])
        labels = self.rows.labels[chosen]
        weights = self.rows.weights[chosen]
        share = weights / weights.sum()
        is_text = np.arange(n_inputs) >= len(beliefs)
        ridge = TEXT_RIDGE / weights.sum() * is_text

        def loss(factors: np.ndarray) -> tuple[float, np.ndarray]:
            scores = start + np.tensordot(factors, evidence, 1)
            pull = _excess(scores, labels) * share[:, None]
            slopes = (evidence * pull).sum(axis=(1, 2)) + ridge * (factors - 1.0)
            penalty = 0.5 * float(ridge @ (factors - 1.0) ** 2)
            return _mean_loss(scores, labels, share) + penalty, slopes

        # counts of categories can be believed in full at most; words have their sizes from a search for their order
        bounds = [(0, 1)] * len(beliefs) + [(0, None)] * len(self._texts)
        best = minimize(loss, np.ones(n_inputs), jac=True, method="L-BFGS-B", bounds=bounds)
        self.loss_left = float(best.fun / loss(np.zeros(n_inputs))[0])
        found = best.x.tolist()
        self.used = [replace(b, factor=f) for b, f in zip(beliefs, found, strict=False)]
        return tuple(found[len(beliefs) :])

    def _evidence(self, belief: Belief, chosen: slice) -> np.ndarray:
        """What the categories of a column say to some rows, from the rows outside their parts."""
        counted = self._count(belief.position)
        return np.sum([self._evidence_of_others(belief, *some, chosen) for some in counted], axis=0)

    def _evidence_of_others(
        self,
        belief: Belief,
        first: int,
        counts: np.ndarray,
        chosen: slice,
        fold: int | None = None,
    ) -> np.ndarray:
        """What some categories of a column say to some rows, from the rows outside their parts and a fold."""
        codes = self._codes(belief.position)[chosen]
        evidence = np.zeros((len(codes), len(start_scores(self.prior))))
        left_out = np.zeros(2, np.int64) if fold is None else self._parts.of_fold(fold)
        kernels.add_category_evidence(
            codes,
            self._parts.part_of[chosen],
            first,
            counts,
            left_out,
            self.prior,
            belief.strength,
            evidence,
        )
        return evidence

    def begin(self, fold: int) -> np.ndarray:
        """The probabilities that the model that leaves out a fold begins with: of two groups the second's."""
        if not self.used and not self._texts:
            return _repeat(self.prior[1:] if len(self.prior) == 2 else self.prior, self.rows.n_rows)
        scores = _repeat(start_scores(self.prior), self.rows.n_rows)
        for belief in self.used:
            for first, counts in self._count(belief.position):
                for piece in cut_pieces(len(scores)):
                    gain = self._evidence_of_others(belief, first, counts, piece, fold)
                    scores[piece] += belief.factor * gain
        for piece in cut_pieces(len(scores)):
            own = scores[piece]
            for factor, evidence in zip(self.start.texts, self._texts, strict=True):
                own += factor * evidence[piece]
            scores[piece] = expit(own) if scores.shape[1] == 1 else softmax(own, axis=1)
        return scores


def _repeat(start: np.ndarray, n_rows: int) -> np.ndarray:
    """The same scores for all rows."""
    repeated = np.empty((n_rows, len(start)))
    for piece in cut_pieces(n_rows):
        repeated[piece] = start
    return repeated


def find_prior(rows: DistinctRows) -> np.ndarray:
    """The share of each group, where every group has one row more."""
    n_groups = int(find_range(rows.labels)[1]) + 1
    return share_totals(count_by(rows.labels, rows.weights, n_groups))


def share_totals(totals: np.ndarray) -> np.ndarray:
    """Shares of groups from the weight of each, with one row more for every group."""
    return (totals + 1.0) / (totals.sum() + len(totals))


def find_columns(schema: Schema) -> list[int]:
    """Positions, among the narrow and then the wide codes, of the columns with many categories."""
    places = [*schema.narrow, *schema.wide]
    return [
        k
        for k, j in enumerate(places)
        if isinstance(schema.columns[j], NominalColumn)
        and schema.columns[j].n_bins > FEW_CATEGORIES
    ]


def find_evidence(counts: np.ndarray, prior: np.ndarray, strength: float) -> np.ndarray:
    """Scores of each code from its counts, mixed with so many rows of the prior.

    >>> find_evidence(np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([0.5, 0.5]), 2.0).round(4)
    array([[-0.6931],
           [ 0.    ]])
    """
    share = (counts + strength * prior) / (counts.sum(axis=1, keepdims=True) + strength)
    evidence = np.log(share / prior)
    return evidence[:, 1:] - evidence[:, :1] if len(prior) == 2 else evidence


def start_scores(prior: np.ndarray) -> np.ndarray:
    """Scores before any round: the log-odds of two groups, otherwise the log prior."""
    log_prior = np.log(prior)
    return log_prior[1:] - log_prior[:1] if len(prior) == 2 else log_prior


def _by_group(scores: np.ndarray) -> np.ndarray:
    return np.append(np.zeros_like(scores), scores, axis=1) if scores.shape[1] == 1 else scores


def _mean_loss(scores: np.ndarray, labels: np.ndarray, share: np.ndarray) -> float:
    log_p = log_softmax(_by_group(scores), axis=1)
    return -float(share @ log_p[np.arange(len(labels)), labels])


def _excess(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """How far each score's probability is above the truth."""
    excess = softmax(_by_group(scores), axis=1)
    excess[np.arange(len(labels)), labels] -= 1.0
    return excess[:, -scores.shape[1] :]
