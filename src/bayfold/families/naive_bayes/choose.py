"""Dropping the columns without which held-out rows are predicted as well.

Backward elimination on held-out evidence: the column that brings least evidence goes if, with all other
weights refitted, held-out rows are no more surprising than they ever were. (A nat of tolerance, which one parameter is
worth by Akaike's criterion, drops far too much from small tables.)
The density of each numeric column, chosen by how well it tells the groups of held-out rows.

The score of a candidate is the log-loss of held-out rows under the prior and this column alone. It needs no rows: a
column's evidence depends on the code only, so the loss is a sum over codes of counts times log-probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import Fold, Folds
from bayfold.core.densities import estimate_frequencies
from bayfold.core.discretize import AUTO, DECREASING, INCREASING
from bayfold.core.engine import map_in_threads
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema.given import count_special_codes
from bayfold.core.scoring import Calibration, Dropped
from bayfold.core.scoring.derive import Settings, derive_term, log_priors, weigh_groups
from bayfold.core.scoring.held_out import HeldOut, stack_folds
from bayfold.families.naive_bayes import kernels
from bayfold.families.naive_bayes.weights import find_loss

PATIENCE = 3
"""So many of the weakest columns are tried before the search ends."""

Fit = Callable[[HeldOut], Calibration]


def select_columns(held_out: HeldOut, fit: Fit) -> Calibration:
    """Weights of the columns worth keeping, with the steps that led there; the others get zero.

    Parameters
    ----------
    held_out : HeldOut
    fit : callable
        From held-out evidence to weights.
    """
    kept = np.arange(held_out.places.shape[1])
    best = fit(held_out)
    total = held_out.weights.sum()
    least = find_loss(held_out, best)[0]
    trace: list[Dropped] = []
    while len(kept) > 1:
        step = _drop_one(held_out, fit, kept, best, least)
        if step is None:
            break
        place, fitted, now = step
        trace.append(Dropped(int(kept[place]), float(best.weights[place]), now / total))
        kept = np.delete(kept, place)
        best = fitted
        least = min(least, now)
    weights = np.zeros(held_out.places.shape[1])
    weights[kept] = best.weights
    return Calibration(weights, best.intercept, tuple(trace))


def _drop_one(
    held_out: HeldOut, fit: Fit, kept: np.ndarray, best: Calibration, most: float
) -> tuple[int, Calibration, float] | None:
    """The place of a column that can go, with the weights and the loss without it; None if none can."""
    size = np.abs(held_out.evidence).mean(axis=1)
    brought = np.array([size[held_out.places[:, j]].mean() for j in kept]) * best.weights
    for place in np.argsort(brought, kind="stable")[:PATIENCE].tolist():
        rest = np.delete(kept, place)
        without = held_out.take_columns(rest)
        fitted = fit(without)
        now = find_loss(without, fitted)[0]
        if now <= most:
            return place, fitted, now
    return None


WIDTHS = np.array([0.2, 0.1, 0.4, 0.0])
"""Bandwidths of smoothed counts; the first counts where no fold can tell, zero is for values that differ from their
neighbours. MDL bins, bins of equal frequency and kernels on the values bring nothing more (docs/decisions/0005)."""

BINNED = ("equal_frequency", "mdl")
"""What is left where the evidence must be monotone, which is done by merging bins."""

MARGIN_OF_VALUES = 5.0
"""Nats by which held-out rows must be less surprising for a width of zero, which has a parameter for every value. Two
were not enough on tables of 150 rows, five and ten the same on twelve datasets."""

EM_STEPS = 50
"""Of the shares of bandwidths: with a hundred columns of noise the best is then had by nearly all."""

WIDTH_COLUMNS = 0.1
"""Columns of each bandwidth that there are before any is looked at: a sparse prior, most tables have one or two."""

ROWS_TO_CHOOSE = 5_000
"""Held-out rows that tell one bandwidth from another well enough."""

CELLS_TO_CHOOSE = 1 << 16
"""Fewer of them where groups are many, since each row is compared with all groups: from 14 groups on. Twice as many
lower the log-loss of letter (26 groups) from .857 to .856, and change nothing on five other tables."""

FEWEST_ROWS_TO_CHOOSE = 1_000
"""But no fewer: log-losses of so many rows have a standard error of some hundredths."""

GROUPS_OF_FEW_ROWS = 100
"""With fewer, each has so many rows that nothing is gained by going from row to row."""

LEAST_LOG_RATIO = -700.0
"""Stands for an impossible value: exp() of less is zero."""


@dataclass(frozen=True)
class _Held:
    """A fold as candidates are judged on it.

    Attributes
    ----------
    fold : Fold
    outside : JointCounts
        With the groups weighted.
    factor : ndarray
        Weight of each group's rows: of its weight as a class, and of the rows that a sampled one stands for.
    log_prior : ndarray
    """

    fold: Fold
    outside: JointCounts
    factor: np.ndarray
    log_prior: np.ndarray

    def inside(self, j: int) -> np.ndarray:
        return self.fold.inside(j)[FIRST_BIN:] * self.factor


def choose_methods(folds: Folds | None, settings: Settings, n_threads: int = 1) -> Settings:
    """The settings with every ``"auto"`` replaced by a density; the first candidate where no folds can tell."""
    undecided = [j for j, method in settings.methods.items() if method == "auto"]
    if folds is not None and folds.sample.schema is not None:
        numeric = set(folds.sample.schema.numeric.tolist())
        undecided = [j for j in undecided if j in numeric]
    if not undecided:
        return settings
    held = []
    if folds is not None:
        held = [_weigh(fold, settings, folds.group_factors) for fold in _enough(folds)]
    methods = dict(settings.methods)
    widths = dict(settings.widths)
    for j in undecided:
        methods[j] = _choose_bins(held, settings, j) if j in settings.monotone else "smooth"
    smooth = [j for j in undecided if methods[j] == "smooth"]
    losses = map_in_threads(lambda j: _judge_widths(held, settings, j), smooth, n_threads)
    widths |= dict(zip(smooth, _choose_widths(np.array(losses)), strict=True))
    return replace(settings, methods=methods, widths=widths)


def choose_directions(folds: Folds | None, settings: Settings) -> Settings:
    """The settings with every ``"auto"`` of a direction replaced; left to the counts where no folds can tell."""
    undecided = [j for j, direction in settings.monotone.items() if direction == AUTO]
    if folds is None or not undecided:
        return settings
    held = [_weigh(fold, settings, folds.group_factors) for fold in _enough(folds)]
    monotone = dict(settings.monotone)
    for j in undecided:
        losses = []
        for direction in (INCREASING, DECREASING):
            tried = replace(settings, monotone={j: direction})
            losses.append(sum(held_out_loss(part, tried, j) for part in held))
        monotone[j] = (INCREASING, DECREASING)[int(np.argmin(losses))]
    return replace(settings, monotone=monotone)


def _choose_widths(losses: np.ndarray) -> list[float]:
    """The most probable bandwidth of each column, by its held-out losses and by how often each is best in the table.

    The shares of the bandwidths are those of a mixture over columns, by EM. Among hundreds of columns of noise each
    would else have the one that happens to fit its held-out rows, which would look like evidence.
    """
    if not len(losses):
        return []
    least = losses.min(axis=1, keepdims=True)
    gap = np.zeros_like(
        losses
    )  # without smoothing all bandwidths of a column may find a row impossible
    np.subtract(least, losses, out=gap, where=np.isfinite(least))
    odds = np.exp(gap)
    share = np.full(len(WIDTHS), 1.0 / len(WIDTHS))
    for _ in range(EM_STEPS):
        belief = odds * share
        belief /= belief.sum(axis=1, keepdims=True)
        share = belief.sum(axis=0) + WIDTH_COLUMNS
        share /= share.sum()
    return WIDTHS[(odds * share).argmax(axis=1)].tolist()


def _judge_widths(held: list[_Held], settings: Settings, j: int) -> np.ndarray:
    """How surprising held-out rows are with each bandwidth, given the prior and this column alone."""
    losses = np.zeros(len(WIDTHS))
    if held:
        outside = stack_folds([part.outside for part in held], j)
        inside = _stack_inside(held, outside, settings, j)
        schema = held[0].outside.schema
        assert schema is not None
        special = int(count_special_codes([schema.columns[j]])[0])
        if special:
            outside = np.ascontiguousarray(outside[:, :-special])
            inside = np.ascontiguousarray(inside[:, :-special])
        log_prior = np.array([part.log_prior for part in held])
        if settings.missing_is_value:  # that a cell is known is evidence too
            known = outside[:, FIRST_BIN:].sum(axis=1)
            both = np.stack([outside[:, MISSING], known], axis=1)
            log_prior = log_prior + estimate_frequencies(both, settings.smoothing)[:, 1]
        strength = settings.smoothing.strength
        are_many = len(log_prior[0]) >= GROUPS_OF_FEW_ROWS
        score = kernels.score_widths_of_many if are_many else kernels.score_rank_widths
        score(inside, outside, log_prior, WIDTHS, strength, losses)
    losses[WIDTHS == 0.0] += MARGIN_OF_VALUES
    return losses


def _stack_inside(held: list[_Held], outside: np.ndarray, settings: Settings, j: int) -> np.ndarray:
    """What ``inside`` says of each fold, in a few steps for all of them."""
    if settings.group_weights is not None:
        return np.array([part.fold.inside(j) * part.factor for part in held])
    first = held[0].fold.whole
    whole = first[j]
    if any(part.fold.whole is not first for part in held):
        whole = np.array([part.fold.whole[j] for part in held])
    return (whole - outside) * held[0].factor


def _choose_bins(held: list[_Held], settings: Settings, j: int) -> str:
    losses = []
    for method in BINNED:
        tried = replace(settings, methods={**settings.methods, j: method})
        losses.append(sum(held_out_loss(part, tried, j) for part in held))
    return BINNED[int(np.argmin(losses))]


def held_out_loss(held: _Held, settings: Settings, j: int) -> float:
    """Log-loss of the fold's rows with the prior and the table of column ``j`` alone."""
    log_table = derive_term(held.outside, settings, j).tabulate(None)
    log_table = np.maximum(np.nan_to_num(log_table), LEAST_LOG_RATIO)
    log_joint = log_table + held.log_prior
    log_p = log_joint - np.logaddexp.reduce(log_joint, axis=1)[:, None]
    return -float((held.inside(j) * log_p[FIRST_BIN:]).sum())


def _enough(folds: Folds) -> list[Fold]:
    """As many folds as it takes to hold enough rows."""
    affordable = CELLS_TO_CHOOSE // len(folds.sample.groups)
    wanted = min(ROWS_TO_CHOOSE, max(affordable, FEWEST_ROWS_TO_CHOOSE))
    held = np.cumsum((folds.in_fold > 0).sum(axis=0))
    n_used = int(np.searchsorted(held, wanted)) + 1
    return [fold for fold in folds.folds[:n_used] if fold.outside.totals.any()]


def _weigh(fold: Fold, settings: Settings, group_factors: np.ndarray) -> _Held:
    outside = weigh_groups(fold.outside, settings.group_weights)
    before = fold.outside.totals
    factor = np.where(before > 0, outside.totals / np.where(before > 0, before, 1.0), 1.0)
    factor = factor * group_factors
    return _Held(fold, outside, factor, log_priors(outside, "laplace"))
