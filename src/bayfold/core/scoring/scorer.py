"""The terms of a model packed into the arrays that the scoring kernels want."""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities import (
    CurveTerm,
    ExponentialTerm,
    InterpolatedTerm,
    PairTerm,
    QuadraticTerm,
    TableTerm,
    Term,
)
from bayfold.core.schema import RowBlock
from bayfold.core.scoring.contrast import centre_groups
from bayfold.core.scoring.naive_bayes import NaiveBayesModel


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
        columns: list[int] | None = None,
        with_prior: bool = True,
    ) -> None:
        schema = model.schema
        self.centred = centred
        prior = model.intercept if centred else model.log_prior
        self.start = prior if with_prior else np.zeros_like(prior)
        self.n_scores = len(self.start)
        believed = model.evidence_terms if centred else model.terms
        wanted = {term.column for term in believed} if columns is None else set(columns)
        terms = {term.column: term for term in believed if term.column in wanted}
        self.narrow = _pack_tables(schema.narrow, schema.n_codes, terms, self)
        self.wide = _pack_tables(schema.wide, schema.n_codes, terms, self)
        position = schema.numeric_position
        self.quadratics = _pack_quadratics(list(terms.values()), position, self)
        self.interpolated = _pack_interpolated(list(terms.values()), position, self)
        self.curves = _pack_curves(list(terms.values()), position, self)
        self.exponentials = _pack_exponentials(list(terms.values()), position)
        self.pairs = _pack_pairs(model.pairs if columns is None else (), schema.narrow, self)

    def weigh(self, log_values: np.ndarray) -> np.ndarray:
        """Log-probabilities per group as this scorer adds them up."""
        return centre_groups(log_values) if self.centred else log_values

    def score(self, block: RowBlock) -> np.ndarray:
        """Scores of shape (n_rows, n_scores)."""
        scores = np.empty((block.n_rows, self.n_scores))
        scores[:] = self.start
        for codes, packed in ((block.narrow, self.narrow), (block.wide, self.wide)):
            if packed is not None:
                kernels.score_tables(codes, *packed, scores)
        if self.quadratics is not None:
            kernels.score_quadratics(block.values, *self.quadratics, self.centred, scores)
        if self.interpolated is not None:
            kernels.score_interpolated(block.values, *self.interpolated, scores)
        if self.curves is not None:
            kernels.score_curves(block.values, block.narrow, *self.curves, scores)
        if self.exponentials is not None:
            kernels.score_exponentials(block.values, *self.exponentials, scores)
        if self.pairs is not None:
            kernels.score_pairs(block.narrow, *self.pairs, scores)
        return scores


def _pack_tables(
    columns: np.ndarray, n_codes: list[int], terms: dict[int, Term], scorer: Scorer
) -> tuple[np.ndarray, np.ndarray] | None:
    """Offsets and one flat table; a column without a table term has one of zeros."""
    tables = []
    for j in columns:
        term = terms.get(int(j))
        if isinstance(term, TableTerm):
            tables.append(
                scorer.weigh(term.log_table if scorer.centred else term.log_density).ravel()
            )
        else:
            tables.append(np.zeros(n_codes[j] * scorer.n_scores))
    if not any(table.any() for table in tables):
        return None
    offsets = np.cumsum([0, *(len(table) for table in tables[:-1])]).astype(np.int64)
    return offsets, np.concatenate(tables)


def _pack_quadratics(terms: list[Term], position: dict[int, int], scorer: Scorer) -> tuple | None:
    chosen = [term for term in terms if isinstance(term, QuadraticTerm)]
    if not chosen:
        return None
    columns = np.array([position[term.column] for term in chosen], np.int64)
    fields = ("mean", "inverse_sd", "constant" if scorer.centred else "log_constant", "missing")
    return columns, *(np.array([getattr(term, f) for term in chosen]) for f in fields)


def _pack_interpolated(terms: list[Term], position: dict[int, int], scorer: Scorer) -> tuple | None:
    chosen = [term for term in terms if isinstance(term, InterpolatedTerm)]
    if not chosen:
        return None
    columns = np.array([position[term.column] for term in chosen], np.int64)
    low = np.array([term.low for term in chosen])
    n_nodes = np.array([len(term.log_nodes) for term in chosen], np.int64)
    scale = (n_nodes - 1) / (np.array([term.high for term in chosen]) - low)
    curves = [term.log_nodes if scorer.centred else term.log_density for term in chosen]
    tables = [scorer.weigh(curve).ravel() for curve in curves]
    offsets = np.cumsum([0, *(len(table) for table in tables[:-1])]).astype(np.int64)
    missing = np.array([scorer.weigh(term.missing) for term in chosen])
    return columns, low, scale, n_nodes, offsets, np.concatenate(tables), missing


def _pack_curves(terms: list[Term], position: dict[int, int], scorer: Scorer) -> tuple | None:
    chosen = [term for term in terms if isinstance(term, CurveTerm)]
    if not chosen:
        return None
    # numeric columns come first among the narrow codes, so one position finds both number and code
    columns = np.array([position[term.column] for term in chosen], np.int64)
    offsets = np.cumsum([0, *(len(term.places) for term in chosen)]).astype(np.int64)
    places = np.concatenate([term.places for term in chosen])
    with np.errstate(divide="ignore", over="ignore"):
        gaps = np.concatenate([np.append(1.0 / np.diff(term.places), 0.0) for term in chosen])
    tables = [scorer.weigh(term.log_nodes).ravel() for term in chosen]
    table_offsets = np.cumsum([0, *(len(table) for table in tables[:-1])]).astype(np.int64)
    missing = np.array([scorer.weigh(term.missing) for term in chosen])
    return columns, offsets, places, gaps, table_offsets, np.concatenate(tables), missing


def _pack_exponentials(terms: list[Term], position: dict[int, int]) -> tuple | None:
    """Uncentred: one score per group is needed to tell pieces of a target apart."""
    chosen = [term for term in terms if isinstance(term, ExponentialTerm)]
    if not chosen:
        return None
    columns = np.array([position[term.column] for term in chosen], np.int64)
    low = np.array([term.low for term in chosen])
    scale = 1.0 / (np.array([term.high for term in chosen]) - low)
    weights = np.array([term.weight for term in chosen])
    offsets = np.cumsum([0, *(len(term.cuts) - 1 for term in chosen)]).astype(np.int64)
    starts = np.concatenate([term.cuts[:-1] for term in chosen])
    inverse = np.concatenate([1.0 / np.diff(term.cuts) for term in chosen])
    # the density is the sum divided by the width of the interval
    flat = [term.coefficients / np.diff(term.cuts)[:, None, None] for term in chosen]
    return columns, low, scale, weights, offsets, starts, inverse, np.concatenate(flat)


def _pack_pairs(
    pairs: tuple[PairTerm, ...], narrow: np.ndarray, scorer: Scorer
) -> tuple[np.ndarray, ...] | None:
    """Positions of the columns, where each code leads within a table, offsets, one flat table."""
    if not pairs:
        return None
    place = {int(j): k for k, j in enumerate(narrow)}
    positions = np.array([[place[j] for j in pair.columns] for pair in pairs], np.int64)
    steps = np.zeros((len(pairs), 2, 256), np.int32)
    for k, pair in enumerate(pairs):
        for side, width in ((0, pair.log_table.shape[1]), (1, 1)):
            merge = pair.merges[side]
            steps[k, side, : len(merge)] = merge * (width * scorer.n_scores)
    tables = [scorer.weigh(pair.log_table).ravel() for pair in pairs]
    offsets = np.cumsum([0, *(len(table) for table in tables[:-1])]).astype(np.int64)
    return positions, steps, offsets, np.concatenate(tables)
