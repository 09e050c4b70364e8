"""Sampled rows left out: what the columns say about each of them, learnt from all rows outside its fold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from bayfold.core.counts import RowSample, Statistics
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.fold_counts import (
    count_in_folds,
    deal_sample,
    plan_deal,
)
from bayfold.core.counts.folds import GivenUnits
from bayfold.core.counts.target_axis import TARGET
from bayfold.core.densities import estimate_frequencies
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NominalColumn
from bayfold.core.scoring.column_weights import LeftOut, leave_out
from bayfold.core.scoring.regression import posterior
from bayfold.families.mte.learner import LAPLACE, MTESettings, NumericDomain, fit_folds
from bayfold.families.mte.target_pieces import TargetCut, cut_target

CHOICE_FOLDS = 5
"""Four fifths of the rows estimate what the fifth judges, as in calibration beyond 5,000 rows."""

CHOICE_ROWS = 5000
"""Rows that settings are chosen on: with more the choice would only cost more."""

MOST_KEPT = 2**24
"""Numbers of evidence that are kept, 128 MB: the first settings tried are asked for again, and mostly taken."""

ATOM_ROUNDING = 1e-9
"""Of a target that was scaled and is scaled back, in units of its scale: nearer to an atom it is that atom."""


class LeftOutRows:
    """Sampled rows dealt to folds, each to be predicted from the counts of all rows without its fold.

    The pieces of the target and the intervals of a column are those of all rows: where they lie gives nothing away
    about a single one, and all folds can be fitted together.

    Parameters
    ----------
    statistics : Statistics
    domains : dict of int to NumericDomain
    """

    def __init__(self, statistics: Statistics, domains: dict[int, NumericDomain]) -> None:
        counts = statistics.counts
        sample = statistics.sample.even.head(CHOICE_ROWS)
        assert counts.schema is not None
        assert counts.schema.target is not None
        self.schema, self.column_schema, self.domains = counts.schema, counts.schema.target, domains
        units = find_units(counts, sample.block(), sample.group_of, sample.weights)
        self._tables, self._share = counts.tables, units.share
        self._moments = units.share * counts.moments[TARGET]
        row_hashes = CountHashes(counts, sample.block(), sample.group_of, sample.weights)
        said = GivenUnits.of(sample)
        self._learnt: _Learnt | None = None
        if said is None:
            in_fold = units.share * deal_sample(sample, row_hashes, units, CHOICE_FOLDS)
            in_fold = in_fold[:, in_fold.any(axis=0)]
        else:
            weights = units.share * sample.weights
            in_fold, in_rest = said.hold_out(plan_deal(sample, row_hashes, CHOICE_FOLDS), weights)
            self._learnt = _Learnt.of(sample, in_rest)
        self._n_folds = in_fold.shape[1]
        has_rest = self._n_folds > 1 or said is not None
        self.fold_of, rows = np.nonzero(in_fold.T if has_rest else in_fold.T[:0])
        self.are_alike = said is None
        self.weights = in_fold[rows, self.fold_of]
        self.n_units = np.inf if sample.units is None else len(np.unique(sample.units[rows]))
        self._codes = [codes[rows].astype(np.int64) for codes in sample.block().columns()]
        self._cells = sample.group_of[rows]
        self._kept: dict[tuple[int, int, MTESettings], np.ndarray] = {}
        total, first, _ = self._moments
        mean = first / np.where(total > 0, total, 1.0)
        self.target = mean[self._cells]  # as (y - shift) / scale

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self._codes)

    def cut(self, n_pieces: int) -> TargetCut:
        """The target in pieces."""
        return cut_target(self.column_schema, self._moments, n_pieces)

    def find_prior(self, cut: TargetCut) -> np.ndarray:
        """Log-weights of the pieces for each row, of shape (n_rows, n_pieces)."""
        outside = self._count_outside(None, cut)[:, 0]
        return np.log(outside + 1.0)[self.fold_of]

    def _count_outside(self, j: int | None, cut: TargetCut) -> np.ndarray:
        """Counts without each fold, by fold, code of a column (or of none) and piece."""
        n_codes = 1 if j is None else self.schema.n_codes[j]
        shape = self._n_folds, n_codes, cut.n_pieces
        if self._learnt is None:
            codes = np.zeros_like(self._cells) if j is None else self._codes[j]
            pieces = cut.piece_of[self._cells]
            inside = count_in_folds(codes, pieces, self.fold_of, self.weights, shape)
            whole = self._moments[:1] if j is None else self._tables[j] * self._share
            return np.maximum(cut.merge(whole) - inside, 0.0)
        learnt = self._learnt
        codes = np.zeros_like(learnt.cells) if j is None else learnt.codes[j]
        pieces = cut.piece_of[learnt.cells]
        return count_in_folds(codes, pieces, learnt.fold_of, learnt.weights, shape)

    def find_evidence(self, j: int, cut: TargetCut, settings: MTESettings) -> np.ndarray:
        """Log-density of the cells of column ``j`` in every piece, of shape (n_rows, n_pieces)."""
        wanted = j, cut.n_pieces, settings
        if wanted in self._kept:
            return self._kept[wanted]
        found = self._fit_evidence(j, cut, settings)
        if found.size * (len(self._kept) + 1) <= MOST_KEPT:
            self._kept[wanted] = found
        return found

    def _fit_evidence(self, j: int, cut: TargetCut, settings: MTESettings) -> np.ndarray:
        tables = self._count_outside(j, cut)
        log_tables = np.zeros(tables.shape)
        if j in self.domains:
            densities = fit_folds(self.domains[j], tables, settings)
            log_tables[:, FIRST_BIN:] = np.log(densities)
        elif isinstance(self.schema.columns[j], NominalColumn):
            for k, table in enumerate(tables):
                log_tables[k, FIRST_BIN:] = estimate_frequencies(table[FIRST_BIN:], LAPLACE)
        return log_tables[self.fold_of, self._codes[j]]

    def find_errors(self, cut: TargetCut, scores: np.ndarray) -> np.ndarray:
        """Squared errors of rows with these log-weights of the pieces, in units of the target's scale."""
        return (posterior(scores) @ self.find_means(cut) - self.target) ** 2

    def find_means(self, cut: TargetCut) -> np.ndarray:
        """Means of the pieces, in units of the target's scale."""
        return (cut.means - self.column_schema.shift) / self.column_schema.scale

    def find_targets(self, cut: TargetCut) -> np.ndarray:
        """The targets of the rows; atoms to the last bit."""
        found = self.target * self.column_schema.scale + self.column_schema.shift
        atoms = cut.pieces.edges[:-1][cut.pieces.is_atom]
        if len(atoms):
            off = np.abs(found[:, None] - atoms)
            near = atoms[off.argmin(axis=1)]
            is_near = off.min(axis=1) <= ATOM_ROUNDING * self.column_schema.scale
            found = np.where(is_near, near, found)
        return found

    def collect(self, cut: TargetCut, settings: MTESettings, columns: list[int]) -> LeftOut | None:
        """The evidence of some columns, to weigh them by; None where there is nothing to weigh by."""
        if not len(self.target):
            return None

        def add(j: int, evidence: np.ndarray) -> None:
            evidence += self.find_evidence(j, cut, settings)

        all_add = [partial(add, j) for j in columns]
        prior = self.find_prior(cut)
        means = self.find_means(cut)
        bounds = np.searchsorted(self.fold_of, np.arange(self._n_folds + 1))
        return leave_out(all_add, prior, means, self.target, self.weights, bounds)


@dataclass(frozen=True, eq=False)
class _Learnt:
    """The rows that the model of each fold learns from, where these are not those of all other folds."""

    codes: list[np.ndarray]
    cells: np.ndarray
    fold_of: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, sample: RowSample, weights: np.ndarray) -> _Learnt:
        """From the weight of each sampled row among those outside each fold."""
        rows, fold_of = np.nonzero(weights)
        codes = [codes[rows].astype(np.int64) for codes in sample.block().columns()]
        return cls(codes, sample.group_of[rows], fold_of, weights[rows, fold_of])
