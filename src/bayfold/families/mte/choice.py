"""The number of pieces, the bandwidth and the columns, chosen by the squared error of sampled rows left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts import JointCounts, Statistics
from bayfold.core.counts.fold_counts import count_folds
from bayfold.core.counts.target_axis import TARGET
from bayfold.core.densities import estimate_frequencies
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import Schema
from bayfold.core.scoring.regression import posterior
from bayfold.families.mte.learner import LAPLACE, MTESettings, NumericDomain, fit_column
from bayfold.families.mte.target_pieces import TargetCut, cut_target

PIECES = (30, 20, 8, 4)
"""Numbers of pieces to try, from fine to coarse, about a factor of two apart."""

FACTORS = (1.0, 0.5, 2.0, 3.0)
"""What is tried. The first is what is taken unless another is clearly better."""

STANDARD_ERRORS = 2.0
"""By how many standard errors of the difference another candidate must be better."""

CHOICE_FOLDS = 5
"""Four fifths of the rows estimate what the fifth judges, as in calibration beyond 5,000 rows."""

CHOICE_ROWS = 5000
"""Rows that settings are chosen on: with more the choice would only cost more."""


@dataclass(frozen=True, eq=False)
class _Fold:
    """Counts without a fold, and the rows in it."""

    tables: tuple[np.ndarray, ...]
    moments: np.ndarray
    rows: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, outside: JointCounts, in_fold: np.ndarray) -> _Fold:
        rows = np.flatnonzero(in_fold > 0)
        return cls(outside.tables, outside.moments[TARGET], rows, in_fold[rows])


class LeftOutRows:
    """Sampled rows dealt to folds, each to be predicted from the counts of the other folds.

    Parameters
    ----------
    statistics : Statistics
    domains : dict of int to NumericDomain
    """

    def __init__(self, statistics: Statistics, domains: dict[int, NumericDomain]) -> None:
        sample = statistics.sample
        assert sample.schema is not None
        assert sample.schema.target is not None
        self.schema: Schema = sample.schema
        self.described = sample.schema.target
        self.domains = domains
        sample = sample.head(CHOICE_ROWS)
        self.codes = [code.astype(np.int64) for code in sample.block().columns()]
        total, first, _ = statistics.counts.moments[TARGET]
        mean = first / np.where(total > 0, total, 1.0)
        self.distance = mean[sample.group_of]  # of the target, as (y - shift) / scale
        dealt = count_folds(sample, statistics.counts, CHOICE_FOLDS)
        self.folds = [
            _Fold.of(fold.outside, own)
            for fold, own in zip(dealt.folds, dealt.in_fold.T, strict=True)
            if own.any() and fold.outside.totals.any()
        ]

    @property
    def weights_left_out(self) -> np.ndarray:
        """Weights of the rows of all folds, one fold behind the other."""
        return np.concatenate([fold.weights for fold in self.folds])

    def squared_errors(self, n_pieces: int, settings: MTESettings) -> np.ndarray:
        """Squared errors of the rows of all folds by all columns together, in units of the target's scale."""
        found = []
        for fold in self.folds:
            cut = cut_target(self.described, fold.moments, n_pieces)
            scores = self._start(fold, cut)
            for j in range(len(self.codes)):
                scores += self._evidence(fold, cut, j, settings)
            found.append(self._squared_errors(fold, cut, scores))
        return np.concatenate(found)

    def choose_columns(self, ordered: list[int], n_pieces: int, settings: MTESettings) -> list[int]:
        """Go through the columns in order and keep each that lowers the error."""
        cuts = [cut_target(self.described, fold.moments, n_pieces) for fold in self.folds]
        scores = [self._start(f, c) for f, c in zip(self.folds, cuts, strict=True)]
        best, chosen = np.inf, []  # the first column always stays
        for j in ordered:
            tried = [
                s + self._evidence(f, c, j, settings)
                for f, c, s in zip(self.folds, cuts, scores, strict=True)
            ]
            errors = np.concatenate([*map(self._squared_errors, self.folds, cuts, tried)])
            error = float(self.weights_left_out @ errors)
            if error < best:
                best, scores = error, tried
                chosen.append(j)
        return chosen

    def _start(self, fold: _Fold, cut: TargetCut) -> np.ndarray:
        return np.tile(np.log(cut.weights + 1.0), (len(fold.rows), 1))

    def _evidence(self, fold: _Fold, cut: TargetCut, j: int, settings: MTESettings) -> np.ndarray:
        table = cut.merge(fold.tables[j])
        log_table = np.zeros(table.shape)
        if j in self.domains:
            mixtures = fit_column(self.domains[j], table, settings)
            log_table[FIRST_BIN:] = np.log(mixtures.density(self.domains[j].curves.z))
        elif self.schema.columns[j].kind == "nominal":
            log_table[FIRST_BIN:] = estimate_frequencies(table[FIRST_BIN:], LAPLACE)
        return log_table[self.codes[j][fold.rows]]

    def _squared_errors(self, fold: _Fold, cut: TargetCut, scores: np.ndarray) -> np.ndarray:
        means = (cut.means - self.described.shift) / self.described.scale
        return (posterior(scores) @ means - self.distance[fold.rows]) ** 2


def choose_settings(
    left_out: LeftOutRows, n_pieces: int | str, factor: float | str, settings: MTESettings
) -> tuple[int, MTESettings]:
    """The number of pieces, then the bandwidth factor: those given as "cv" by the errors of rows left out."""
    all_pieces = PIECES if n_pieces == "cv" else (int(n_pieces),)
    factors = FACTORS if factor == "cv" else (float(factor),)
    tried = [replace(settings, bandwidth_factor=b) for b in factors]
    chosen, current = all_pieces[0], tried[0]
    if not left_out.folds:
        return chosen, current
    weights = left_out.weights_left_out
    errors = [left_out.squared_errors(k, current) for k in all_pieces]
    best = choose_better(errors, weights)
    chosen, errors = all_pieces[best], [errors[best]]
    errors += [left_out.squared_errors(chosen, one) for one in tried[1:]]
    return chosen, tried[choose_better(errors, weights)]


def choose_better(errors: list[np.ndarray], weights: np.ndarray) -> int:
    """The candidate with the lowest error of those that beat the first by two standard errors, else the first.

    The smallest error alone would follow chance wherever rows are few.
    """
    best, best_gain = 0, 0.0
    total = weights.sum()
    for k, error in enumerate(errors[1:], 1):
        gain = errors[0] - error
        mean = (weights @ gain) / total
        spread = np.sqrt(max(weights @ (gain - mean) ** 2, 0.0)) / total
        if mean > STANDARD_ERRORS * spread and mean > best_gain:
            best, best_gain = k, mean
    return best
