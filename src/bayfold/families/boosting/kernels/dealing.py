"""Rows dealt to folds: each group's in turn."""

from __future__ import annotations

from bayfold.core.kernels.compiler import kernel


@kernel
def deal_in_turn(order, group_of, units, weights, next_turn, folds, row, in_fold):
    """Write the rows fold by fold to ``row``, within a fold in the given order, and to ``in_fold`` their weights there.

    A row of u units has u turns, and turn t goes to fold ``t % n_folds``; units that meet in a fold are one entry.
    ``next_turn`` holds the first turn of each group and is moved on; fold k becomes entries ``folds[k]`` to
    ``folds[k + 1]``.
    """
    n_folds = len(folds) - 1
    ends, turns = folds[1:], next_turn.copy()
    folds[:] = 0
    for i in order:
        for k in range(min(units[i], n_folds)):
            ends[(turns[group_of[i]] + k) % n_folds] += 1
        turns[group_of[i]] += units[i]
    places = folds[:-1].copy()
    for k in range(n_folds):
        places[k] = folds[k]
        folds[k + 1] += folds[k]
    for i in order:
        start = next_turn[group_of[i]]
        next_turn[group_of[i]] = start + units[i]
        each, left = units[i] // n_folds, units[i] % n_folds
        for k in range(min(units[i], n_folds)):
            fold = (start + k) % n_folds
            row[places[fold]] = i
            in_fold[places[fold]] = (each + (1 if k < left else 0)) * (weights[i] / units[i])
            places[fold] += 1
