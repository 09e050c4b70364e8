"""From counts to a naive Bayes model whose groups are pieces of a numeric target, with mixtures of truncated
exponentials as densities, made ready for tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from bayfold.core import kernels
from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.densities import Smoothing, Term, estimate_nominal
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NominalColumn, NumericColumn, Schema
from bayfold.core.scoring import NaiveBayesModel, Scorer
from bayfold.core.scoring.levels import LevelCorrection, correct_mass
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.regression import posterior
from bayfold.families.mte.curves import Curves, fit_mixtures, fit_own_mixtures, share_with_few
from bayfold.families.mte.density import widen
from bayfold.families.mte.distribution import PieceDistribution, Pieces
from bayfold.families.mte.target_pieces import TargetCut
from bayfold.families.mte.term import EXPONENTIAL, ExponentialTerm, OwnExponentialTerm

LAPLACE = Smoothing("additive", 1.0)
"""One more of every value: what the paper takes for discrete columns."""


FAR_GAP = 5.0
"""Numbers are far from all others if the gap between them is so many times as wide as where the others lie."""

BESIDE = 0.25
"""Where they are put: at so much of that width from the others, so that they are still told apart."""


@dataclass(frozen=True)
class MTESettings:
    """How densities are fitted.

    Attributes
    ----------
    max_intervals : int
    bandwidth_factor : float
    fit : {"ls", "ml"}
    intervals : {"shared", "own"}
    """

    max_intervals: int = 6
    bandwidth_factor: float = 1.0
    fit: str = "ls"
    intervals: str = "shared"

    @property
    def of_fit(self) -> dict[str, Any]:
        """What the fit of a density takes."""
        return {
            "max_intervals": self.max_intervals,
            "bandwidth_factor": self.bandwidth_factor,
            "method": self.fit,
        }


@dataclass(frozen=True, eq=False)
class MTEModel:
    """``p(piece k | x)`` is proportional to ``exp(log_prior[k] + sum of terms)``; within a piece, y has one density.

    Attributes
    ----------
    naive : NaiveBayesModel
    pieces : Pieces
    """

    naive: NaiveBayesModel
    pieces: Pieces


@dataclass(frozen=True, eq=False)
class NumericDomain:
    """Where the values of a numeric column lie.

    Attributes
    ----------
    low, high : float
        Bounds of the domain.
    curves : Curves
        Of the middles of the fine bins, in units of the domain.
    """

    low: float
    high: float
    curves: Curves


def find_domains(counts: JointCounts) -> dict[int, NumericDomain]:
    """The domains of the numeric columns that hold at least two values; others can tell nothing."""
    schema = counts.schema
    assert schema is not None
    domains = {}
    for j in schema.numeric.tolist():
        position = schema.numeric_position[j]
        minimum = counts.minimum[position]
        maximum = counts.maximum[position]
        if not minimum < maximum:
            continue
        centres = find_centres(schema, counts, j)[FIRST_BIN:]
        weights = counts.tables[j][FIRST_BIN:].sum(axis=1)
        low, high = widen(*draw_near(centres, weights, minimum, maximum))
        z = np.clip((centres - low) / (high - low), 0.0, 1.0)
        domains[j] = NumericDomain(low, high, Curves(z))
    return domains


def draw_near(
    centres: np.ndarray, weights: np.ndarray, minimum: float, maximum: float
) -> tuple[float, float]:
    """The range of a column; where a few numbers are far from all others, no more than up to a place beside these.

    A density is seen to a hundredth of its domain, so that beside a -999, which may stand for a missing cell, numbers
    around zero would all be one. Numbers beyond the domain count as its ends.

    >>> centres, weights = np.array([-999.0, 0.0, 1.0, 4.0]), np.array([1.0, 2.0, 2.0, 2.0])
    >>> draw_near(centres, weights, -999.0, 4.0)
    (-1.0, 4.0)
    """
    used = weights > 0
    centres = centres[used]
    share = np.cumsum(weights[used]) / weights.sum()
    gaps = np.diff(centres)
    # what lies beyond
    of_upper = centres[-1] - centres[1:]
    of_lower = centres[:-1] - centres[0]
    below = (of_upper > 0) & (gaps > FAR_GAP * of_upper) & (share[:-1] < 0.5)
    above = (of_lower > 0) & (gaps > FAR_GAP * of_lower) & (share[:-1] >= 0.5)
    low = float(minimum)
    high = float(maximum)
    if below.any():
        k = int(np.flatnonzero(below)[-1])
        low = float(centres[k + 1] - BESIDE * of_upper[k])
    if above.any():
        k = int(np.flatnonzero(above)[0])
        high = float(centres[k] + BESIDE * of_lower[k])
    return low, high


def derive_mte(
    schema: Schema,
    domains: dict[int, NumericDomain],
    tables: list[np.ndarray],
    cut: TargetCut,
    settings: MTESettings,
    columns: list[int] | None = None,
) -> MTEModel:
    """The model of counts by code and piece.

    Parameters
    ----------
    schema : Schema
    domains : dict of int to NumericDomain
    tables : list of ndarray of shape (n_codes, n_pieces)
        One per column.
    cut : TargetCut
        Its weights are the prior.
    settings : MTESettings
    columns : list of int or None
        The columns that count; None for all.
    """
    log_prior = np.log((cut.weights + 1.0) / (cut.weights.sum() + cut.n_pieces))
    chosen = range(len(tables)) if columns is None else columns
    terms = [derive_mte_term(schema, domains, j, tables[j], settings) for j in chosen]
    naive = NaiveBayesModel(schema, log_prior, tuple(t for t in terms if t is not None))
    return MTEModel(naive, cut.pieces)


def derive_mte_term(
    schema: Schema,
    domains: dict[int, NumericDomain],
    j: int,
    table: np.ndarray,
    settings: MTESettings,
) -> Term | None:
    """The term of one column; None if it can tell nothing."""
    column_schema = schema.columns[j]
    if isinstance(column_schema, NominalColumn):
        return estimate_nominal(j, table, LAPLACE, missing_is_value=False)
    assert isinstance(column_schema, NumericColumn)
    if j not in domains:
        return None
    return fit_column(j, domains[j], table, settings)


def fit_column(j: int, domain: NumericDomain, table: np.ndarray, settings: MTESettings) -> Term:
    """The densities of a numeric column, one per piece, from counts by code and piece."""
    counts = share_with_few(table[FIRST_BIN:])
    unit = -float(np.log(domain.high - domain.low))
    if settings.intervals == "own":
        fitted = fit_own_mixtures(domain.curves, counts, **settings.of_fit)
        return OwnExponentialTerm.join(j, domain.low, domain.high, fitted, unit)
    mixtures = fit_mixtures(domain.curves, counts, **settings.of_fit)
    return ExponentialTerm(
        j, domain.low, domain.high, mixtures.cuts, mixtures.coefficients, log_unit=unit
    )


def fit_folds(domain: NumericDomain, tables: np.ndarray, settings: MTESettings) -> np.ndarray:
    """Densities of a numeric column at its bins, from counts by fold, code and piece, of shape (folds, bins, pieces).

    Folds are groups like pieces are, so that one fit serves all; they borrow rows from their own fold alone.
    """
    n_folds, _, n_pieces = tables.shape
    counts = np.moveaxis(share_with_few(tables[:, FIRST_BIN:]), 0, 1)
    counts = counts.reshape(len(counts), -1)
    curves = domain.curves
    if settings.intervals == "own":
        fitted = fit_own_mixtures(curves, counts, **settings.of_fit)
        density = np.concatenate([mixture.density(curves.z) for mixture in fitted], axis=1)
    else:
        density = fit_mixtures(curves, counts, **settings.of_fit).density(curves.z)
    return np.moveaxis(density.reshape(-1, n_folds, n_pieces), 1, 0)


class MTEPredictor(Predictor):
    """A model with its coder and packed terms.

    Parameters
    ----------
    mte : MTEModel
    """

    def __init__(self, mte: MTEModel) -> None:
        super().__init__(mte.naive)
        self.mte = mte
        self.pieces = mte.pieces
        self.correction: LevelCorrection | None = None

    def _make_decision(self) -> Scorer:
        """One score per piece."""
        return Scorer(self.model, centred=False)

    def probabilities(self, table: Table, n_threads: int) -> np.ndarray:
        """Probability of each piece, of shape (n_rows, n_pieces)."""
        return self.score(table, readout=self._read_mass, n_threads=n_threads)

    def _read_mass(self, scores: np.ndarray) -> np.ndarray:
        return correct_mass(self.correction, posterior(scores))

    def means(self, table: Table, n_threads: int) -> np.ndarray:
        """Mean of each row's distribution."""
        means_of_pieces = self.pieces.means()

        def read_means(scores: np.ndarray) -> np.ndarray:
            if self.correction is not None:
                return self._read_mass(scores) @ means_of_pieces
            means = np.empty(len(scores))
            kernels.read_means(scores, means_of_pieces, means)
            return means

        return self.score(table, readout=read_means, n_threads=n_threads)

    def distribution(self, table: Table, n_threads: int) -> PieceDistribution:
        """The distribution of each row."""
        return PieceDistribution(self.pieces, self.probabilities(table, n_threads))

    def log_density(self, table: Table, target: np.ndarray | None, n_threads: int) -> np.ndarray:
        """Log-density of each row, together with its target if there is one."""
        scores = self.score(table, n_threads=n_threads)
        if target is None:
            answers = logsumexp(scores, axis=1)
        else:
            piece, within = self.pieces.log_density(target)
            answers = scores[np.arange(len(piece)), piece] + within
        for term in self.model.terms:
            if term.kind in EXPONENTIAL:
                x = table.columns[term.column].numbers(0, table.n_rows)
                answers += np.where(np.isnan(x), 0.0, term.log_unit)
        return answers
