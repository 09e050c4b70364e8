"""Rows dealt to folds, each group's in turn, and their columns and codes in another order."""

from __future__ import annotations

from bayfold.core.kernels.compiler import kernel


@kernel
def count_turns(group_of, units, next_fold, n_entries):
    """Add up how many entries each fold gets of some rows: see ``deal_in_turn``."""
    n_folds = len(n_entries)
    for r in range(len(group_of)):
        fold = next_fold[group_of[r]]
        next_fold[group_of[r]] = pass_on(fold, units[r], n_folds)
        for _ in range(min(units[r], n_folds)):
            n_entries[fold] += 1
            fold = pass_on(fold, 1, n_folds)


@kernel
def deal_in_turn(group_of, units, weights, next_fold, ends, row, place, in_fold):
    """Write the entries of some rows one after the other: the row of each, its place and its weight in its fold.

    A row of u units has u turns, one after the other, and goes to the fold whose turn it is: first to ``next_fold`` of
    its group, which moves on. Units that meet in a fold are one entry. The next entry of fold k stands at ``ends[k]``,
    which moves on. Returns how many entries there are.
    """
    n_folds, e = len(ends), 0
    for r in range(len(group_of)):
        n, fold = units[r], next_fold[group_of[r]]
        next_fold[group_of[r]] = pass_on(fold, n, n_folds)
        each, left = n // n_folds, n % n_folds
        for k in range(min(n, n_folds)):
            row[e], place[e] = r, ends[fold]
            in_fold[e] = weights[r]
            if n > 1:
                in_fold[e] = (each + (1 if k < left else 0)) * (weights[r] / n)
            ends[fold] += 1
            fold = pass_on(fold, 1, n_folds)
            e += 1
    return e


@kernel
def arrange_codes(codes, columns, places, arranged):
    """Write to each column k of ``arranged`` the places ``places[k, code]`` of the codes in column ``columns[k]``."""
    for i in range(codes.shape[0]):
        for k in range(len(columns)):
            arranged[i, k] = places[k, codes[i, columns[k]]]


@kernel
def pass_on(fold, n_turns, n_folds):
    """The fold whose turn it is after some turns; a division only where it must be, since it is slow."""
    fold += n_turns
    if fold < n_folds:
        return fold
    return fold - n_folds if fold < 2 * n_folds else fold % n_folds
