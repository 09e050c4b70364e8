"""AdaBoost.M1 as the paper writes it down: rows one by one, a list of weights."""

from __future__ import annotations

import math

import numpy as np


def best_group(scores):
    """The largest score; one score is the odds of the second group."""
    return int(scores[0] > 0) if len(scores) == 1 else int(np.argmax(scores))


def mark_wrong(scores, group_of, weights):
    """Which rows are wrong, and their weight."""
    wrong = [best_group(row) != g for row, g in zip(scores, group_of, strict=True)]
    return wrong, math.fsum(w for w, bad in zip(weights, wrong, strict=True) if bad)


def reweigh_rows(weights, wrong, if_wrong, if_right, floor):
    """New weights, none below the floor."""
    pairs = zip(weights, wrong, strict=True)
    return [max(w * (if_wrong if bad else if_right), floor) for w, bad in pairs]


def boost_m1(fit_and_score, group_of, weights, n_rounds, draw):
    """Errors, votes and weights of every round.

    ``fit_and_score`` gives the scores of all rows by a model of the weighted rows, ``draw`` how often each is in
    a bootstrap sample. One half is meant up to rounding: a model that is the last one again is exactly that bad.
    """
    n = math.fsum(weights)
    w = list(weights)
    errors, votes, after = [], [], []
    while len(errors) < n_rounds:
        wrong, missed = mark_wrong(fit_and_score(np.array(w)), group_of, w)
        error = missed / n
        is_better_than_chance = error < 0.5 - 1e-9
        if is_better_than_chance:
            errors.append(error)
            votes.append(math.log((1 - error) / error) if error > 0 else math.log(1e10))
        if error > 0 and is_better_than_chance:
            w = [
                weight / (2 * error) if bad else weight / (2 * (1 - error))
                for weight, bad in zip(w, wrong, strict=True)
            ]
        else:
            w = list(draw())
        w = [max(weight, 1e-8 * given) for weight, given in zip(w, weights, strict=True)]
        total = math.fsum(w)
        w = [weight * n / total for weight in w]
        if is_better_than_chance:
            after.append(w)
    return errors, votes, after
