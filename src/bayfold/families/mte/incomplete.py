"""Learning from rows with missing cells and missing targets: imputing them again and again, or by EM.

Algorithm 1 of Fernández, Nielsen and Salmerón (2008): fill every gap from its own marginal, learn, and as long as
the error on known targets falls fill the gaps from the model and learn again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts import LabelledRows, RowHashes
from bayfold.core.counts.copies import count_copies
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.equal_rows import collapse_equal_rows
from bayfold.core.counts.layout import count_block
from bayfold.core.counts.target_axis import moments_of_target
from bayfold.core.densities import Term
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import Coder, NumericColumn, Schema
from bayfold.core.schema.target import find_cells_of_target
from bayfold.families.mte.distribution import PieceDistribution
from bayfold.families.mte.draws import draw_cells, draw_groups, draw_uniform, find_row_keys
from bayfold.families.mte.fit import MTEFit
from bayfold.families.mte.learner import MTEModel, MTEPredictor, derive_mte, derive_mte_term
from bayfold.families.mte.target_pieces import TargetCut, cut_target

MAX_IMPUTATIONS = 50
"""A bound: the paper's loop ends when the error rises."""

MOST_DRAWS = 16
"""Draws for equal rows; more share them. Gaps of so many vary enough, and a weight of a million stays affordable."""

EM_ROUNDS = 20
"""A bound: EM ends before by EM_TOLERANCE."""

EM_TOLERANCE = 1e-3
"""Of probabilities, on average: intervals are drawn anew in every round, so they settle only so far."""

TARGET_STREAM = 0  # of random numbers; those of columns are words


@dataclass(frozen=True, eq=False)
class IncompleteRows:
    """Coded rows, some of whose cells and targets are missing.

    Attributes
    ----------
    table : Table
    schema : Schema
    codes : list of ndarray of int
        One array per column.
    target : ndarray
        NaN where missing.
    weights : ndarray
    keys : ndarray of uint64
        What random numbers are drawn by.
    streams : list of int
        The same for columns, by their content.
    n_threads : int
        In which these rows are scored.
    """

    table: Table
    schema: Schema
    codes: list[np.ndarray]
    target: np.ndarray
    weights: np.ndarray
    keys: np.ndarray
    streams: list[int]
    n_threads: int = 1

    @classmethod
    def read(cls, rows: LabelledRows, schema: Schema, n_threads: int = 1) -> IncompleteRows:
        """Code rows with a numeric target. Those in which nothing is known are left out."""
        assert rows.target is not None
        coder = Coder(schema)
        ranges = coder.new_ranges()
        block = coder.open(rows.table, warn_unseen=False).block(0, rows.table.n_rows, ranges)
        known = rows.group_of >= 0
        for column in block.columns():
            known |= column != MISSING
        rows = rows.take(np.flatnonzero(known))
        block = block.take(np.flatnonzero(known))
        assert rows.target is not None
        has_gap = np.isnan(rows.target)
        for column in block.columns():
            has_gap |= column == MISSING
        source, weights = part_weights(rows.find_weights(), has_gap)
        rows = rows.take(source)
        block = block.take(source)
        assert rows.target is not None
        # no name may decide what is drawn
        one = np.zeros(block.n_rows, np.int64)
        counts = count_block(block, schema, np.zeros(1), one, weights, ranges)
        equal = collapse_equal_rows(RowHashes(schema, np.zeros(1)).hash_block(block, one), weights)
        first = equal.first
        row_hashes = CountHashes(counts, block.take(first), one[first], equal.weights)
        keys = find_row_keys(schema, block, rows.target, MOST_DRAWS, row_hashes)
        streams = (
            row_hashes.hash_columns() >> np.uint64(16)
        ).tolist()  # what a float holds exactly
        codes = [column.astype(np.int64) for column in block.columns()]
        return cls(rows.table, schema, codes, rows.target, weights, keys, streams, n_threads)

    @property
    def known(self) -> np.ndarray:
        """Rows whose target is known."""
        return np.flatnonzero(~np.isnan(self.target))

    @property
    def unknown(self) -> np.ndarray:
        """Rows whose target is missing."""
        return np.flatnonzero(np.isnan(self.target))

    def count(
        self, codes: list[np.ndarray], target: np.ndarray, rows: np.ndarray, n_pieces: int
    ) -> tuple[list[np.ndarray], TargetCut]:
        """Counts of some rows by code and piece of the target, and the pieces."""
        column_schema = self.schema.target
        assert column_schema is not None
        cells = find_cells_of_target(column_schema, target[rows])
        w = self.weights[rows]
        moments = moments_of_target(column_schema, cells, target[rows], w)
        cut = cut_target(column_schema, moments, n_pieces)
        pieces = cut.piece_of[cells]
        tables = []
        for code, n_codes in zip(codes, self.schema.n_codes, strict=True):
            place = code[rows] * cut.n_pieces + pieces
            flat = np.bincount(place, w, minlength=n_codes * cut.n_pieces)
            tables.append(flat.reshape(n_codes, cut.n_pieces))
        return tables, cut


def part_weights(weights: np.ndarray, has_gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows with gaps as often as their weights say, as each of so many equal rows would be drawn for itself.

    Returns
    -------
    source : ndarray of int
        Which row each is.
    weights : ndarray

    Examples
    --------
    >>> part_weights(np.array([2.5, 3.0]), np.array([True, False]))
    (array([0, 0, 1]), array([1.5, 1. , 3. ]))
    """
    copies = count_copies(weights)
    n_parts = np.where(has_gap, np.minimum(copies, MOST_DRAWS), 1)
    source = np.repeat(np.arange(len(weights)), n_parts)
    first = np.cumsum(n_parts) - n_parts
    turn = np.arange(len(source)) - first[source]
    each, left = np.divmod(copies, n_parts)
    parts = (each[source] + (turn < left[source])).astype(np.float64)
    parts[first] += weights - copies
    return source, parts


def code_columns(table: Table, schema: Schema) -> list[np.ndarray]:
    """The codes of all rows, column by column."""
    block = Coder(schema).open(table, warn_unseen=False).block(0, table.n_rows)
    return [codes.astype(np.int64) for codes in block.columns()]


@dataclass(frozen=True)
class Iteration:
    """One model on the way: its root mean squared error on known targets."""

    iteration: int
    rmse: float
    kept: bool


def learn_by_imputation(
    rows: IncompleteRows, fitted: MTEFit, seed: int
) -> tuple[MTEModel, list[Iteration]]:
    """Algorithm 1, with the pieces and the settings of a model of the known pairs.

    Returns
    -------
    model : MTEModel
    trace : list of Iteration
    """
    every = np.arange(len(rows.target))
    codes, target = _impute_marginals(rows, fitted, seed)
    best = fitted.model
    best_rmse = np.inf
    trace = []
    for iteration in range(MAX_IMPUTATIONS):
        tables, cut = rows.count(codes, target, every, fitted.n_pieces)
        model = _derive(rows, fitted, tables, cut)
        rmse = _error(rows, model)
        better = rmse < best_rmse
        trace.append(Iteration(iteration, rmse, better))
        if not better:
            break
        best = model
        best_rmse = rmse
        codes, target = _impute(rows, model, seed, iteration + 1)
    return best, trace


def learn_by_em(rows: IncompleteRows, fitted: MTEFit) -> tuple[MTEModel, list[Iteration]]:
    """Rows without a target count in every piece, with the piece's probability, until these settle."""
    tables, cut = rows.count(rows.codes, rows.target, rows.known, fitted.n_pieces)
    model = _derive(rows, fitted, tables, cut)
    trace = [Iteration(0, _error(rows, model), True)]
    unknown = rows.unknown
    if not len(unknown):
        return model, trace
    without = rows.table.take(unknown)
    before = np.zeros((len(unknown), cut.n_pieces))
    for iteration in range(1, EM_ROUNDS):
        probability = MTEPredictor(model).probabilities(without, rows.n_threads)
        if np.abs(probability - before).mean() < EM_TOLERANCE:
            break
        before = probability
        shares = probability * rows.weights[unknown, None]
        more = [table.copy() for table in tables]
        for table, code in zip(more, rows.codes, strict=True):
            np.add.at(table, code[unknown], shares)
        together = replace(cut, weights=cut.weights + shares.sum(axis=0))
        model = _derive(rows, fitted, more, together)
        trace.append(Iteration(iteration, _error(rows, model), True))
    return model, [replace(r, kept=r is trace[-1]) for r in trace]


def _derive(
    rows: IncompleteRows, fitted: MTEFit, tables: list[np.ndarray], cut: TargetCut
) -> MTEModel:
    return derive_mte(rows.schema, fitted.domains, tables, cut, fitted.settings, fitted.columns)


def _error(rows: IncompleteRows, model: MTEModel) -> float:
    """Root mean squared error on known targets, missing cells left out of the evidence."""
    known = rows.known
    miss = MTEPredictor(model).means(rows.table.take(known), rows.n_threads) - rows.target[known]
    w = rows.weights[known]
    return float(np.sqrt(w @ miss**2 / w.sum()))


def _impute_marginals(
    rows: IncompleteRows, fitted: MTEFit, seed: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """Every gap drawn from the marginal of its column."""
    target = rows.target.copy()
    unknown = rows.unknown
    model = fitted.model
    if len(unknown):
        u = draw_uniform(rows.keys[unknown], seed, 0, TARGET_STREAM)
        prior = np.exp(model.naive.log_prior)[None, :]
        target[unknown] = PieceDistribution(model.pieces, prior / prior.sum()).ppf(u)[0]
    codes = []
    for j, code in enumerate(rows.codes):
        table = np.bincount(code, rows.weights, minlength=rows.schema.n_codes[j])[:, None]
        term = derive_mte_term(rows.schema, fitted.domains, j, table, fitted.settings)
        one = np.zeros(len(code), np.int64)
        codes.append(_fill(rows, j, code, term, one, seed, 0))
    return codes, target


def _impute(
    rows: IncompleteRows, model: MTEModel, seed: int, iteration: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """Targets by their expectation; cells drawn from the row's piece, the same for all cells of the row.

    Drawing each cell from its own mixture would lose what ties the cells of a row together.
    """
    target = rows.target.copy()
    piece = model.pieces.find_piece(np.nan_to_num(target))
    unknown = rows.unknown
    if len(unknown):
        predictor = MTEPredictor(model)
        without = rows.table.take(unknown)
        probability = predictor.probabilities(without, rows.n_threads)
        target[unknown] = probability @ model.pieces.means()
        u = draw_uniform(rows.keys[unknown], seed, iteration, TARGET_STREAM)
        piece[unknown] = draw_groups(probability, u)
    term_of = {term.column: term for term in model.naive.terms}
    # a column that was not selected has no term, and its gaps stay
    codes = [
        _fill(rows, j, code, term_of.get(j), piece, seed, iteration)
        for j, code in enumerate(rows.codes)
    ]
    return codes, target


def _fill(
    rows: IncompleteRows,
    j: int,
    code: np.ndarray,
    term: Term | None,
    piece: np.ndarray,
    seed: int,
    iteration: int,
) -> np.ndarray:
    """The codes of a column with its gaps drawn."""
    gaps = np.flatnonzero(code == MISSING)
    if term is None or not len(gaps) or len(gaps) == len(code):
        return code
    column_schema = rows.schema.columns[j]
    filled = code.copy()
    known = np.unique(code[code >= FIRST_BIN])
    if len(known) == 1:  # certain, and the term of a certain value says nothing of which it is
        filled[gaps] = known[0]
        return filled
    u = draw_uniform(rows.keys[gaps], seed, iteration, rows.streams[j])
    drawn = draw_cells(term, piece[gaps], u)
    if isinstance(column_schema, NumericColumn):
        drawn = np.searchsorted(column_schema.edges, drawn, side="right") + FIRST_BIN
    filled[gaps] = drawn
    return filled
