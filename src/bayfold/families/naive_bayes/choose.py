"""The density of each numeric column, chosen by how well it tells the groups of rows it has not seen.

The score of a candidate is the log-loss of held-out rows under the prior and this column alone. It needs no rows: a
column's evidence depends on the code only, so the loss is a sum over codes of counts times log-probabilities.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.counts.fold_counts import Fold, Folds
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.scoring.derive import Settings, derive_term, log_priors, weigh_groups

CANDIDATES = (("smooth", 0.2), ("smooth", 0.1), ("smooth", 0.4))
"""Densities with their widths; the first counts where no fold can tell. MDL bins, bins of equal frequency and kernels
on the values were tried beside them and bring nothing more (docs/decisions/0005)."""

BINNED = (("equal_frequency", 0.0), ("mdl", 0.0))
"""What is left where the evidence must be monotone, which is done by merging bins."""

ROWS_TO_CHOOSE = 5_000
"""Held-out rows that tell one bandwidth from another well enough."""

LEAST_LOG_RATIO = -700.0
"""Stands for an impossible value: exp() of less is zero."""


def choose_methods(folds: Folds | None, settings: Settings) -> Settings:
    """The settings with every ``"auto"`` replaced by a density; the first candidate where no folds can tell."""
    undecided = [j for j, method in settings.methods.items() if method == "auto"]
    if not undecided:
        return settings
    weighed = [] if folds is None else [_weigh(fold, settings) for fold in _enough(folds)]
    for j in undecided:
        candidates = BINNED if j in settings.monotone else CANDIDATES
        tried = [_with_density(settings, j, *candidate) for candidate in candidates]
        best = 0
        if folds is not None and weighed and j in folds.centres:
            centres = folds.centres[j]
            losses = [sum(held_out_loss(fold, s, j, centres) for fold in weighed) for s in tried]
            best = int(np.argmin(losses))
        settings = tried[best]
    return settings


def _with_density(settings: Settings, j: int, method: str, width: float) -> Settings:
    methods, widths = {**settings.methods, j: method}, {**settings.widths, j: width}
    return replace(settings, methods=methods, widths=widths)


def held_out_loss(fold: Fold, settings: Settings, j: int, centres: np.ndarray) -> float:
    """Log-loss of the fold's rows with the prior and column ``j`` alone."""
    log_joint = derive_term(fold.outside, settings, j).tabulate(centres)
    log_joint = np.maximum(np.nan_to_num(log_joint), LEAST_LOG_RATIO) + log_priors(
        fold.outside, "laplace"
    )
    log_p = log_joint - np.logaddexp.reduce(log_joint, axis=1)[:, None]
    return -float((fold.inside(j)[FIRST_BIN:] * log_p[FIRST_BIN:]).sum())


def _enough(folds: Folds) -> list[Fold]:
    """As many folds as it takes to hold enough rows."""
    held = np.cumsum((folds.in_fold > 0).sum(axis=0))
    n_used = int(np.searchsorted(held, ROWS_TO_CHOOSE)) + 1
    return [fold for fold in folds.folds[:n_used] if fold.outside.totals.any()]


def _weigh(fold: Fold, settings: Settings) -> Fold:
    outside = weigh_groups(fold.outside, settings.group_weights)
    before = fold.outside.totals
    factor = np.where(before > 0, outside.totals / np.where(before > 0, before, 1.0), 1.0)
    return Fold(tuple(table * factor for table in fold.whole), outside)
