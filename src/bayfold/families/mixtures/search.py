"""How many components: by the log-likelihood of rows left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.engine import map_in_threads
from bayfold.core.schema.edges import choose_rows
from bayfold.families.mixtures.em import EMProblem, EMRun, EMSettings
from bayfold.families.mixtures.rows import MixtureRows

Report = Callable[[int, float], None]

COARSEST = 1e-4
"""Runs of a search stop at this rise per row: held-out likelihoods differ by far more from number to number."""

SEARCH_ROWS = 20_000
"""Distinct rows that a search reads, as many as a sample holds elsewhere in the library: components that so many rows
do not show are too small to be worth a number, and a search trains ten models for each of up to twenty numbers."""

ONE_BY_ONE = 10
"""Up to here every number of components is tried, beyond only some, a fifth apart."""


def numbers_to_try(most: int) -> list[int]:
    """One by one up to ten, then a fifth more each time.

    >>> numbers_to_try(20)
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 19]
    """
    numbers = list(range(1, min(most, ONE_BY_ONE) + 1))
    while (following := int(numbers[-1] * 1.21)) <= most and most > ONE_BY_ONE:
        numbers.append(following)
    return numbers


@dataclass(frozen=True)
class Search:
    """Which numbers of components are tried.

    Attributes
    ----------
    candidates : iterable of int
        In increasing order.
    stop_early : bool
        Stop at the first number that does not raise the held-out log-likelihood.
    n_folds : int
    """

    candidates: Iterable[int]
    stop_early: bool
    n_folds: int


def find_held_out(
    rows: MixtureRows,
    search: Search,
    settings: EMSettings,
    rng: np.random.RandomState,
    n_threads: int = 1,
    report: Report | None = None,
) -> dict[int, float]:
    """Mean log-likelihood per row left out, in the table's units, for each number of components tried."""
    settings = replace(settings, tolerance=max(settings.tolerance, COARSEST))
    if rows.n_rows > SEARCH_ROWS:
        chosen = choose_rows(rows.n_rows, SEARCH_ROWS)
        rows = rows.subset(chosen, rows.weights[chosen])
    n_folds = min(search.n_folds, int(rows.units.sum()))
    in_fold, outside = rows.deal(n_folds, rng)
    n_folds = int(in_fold.shape[1])
    problems = [EMProblem(rows, outside[:, k]) for k in range(n_folds)]
    background = EMProblem(rows, rows.weights).find_background()
    # with times the earliest rows are in no fold
    judged = rows.weights if rows.said is None else in_fold.sum(axis=1)
    in_own_units = float(judged @ rows.log_unit)
    found: dict[int, float] = {}
    before: list[EMRun | None] = [None] * n_folds
    for n_groups in search.candidates:
        seeds = rng.randint(np.iinfo(np.int32).max, size=n_folds)

        def score_fold(k: int, n_groups: int = n_groups, seeds: np.ndarray = seeds) -> float:
            fold_rng = np.random.RandomState(seeds[k])
            run = before[k] = problems[k].fit(n_groups, settings, fold_rng, before[k])
            log_density = problems[k].find_log_densities(run.sums)
            return score_held_out(log_density, background, in_fold[:, k])

        parts = map_in_threads(score_fold, range(n_folds), n_threads)
        found[n_groups] = (sum(parts) + in_own_units) / float(judged.sum())
        if report is not None:
            report(n_groups, found[n_groups])
        if search.stop_early and n_groups > 1 and not rises(found, n_groups):
            break
    return found


def score_held_out(
    log_density: np.ndarray, log_background: np.ndarray, weights: np.ndarray
) -> float:
    """Log-likelihood of rows left out, where one row in as many as there are may be unlike all others.

    Such a row has the density of the columns by themselves, with heavy tails, whatever the number of components. Left
    to the components, a single row far from all of them would decide: its log-density falls with the square of the
    distance.
    """
    share = 1.0 / (len(weights) + 1.0)
    mixed = np.logaddexp(log_density + np.log1p(-share), log_background + np.log(share))
    return float(weights @ mixed)


def rises(found: dict[int, float], n_groups: int) -> bool:
    """Whether the last number of components is better than all before."""
    return all(found[n_groups] > value for k, value in found.items() if k != n_groups)


def best_number(found: dict[int, float]) -> int:
    """The number of components with the highest held-out log-likelihood; the smallest of equals."""
    return max(found, key=lambda n_groups: (found[n_groups], -n_groups))
