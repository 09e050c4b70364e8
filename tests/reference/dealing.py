"""Rows dealt to folds, unit by unit."""

from __future__ import annotations


def deal_in_turn(order, group_of, units, weights, first_turns, n_folds):
    """The rows of each fold in the given order, and the weight of each row in each fold."""
    rows, in_fold = [[] for _ in range(n_folds)], {}
    turns = list(first_turns)
    for i in order:
        for _ in range(units[i]):
            fold = turns[group_of[i]] % n_folds
            if (i, fold) not in in_fold:
                rows[fold].append(i)
            in_fold[i, fold] = in_fold.get((i, fold), 0.0) + weights[i] / units[i]
            turns[group_of[i]] += 1
    return rows, in_fold


def arrange_codes(codes, columns, places):
    """Cell by cell."""
    return [[int(places[k][row[c]]) for k, c in enumerate(columns)] for row in codes.tolist()]
