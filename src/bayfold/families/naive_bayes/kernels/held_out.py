"""Where the rows of a fold lie in the table of a column, and sums of logarithms over them.
The log-loss of held-out rows under weights on columns, its gradient, and how sharply it bends along each of them.
The log-loss of held-out rows under one weight on all their evidence, and what its slope and bend are made of.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.dot import add_numbers, add_products, dot, find_highest
from bayfold.core.kernels.elementary import exponentiate, multiply_add
from bayfold.core.kernels.evidence import add_evidence, score_four
from bayfold.core.kernels.ranks import sum_bins, sum_groups

MULTIPLIED_TOGETHER = 16
"""Ratios between 1e-9 and the number of rows: so many of them multiplied are far from the largest float."""

MOST_LISTED = 3
"""Rows of a place that are listed one by one."""


@inner
def list_held_out(inside):
    """The bins of a fold that hold rows, its cells (``bin * n_groups + group``) that do, and the rows of each group."""
    of_bin = np.empty(len(inside))
    of_group = np.zeros(inside.shape[1])
    sum_bins(inside, of_bin)
    sum_groups(inside, of_group)
    return list_filled(of_bin), list_filled(inside.reshape(inside.size)), of_group


@inner
def list_filled(rows):
    """Places that hold rows: once for each row where they are one to three, then the others and how many they hold."""
    n_single = n_several = 0
    for i in range(len(rows)):
        if rows[i] > 0.0:
            if is_listed_singly(rows[i]):
                n_single += int(rows[i])
            else:
                n_several += 1
    single = np.empty(n_single, np.int64)
    several = np.empty(n_several, np.int64)
    n_rows = np.empty(n_several)
    n_single = n_several = 0
    for i in range(len(rows)):
        if rows[i] > 0.0:
            if is_listed_singly(rows[i]):
                for _ in range(int(rows[i])):
                    single[n_single] = i
                    n_single += 1
            else:
                several[n_several] = i
                n_rows[n_several] = rows[i]
                n_several += 1
    return single, several, n_rows


@inner
def is_listed_singly(rows):
    """Whether so many rows are few and whole."""
    return rows <= MOST_LISTED and rows == np.floor(rows)


@inner
def sum_logs(filled, values):
    """The logarithms of the values at some places, one for each row that is there.

    Most places hold a row or two: their values are multiplied, and the logarithm is taken of some at a time.
    """
    single, several, rows = filled
    total = 0.0
    for start in range(0, len(single), MULTIPLIED_TOGETHER):
        product = 1.0
        for i in range(start, min(start + MULTIPLIED_TOGETHER, len(single))):
            product *= values[single[i]]
        total += np.log(product)
    for i in range(len(several)):
        total += rows[i] * np.log(values[several[i]])
    return total


WEIGHED_TOGETHER = 16
"""Rows whose scores are exponentiated in one go, and stay in the first-level cache with the evidence they rest on."""

NUMBERS_TOGETHER = 1 << 17
"""Numbers of evidence they rest on at most, but for four rows: it is read twice, and of more groups and columns not
even the second-level cache would hold it in between."""

SCORES_IN_PARTS = 32
"""From so many scores on, a row's highest and their sum are found in parts which do not wait for each other."""


@kernel
def weigh_held_out(evidence, places, group_of, row_weights, weights, intercept, gradient):
    """Return the log-loss of the rows; write its gradient (by columns, then by intercepts).

    The evidence of column j of row i is ``evidence[places[i, j]]``, one number per group: rows share it, so it is
    stored once per code and not once per row.
    """
    n_rows, n_columns = places.shape
    n_scores = evidence.shape[1]
    together = min(max(NUMBERS_TOGETHER // max(n_columns * n_scores, 1), 4), WEIGHED_TOGETHER)
    block = np.empty((together, n_scores))
    scratch = np.empty(2 * together * n_scores)
    losses = np.empty(together)
    products = np.zeros((n_columns, n_scores))
    gradient[:] = 0.0
    loss = 0.0
    for start in range(0, n_rows, together):
        stop = min(start + together, n_rows)
        excess = block[: stop - start]
        for i in range(start, stop):
            for s in range(n_scores):
                excess[i - start, s] = intercept[s]
            add_evidence(evidence, places[i], weights, excess[i - start])
        find_excess(excess, group_of[start:stop], scratch, losses)
        for i in range(start, stop):
            loss += row_weights[i] * losses[i - start]
            own = excess[i - start]
            for s in range(n_scores):
                own[s] *= row_weights[i]
                gradient[n_columns + s] += own[s]
        add_products_of_rows(evidence, places[start:stop], excess, products)
    for j in range(n_columns):
        gradient[j] = products[j].sum()
    return loss


@inner
def add_products_of_rows(evidence, places, excess, products):
    """Add to ``products[j]`` the evidence of column j times the excess, row after row, four of them at a time."""
    n_rows, n_columns = places.shape
    whole = n_rows - n_rows % 4
    for i in range(0, whole, 4):
        of_a = excess[i]
        of_b = excess[i + 1]
        of_c = excess[i + 2]
        of_d = excess[i + 3]
        for j in range(n_columns):
            a = evidence[places[i, j]]
            b = evidence[places[i + 1, j]]
            c = evidence[places[i + 2, j]]
            d = evidence[places[i + 3, j]]
            sums = products[j]
            for s in range(len(sums)):
                half = multiply_add(of_b[s], b[s], multiply_add(of_a[s], a[s], sums[s]))
                sums[s] = multiply_add(of_d[s], d[s], multiply_add(of_c[s], c[s], half))
    for i in range(whole, n_rows):
        for j in range(n_columns):
            add_products(excess[i], evidence[places[i, j]], products[j])


@kernel
def weigh_odds(odds, group_of, row_weights, weights, intercept, gradient):
    """The same for two groups: ``odds[i, j]`` is the evidence of a cell for the second group.

    Rows are added up four at a time, because each sum waits for its last summand.
    """
    n_rows, n_columns = odds.shape
    gradient[:] = 0.0
    loss = 0.0
    scores = np.empty(4)
    excess = np.empty(4)
    for start in range(0, n_rows, 4):
        stop = min(start + 4, n_rows)
        if stop - start == 4:
            score_four(odds[start:stop], weights, intercept, scores)
        else:
            for i in range(start, stop):
                scores[i - start] = intercept
                for j in range(n_columns):
                    scores[i - start] += weights[j] * odds[i, j]
        for i in range(start, stop):
            away = scores[i - start] if group_of[i] == 0 else -scores[i - start]  # from the truth
            small = np.exp(-abs(away))
            loss += row_weights[i] * (max(away, 0.0) + np.log1p(small))
            wrong = 1.0 / (1.0 + small) if away > 0.0 else small / (1.0 + small)
            excess[i - start] = row_weights[i] * (wrong if group_of[i] == 0 else -wrong)
            gradient[n_columns] += excess[i - start]
        add_slopes(odds[start:stop], excess, gradient)
    return loss


@inner
def add_slopes(odds, excess, gradient):
    """Add to each column's slope the odds of at most four rows times their excess, one row after the other."""
    n_rows, n_columns = odds.shape
    if n_rows == 4:
        of_a = excess[0]
        of_b = excess[1]
        of_c = excess[2]
        of_d = excess[3]
        for j in range(n_columns):
            slope = gradient[j] + of_a * odds[0, j] + of_b * odds[1, j]
            gradient[j] = slope + of_c * odds[2, j] + of_d * odds[3, j]
    else:
        for i in range(n_rows):
            for j in range(n_columns):
                gradient[j] += excess[i] * odds[i, j]


@inner
def find_excess(scores, group_of, scratch, losses):
    """Turn the scores of rows into probabilities less the truth; write minus the log-probabilities of the groups."""
    n_rows, n_scores = scores.shape
    size = n_rows * n_scores
    flat = scores.reshape(size)
    below_top = scratch[:size]
    for i in range(n_rows):
        own = scores[i]
        top = own[0]
        if n_scores >= SCORES_IN_PARTS:
            top = find_highest(own)
        else:
            for s in range(1, n_scores):
                top = own[s] if own[s] > top else top
        losses[i] = own[group_of[i]] - top
        for s in range(n_scores):
            below_top[i * n_scores + s] = own[s] - top
    exponentiate(below_top, flat, scratch[size : 2 * size])
    for i in range(n_rows):
        own = scores[i]
        total = 0.0
        if n_scores >= SCORES_IN_PARTS:
            total = add_numbers(own)
        else:
            for s in range(n_scores):
                total += own[s]
        share = 1.0 / total
        for s in range(n_scores):
            own[s] *= share
        own[group_of[i]] -= 1.0
        losses[i] = np.log(total) - losses[i]


EXPECTED_TOGETHER = 16
"""Rows whose scores are exponentiated in one go; one by one, the last groups of each row would take half the time."""


@kernel
def expect_evidence(evidence, group_of, row_weights, weight, intercept, roots, moments):
    """Return the log-loss of rows with ``intercept + weight * evidence[i]`` as scores of the groups.

    A row of ``roots`` becomes the mean of its evidence by the probabilities p of the groups, then p, all times the root
    of the row's weight; ``moments[k, g]`` the weighted sum over rows of ``p[g] * evidence[i, g] ** k``.
    """
    n_rows, n_groups = evidence.shape
    size = EXPECTED_TOGETHER * n_groups
    scores = np.empty(size)
    p = np.empty(size)
    scratch = np.empty(size)
    of_truth = np.empty(EXPECTED_TOGETHER)
    shares = moments[0]
    products = moments[1]
    squares = moments[2]
    moments[:] = 0.0
    loss = 0.0
    for start in range(0, n_rows, EXPECTED_TOGETHER):
        stop = min(start + EXPECTED_TOGETHER, n_rows)
        for i in range(start, stop):
            x = evidence[i]
            own = scores[(i - start) * n_groups : (i - start + 1) * n_groups]
            for g in range(n_groups):
                own[g] = intercept[g] + weight * x[g]
            highest = find_highest(own)
            of_truth[i - start] = own[group_of[i]] - highest
            for g in range(n_groups):
                own[g] -= highest
        size = (stop - start) * n_groups
        exponentiate(scores[:size], p[:size], scratch[:size])
        for i in range(start, stop):
            x = evidence[i]
            own = p[(i - start) * n_groups : (i - start + 1) * n_groups]
            total = add_numbers(own)
            root = np.sqrt(row_weights[i])
            loss += row_weights[i] * (np.log(total) - of_truth[i - start])
            roots[i, 0] = root * dot(own, x) / total
            share = row_weights[i] / total
            root = root / total
            of_row = roots[i, 1:]
            for g in range(n_groups):
                of_row[g] = root * own[g]
                part = share * own[g]
                shares[g] += part
                products[g] += part * x[g]
                squares[g] += part * x[g] * x[g]
    return loss


@kernel
def curve_held_out(evidence, places, group_of, row_weights, weights, intercept, curvature):
    """Write the second derivatives of what ``weigh_held_out`` returns, each by one parameter twice.

    Along a weight that is the variance of a cell's evidence by the probabilities of the groups.
    """
    n_rows, n_columns = places.shape
    n_scores = evidence.shape[1]
    scores = np.empty((1, n_scores))
    scratch = np.empty(2 * n_scores)
    loss = np.empty(1)
    p = scores[0]
    curvature[:] = 0.0
    for i in range(n_rows):
        p[:] = intercept
        add_evidence(evidence, places[i], weights, p)
        find_excess(scores, group_of[i : i + 1], scratch, loss)
        p[group_of[i]] += 1.0
        for s in range(n_scores):
            curvature[n_columns + s] += row_weights[i] * p[s] * (1.0 - p[s])
        for j in range(n_columns):
            curvature[j] += row_weights[i] * find_variance(p, evidence[places[i, j]])


@inner
def find_variance(p, a):
    """Variance of numbers by their probabilities; two sums at a time, which do not wait for each other."""
    mean = square = mean_of_odd = square_of_odd = 0.0
    whole = len(a) - len(a) % 2
    for s in range(0, whole, 2):
        first = p[s] * a[s]
        second = p[s + 1] * a[s + 1]
        mean += first
        mean_of_odd += second
        square += first * a[s]
        square_of_odd += second * a[s + 1]
    for s in range(whole, len(a)):
        mean += p[s] * a[s]
        square += p[s] * a[s] * a[s]
    mean += mean_of_odd
    return max(square + square_of_odd - mean * mean, 0.0)


@kernel
def curve_odds(odds, row_weights, weights, intercept, curvature):
    """The same for two groups, of what ``weigh_odds`` returns."""
    n_rows, n_columns = odds.shape
    curvature[:] = 0.0
    for i in range(n_rows):
        score = intercept
        for j in range(n_columns):
            score += weights[j] * odds[i, j]
        small = np.exp(-abs(score))
        variance = row_weights[i] * small / ((1.0 + small) * (1.0 + small))
        curvature[n_columns] += variance
        for j in range(n_columns):
            curvature[j] += variance * odds[i, j] * odds[i, j]
