"""Sampled rows left out: what the columns say about each of them, learnt from the rows of the other folds."""

from __future__ import annotations

from functools import partial

import numpy as np

from bayfold.core.counts import Statistics
from bayfold.core.counts.fold_counts import count_folds
from bayfold.core.counts.target_axis import TARGET
from bayfold.core.densities import estimate_frequencies
from bayfold.core.kernels.codes import FIRST_BIN
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


class LeftOutRows:
    """Sampled rows dealt to folds, each to be predicted from the counts of the other folds.

    The pieces of the target and the intervals of a column are those of all rows: where they lie gives nothing away
    about a single one, and all folds can be fitted together.

    Parameters
    ----------
    statistics : Statistics
    domains : dict of int to NumericDomain
    """

    def __init__(self, statistics: Statistics, domains: dict[int, NumericDomain]) -> None:
        counts, sample = statistics.counts, statistics.sample.head(CHOICE_ROWS)
        assert counts.schema is not None
        assert counts.schema.target is not None
        self.schema, self.described, self.domains = counts.schema, counts.schema.target, domains
        self._moments = counts.moments[TARGET]
        dealt = count_folds(sample, counts, CHOICE_FOLDS)
        used = [k for k, fold in enumerate(dealt.folds) if fold.outside.totals.any()]
        self._outside = [dealt.folds[k].outside for k in used]
        rows, self.fold_of = np.nonzero(dealt.in_fold[:, used])
        self.weights = dealt.in_fold[:, used][rows, self.fold_of]
        self._codes = [codes[rows].astype(np.int64) for codes in sample.block().columns()]
        self._kept: dict[tuple[int, int, MTESettings], np.ndarray] = {}
        total, first, _ = self._moments
        mean = first / np.where(total > 0, total, 1.0)
        self.target = mean[sample.group_of[rows]]  # as (y - shift) / scale

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self._codes)

    def cut(self, n_pieces: int) -> TargetCut:
        """The target in pieces."""
        return cut_target(self.described, self._moments, n_pieces)

    def find_prior(self, cut: TargetCut) -> np.ndarray:
        """Log-weights of the pieces for each row, of shape (n_rows, n_pieces)."""
        outside = np.stack([cut.merge(counts.totals) for counts in self._outside])
        return np.log(outside + 1.0)[self.fold_of]

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
        tables = cut.merge(np.stack([counts.tables[j] for counts in self._outside]))
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
        return (cut.means - self.described.shift) / self.described.scale

    def collect(self, cut: TargetCut, settings: MTESettings, columns: list[int]) -> LeftOut | None:
        """The evidence of some columns, to weigh them by; None where there is nothing to weigh by."""
        if not len(self.target):
            return None

        def add(j: int, evidence: np.ndarray) -> None:
            evidence += self.find_evidence(j, cut, settings)

        all_add = [partial(add, j) for j in columns]
        prior, means = self.find_prior(cut), self.find_means(cut)
        return leave_out(all_add, prior, means, self.target, self.weights)
