"""Scores of rows from the terms' tables, and posterior probabilities from scores."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_numbers, add_products, dot, find_highest
from bayfold.core.kernels.elementary import exponentiate
from bayfold.core.kernels.encode import FIRST_BIN

LARGEST_SQUARE = 1e300
"""So far from all groups that a number cannot tell them apart it says nothing: infinity less infinity would."""


@kernel
def score_tables(codes, offsets, tables, scores):
    """Add ``tables[offsets[j] + code * n_scores + s]`` over the columns."""
    n_rows, n_columns = codes.shape
    n_scores = scores.shape[1]
    if n_scores == 1:  # keeps the sum in a register: 6 times faster for two classes
        for i in range(n_rows):
            total = scores[i, 0]
            for j in range(n_columns):
                total += tables[np.uint64(offsets[j]) + np.uint64(codes[i, j])]
            scores[i, 0] = total
    else:
        stride = np.uint64(n_scores)
        for i in range(n_rows):
            row = scores[i]
            for j in range(n_columns):
                start = np.uint64(offsets[j]) + np.uint64(codes[i, j]) * stride
                for s in range(stride):
                    row[s] += tables[start + s]


@kernel
def score_quadratics(values, columns, mean, inverse_sd, constant, missing, centred, scores):
    """Add ``constant - ((x - mean) * inverse_sd)^2 / 2`` per group, or ``missing`` for NaN.

    Groups are evaluated around their own means and only then compared: expanding the squares
    first would cancel digits where groups lie far apart. Where there are two groups and one score
    their difference is added, otherwise each group's value, less the average of the finite ones
    if ``centred``.
    """
    n_groups = mean.shape[1]
    term = np.empty(n_groups)
    for i in range(values.shape[0]):
        for k in range(columns.shape[0]):
            x = values[i, columns[k]]
            total = 0.0
            n_possible = 0
            for g in range(n_groups):
                z = (x - mean[k, g]) * inverse_sd[k, g]
                square = 0.5 * z * z
                square = square if square < LARGEST_SQUARE else LARGEST_SQUARE
                term[g] = constant[k, g] - square if x == x else missing[k, g]
                if term[g] > -np.inf:  # a group ruled out says nothing about the others
                    total += term[g]
                    n_possible += 1
            if scores.shape[1] < n_groups:
                scores[i, 0] += term[1] - term[0]
            else:
                average = total / max(n_possible, 1) if centred else 0.0
                for g in range(n_groups):
                    scores[i, g] += term[g] - average


@kernel
def score_interpolated(values, columns, low, scale, n_nodes, offsets, tables, missing, scores):
    """Add the table of each column, interpolated between the two nodes around x.

    Nodes are equally spaced: x lies at ``t = (x - low) * scale`` of ``n_nodes`` nodes; beyond the
    ends the outermost node counts.
    """
    n_scores = scores.shape[1]
    for i in range(values.shape[0]):
        for k in range(columns.shape[0]):
            x = values[i, columns[k]]
            if x != x:
                for s in range(n_scores):
                    scores[i, s] += missing[k, s]
                continue
            t = min(max((x - low[k]) * scale[k], 0.0), n_nodes[k] - 1.0)
            node = min(np.int64(t), n_nodes[k] - 2)
            fraction = t - node
            start = offsets[k] + node * n_scores
            after = start + n_scores
            left = tables[start:after]
            right = tables[after : after + n_scores]
            for s in range(n_scores):
                a = left[s]
                b = right[s]
                # equal also where both are infinite: a group ruled out stays so
                scores[i, s] += a if a == b else a + fraction * (b - a)


@kernel
def score_curves(
    values, codes, columns, offsets, places, gaps, table_offsets, tables, missing, scores
):
    """Add the table of each column, given at one place within each of its bins, interpolated between places.

    ``places[offsets[k] + b]`` lies in bin b, and ``gaps`` holds one over the distance to the next place, or zero where
    nothing leads there. The code of a cell says which two places are next to x; beyond the outermost place its value
    counts.
    """
    n_scores = scores.shape[1]
    for i in range(values.shape[0]):
        row = scores[i]
        for k in range(columns.shape[0]):
            x = values[i, columns[k]]
            if x != x:
                for s in range(n_scores):
                    row[s] += missing[k, s]
                continue
            last = offsets[k + 1] - offsets[k] - 1
            node = int(codes[i, columns[k]]) - FIRST_BIN
            at = offsets[k] + node
            if node > 0 and x < places[at] and gaps[at - 1] > 0.0:
                node = node - 1
                at = at - 1
            fraction = min(max((x - places[at]) * gaps[at], 0.0), 1.0)
            start = table_offsets[k] + node * n_scores
            after = start + n_scores if node < last else start
            # slices tell the compiler that the arrays do not overlap: twice as fast
            left = tables[start : start + n_scores]
            right = tables[after : after + n_scores]
            for s in range(n_scores):
                row[s] += left[s] + fraction * (right[s] - left[s])


JUDGED_TOGETHER = 16
"""Rows whose scores are exponentiated in one go; one by one, the last groups of each would take half the time."""

NEGLIGIBLE_LOG_MASS = -40.0
"""Points this far below the highest in logs add nothing."""


@kernel
def read_means(scores, values, means):
    """Mean of ``values`` under the posterior proportional to ``exp(scores[i])``."""
    n_rows, n_points = scores.shape
    for i in range(n_rows):
        top = scores[i, 0]
        for g in range(1, n_points):
            top = scores[i, g] if scores[i, g] > top else top
        total = 0.0
        first = 0.0
        for g in range(n_points):
            below = scores[i, g] - top
            if below > NEGLIGIBLE_LOG_MASS:
                mass = np.exp(below)
                total += mass
                first += mass * values[g]
        means[i] = first / total


@kernel
def judge_groups(scores, group_of, weights):
    """The weight of the rows whose first highest score is not that of their group, and the log-loss of all."""
    n_rows, n_scores = scores.shape
    size = JUDGED_TOGETHER * n_scores
    below = np.empty(size)
    odds = np.empty(size)
    scratch = np.empty(size)
    wrong = 0.0
    loss = 0.0
    for start in range(0, n_rows, JUDGED_TOGETHER):
        stop = min(start + JUDGED_TOGETHER, n_rows)
        for i in range(start, stop):
            own = scores[i]
            highest = find_highest(scores[i])
            first = (i - start) * n_scores
            for s in range(n_scores):
                below[first + s] = own[s] - highest
            of_truth = own[group_of[i]] - highest
            loss -= weights[i] * of_truth
            is_first = of_truth == 0.0
            for s in range(group_of[i] if is_first else 0):
                is_first &= own[s] < highest
            wrong += 0.0 if is_first else weights[i]
        size = (stop - start) * n_scores
        exponentiate(below[:size], odds[:size], scratch[:size])
        for i in range(start, stop):
            first = (i - start) * n_scores
            loss += weights[i] * np.log(add_numbers(odds[first : first + n_scores]))
    return wrong, loss


@kernel
def score_squared_error(evidence, log_prior, column_weights, values, target, row_weights, gradient):
    """Weighted squared error of posterior means, and its gradient in the weights of the columns.

    The posterior of row i is proportional to ``exp(log_prior[i] + sum_j column_weights[j] evidence[i, j])``; the
    derivative of its mean by a weight is the posterior covariance of ``values`` and that column's evidence.
    """
    n_rows, n_columns, n_points = evidence.shape
    scores = np.empty(n_points)
    mass = np.empty(n_points)
    scratch = np.empty(n_points)
    products = np.zeros((n_columns, n_points))
    loss = 0.0
    for i in range(n_rows):
        for g in range(n_points):
            scores[g] = log_prior[i, g]
        for j in range(n_columns):
            weight = column_weights[j]
            for g in range(n_points):
                scores[g] += weight * evidence[i, j, g]
        top = scores[0]
        for g in range(1, n_points):
            top = scores[g] if scores[g] > top else top
        for g in range(n_points):
            scores[g] -= top
        exponentiate(scores, mass, scratch)
        total = 0.0
        for g in range(n_points):
            total += mass[g]
        mean = dot(mass, values) / total
        error = mean - target[i]
        loss += row_weights[i] * error * error
        slope = 2.0 * row_weights[i] * error / total
        for g in range(n_points):
            mass[g] *= slope * (values[g] - mean)
        for j in range(n_columns):
            add_products(mass, evidence[i, j], products[j])
    for j in range(n_columns):
        gradient[j] = products[j].sum()
    return loss
