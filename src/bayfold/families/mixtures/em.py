"""EM from several starts. Runs share the rows; a fold is a run with other weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.densities.frequency import Smoothing, overall_share
from bayfold.core.densities.gaussian import mean_and_variance
from bayfold.families.mixtures import kernels
from bayfold.families.mixtures.kernels.chunks import Anchor, Chunks, Sums, Terms
from bayfold.families.mixtures.rows import MixtureRows

SHORT_RUN = 5
"""Iterations after which starts are compared: the best of several short runs is run to the end."""


@dataclass(frozen=True)
class EMSettings:
    """How EM is run.

    Attributes
    ----------
    n_init : int
        Starts that are tried.
    max_iter : int
    tolerance : float
        Smallest rise of the log-likelihood per row for which EM goes on.
    """

    n_init: int = 5
    max_iter: int = 200
    tolerance: float = 1e-5


@dataclass(frozen=True, eq=False)
class EMRun:
    """A finished run.

    Attributes
    ----------
    sums : Sums
        Statistics of the groups under ``terms``.
    terms : Terms
    trace : ndarray
        Log-likelihood per row after each iteration, in the kernels' units.
    converged : bool
    """

    sums: Sums
    terms: Terms
    trace: np.ndarray
    converged: bool

    @property
    def n_groups(self) -> int:
        """Number of components."""
        return len(self.sums.totals)


class EMProblem:
    """Rows with weights, ready to be fitted with any number of components.

    Parameters
    ----------
    rows : MixtureRows
    weights : ndarray
        One per distinct row; zero leaves the row out.
    """

    def __init__(self, rows: MixtureRows, weights: np.ndarray) -> None:
        self.rows = rows
        self.weights = weights
        self.total = float(weights.sum())
        self.chunks = rows.chunks._replace(weights=rows.spread(weights))
        self.anchor = find_anchor(rows, self.chunks)

    def new_sums(self, n_groups: int) -> Sums:
        """Empty statistics."""
        n_gaussians = len(self.anchor.gaussians)
        n_codes = len(self.anchor.pseudo)
        return Sums(
            np.zeros(n_groups), np.zeros((n_gaussians, 3, n_groups)), np.zeros((n_codes, n_groups))
        )

    def fit(
        self,
        n_groups: int,
        settings: EMSettings,
        rng: np.random.RandomState,
        smaller: EMRun | None = None,
    ) -> EMRun:
        """The best of several starts, run to the end.

        With a run of fewer components at hand, some starts grow from it: in a search over the number of components
        each number then begins where the one before ended, and the fresh starts save it from a bad end.
        """
        if n_groups == 1:
            return self.run(self.start_from(np.ones((1, self.rows.n_rows))), settings)
        n_grown = 0 if smaller is None else settings.n_init // 2
        starts = [self.start_grown(smaller, n_groups, rng) for _ in range(n_grown)]  # type: ignore[arg-type]
        starts += [self.start_from_seeds(n_groups, rng) for _ in range(settings.n_init - n_grown)]
        if len(starts) > 1:
            starts = [self._best(starts, settings)]
        return self.run(starts[0], settings)

    def _best(self, starts: list[Sums], settings: EMSettings) -> Sums:
        trace = np.empty(min(SHORT_RUN, settings.max_iter))
        reached = []
        for sums in starts:
            n = kernels.run_em(
                self.chunks,
                self.anchor,
                sums,
                new_terms(sums),
                settings.tolerance * self.total,
                trace,
            )
            reached.append(trace[n - 1])
        return starts[int(np.argmax(np.nan_to_num(reached, nan=-np.inf)))]

    def run(self, sums: Sums, settings: EMSettings) -> EMRun:
        """EM from these statistics, which are overwritten."""
        terms = new_terms(sums)
        trace = np.empty(settings.max_iter)
        tolerance = settings.tolerance * self.total
        n = kernels.run_em(self.chunks, self.anchor, sums, terms, tolerance, trace)
        return EMRun(sums, terms, trace[:n] / self.total, n < settings.max_iter)

    def start_from(self, memberships: np.ndarray) -> Sums:
        """Statistics of rows that belong to groups as given: ``memberships[group, row]``."""
        n_groups = len(memberships)
        padded = np.zeros((n_groups, self.chunks.weights.size))
        padded[:, : self.rows.n_rows] = memberships
        sums = self.new_sums(n_groups)
        kernels.sum_memberships(self.chunks, padded, sums)
        return sums

    def start_from_seeds(self, n_groups: int, rng: np.random.RandomState) -> Sums:
        """Rows drawn far from each other, and every row with the one nearest to it (k-means++)."""
        n_padded = self.chunks.weights.size
        nearest = np.zeros(n_padded, np.int64)
        heights = rng.random_sample(n_groups)
        kernels.draw_seeds(self.chunks, self.anchor, heights, np.full(n_padded, np.inf), nearest)
        sums = self.new_sums(n_groups)
        memberships = (np.arange(n_groups)[:, None] == nearest).astype(np.float64)
        kernels.sum_memberships(self.chunks, memberships, sums)
        return sums

    def start_grown(self, run: EMRun, n_groups: int, rng: np.random.RandomState) -> Sums:
        """The components of a run, and new ones around rows that it finds unlikely."""
        posteriors, log_density = self.find_posteriors(run.terms)
        surprise = self.weights * (log_density.max() - log_density)
        memberships = np.zeros((n_groups, self.rows.n_rows))
        memberships[: run.n_groups] = posteriors.T
        for g in range(run.n_groups, n_groups):
            odds = surprise if surprise.any() else self.weights
            seed = rng.choice(self.rows.n_rows, p=odds / odds.sum())
            near = self._nearest(int(seed), self.total / (2 * n_groups))
            memberships[:, near] = 0.0
            memberships[g, near] = 1.0
        return self.start_from(memberships)

    def _nearest(self, seed: int, weight: float) -> np.ndarray:
        """The rows nearest to one of them, as many as have the given weight together."""
        distances = np.full(self.chunks.weights.size, np.inf)
        places = np.zeros(len(distances), np.int64)
        kernels.move_to_seed(self.chunks, self.anchor, seed, 0, distances, places)
        order = np.argsort(distances[: self.rows.n_rows], kind="stable")
        order = order[self.weights[order] > 0]
        return order[: 1 + int(np.searchsorted(np.cumsum(self.weights[order]), weight))]

    def find_posteriors(self, terms: Terms) -> tuple[np.ndarray, np.ndarray]:
        """Posterior of every component and log p(x) of each distinct row, in the kernels' units."""
        n_padded = self.chunks.weights.size
        n_rows = self.rows.n_rows
        posteriors = np.empty((n_padded, len(terms.log_prior)))
        log_density = np.empty(n_padded)
        kernels.find_posteriors(self.chunks, terms, posteriors, log_density)
        return posteriors[:n_rows], log_density[:n_rows]

    def find_log_densities(self, sums: Sums) -> np.ndarray:
        """Log p(x) of each distinct row under the model of the statistics; in the kernels' units."""
        terms = new_terms(sums)
        kernels.estimate_terms(self.anchor, sums, terms)
        return self.find_posteriors(terms)[1]

    def find_background(self) -> np.ndarray:
        """Log-density of each distinct row if columns were independent; of numbers a Cauchy distribution."""
        total = np.zeros(self.chunks.weights.shape)
        for k, (mean, variance, _) in enumerate(self.anchor.gaussians):
            if variance > 0:
                squared = (self.chunks.values[:, k] - mean) ** 2 / variance
                log_density = -np.log(np.pi * np.sqrt(variance)) - np.log1p(squared)
                total += np.where(np.isnan(squared), 0.0, log_density)
        share = self.anchor.share
        log_share = np.log(np.where(share > 0, share, 1.0))
        for t in range(self.chunks.codes.shape[1]):
            total += log_share[self.chunks.codes[:, t]]
        return total.ravel()[: self.rows.n_rows]


def new_terms(sums: Sums) -> Terms:
    """Arrays for the terms of as many groups."""
    return Terms(
        np.empty_like(sums.totals), np.empty_like(sums.moments), np.empty_like(sums.counts)
    )


def find_anchor(rows: MixtureRows, chunks: Chunks) -> Anchor:
    """What holds the estimates, from all rows that have a weight."""
    n_gaussians = chunks.values.shape[1]
    n_codes = int(rows.starts[-1])
    sums = Sums(np.zeros(1), np.zeros((n_gaussians, 3, 1)), np.zeros((n_codes, 1)))
    kernels.sum_memberships(chunks, np.ones((1, chunks.weights.size)), sums)
    mean, variance = mean_and_variance(sums.moments[:, :, 0].T)
    floor = np.maximum(rows.settings.variance_floor * variance, rows.least_variances)
    gaussians = np.stack([mean, variance, floor], axis=1)
    pseudo = np.zeros(n_codes)
    share = np.zeros(n_codes)
    for first, end in zip(rows.starts[:-1], rows.starts[1:], strict=True):
        pseudo[first + 1 : end], share[first + 1 : end] = _hold_table(
            sums.counts[first + 1 : end], rows.settings.smoothing
        )
    return Anchor(gaussians, pseudo, share, rows.starts)


def _hold_table(counts: np.ndarray, smoothing: Smoothing) -> tuple[np.ndarray, np.ndarray]:
    """Pseudo-counts and shares of the values of one column; zero for those that do not occur."""
    occurs = counts[:, 0] > 0
    share = np.zeros(len(counts))
    share[occurs] = overall_share(counts[occurs], int(occurs.sum()))[:, 0]
    if smoothing.kind == "additive":
        return smoothing.strength * occurs, share
    return smoothing.strength * share, share
