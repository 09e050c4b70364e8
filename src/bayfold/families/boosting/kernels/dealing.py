"""Rows dealt to folds: each group's in turn."""

from __future__ import annotations

from bayfold.core.kernels.compiler import kernel


@kernel
def deal_in_turn(order, group_of, units, weights, first_turns, folds, row, in_fold):
    """Write the rows fold by fold to ``row``, within a fold in the given order, and to ``in_fold`` their weights there.

    Groups, units and weights are given in that order too: read one after the other. A row of u units has u turns, from
    ``first_turns`` of its group on, and turn t goes to fold ``t % n_folds``; units that meet in a fold are one entry.
    Fold k becomes entries ``folds[k]`` to ``folds[k + 1]``.
    """
    n_folds = len(folds) - 1
    folds[:] = 0
    n_entries, next_fold = folds[1:], first_turns % n_folds
    for r in range(len(order)):
        fold = next_fold[group_of[r]]
        next_fold[group_of[r]] = pass_on(fold, units[r], n_folds)
        for _ in range(min(units[r], n_folds)):
            n_entries[fold] += 1
            fold = pass_on(fold, 1, n_folds)
    places = folds[:-1].copy()
    for k in range(n_folds):
        places[k] = folds[k]
        folds[k + 1] += folds[k]
    next_fold = first_turns % n_folds
    for r in range(len(order)):
        n, fold = units[r], next_fold[group_of[r]]
        next_fold[group_of[r]] = pass_on(fold, n, n_folds)
        if n == 1:
            row[places[fold]], in_fold[places[fold]] = order[r], weights[r]
            places[fold] += 1
            continue
        each, left = n // n_folds, n % n_folds
        for k in range(min(n, n_folds)):
            row[places[fold]] = order[r]
            in_fold[places[fold]] = (each + (1 if k < left else 0)) * (weights[r] / n)
            places[fold] += 1
            fold = pass_on(fold, 1, n_folds)


@kernel
def pass_on(fold, n_turns, n_folds):
    """The fold whose turn it is after some turns; a division only where it must be, since it is slow."""
    fold += n_turns
    if fold < n_folds:
        return fold
    return fold - n_folds if fold < 2 * n_folds else fold % n_folds
