"""EM for mixtures of naive Bayes components, chunk by chunk: each row is read once per iteration.

E-step and M-step of a chunk follow each other while it is in the first-level cache. Loops run over the rows of a
column because those vectorise; sums over rows are taken in strips (see chunks.py), since without fast-math a plain
sum may not be reordered.
"""

from __future__ import annotations

import math

import numpy as np

from bayfold.kernels.chunks import CHUNK, LANES, STRIPS
from bayfold.kernels.compiler import kernel
from bayfold.kernels.exponential import exponentiate

HALF_LOG_2PI = 0.9189385332046727
ROUNDING = 8.881784197001252e-16  # a variance below this share of the mean square is rounding
SQRT_HALF = 0.7071067811865476


@kernel
def run_em(chunks, anchor, sums, terms, tolerance, trace):
    """Repeat M-step and E-step from ``sums``; return how many times.

    ``trace[k]`` is the log-likelihood after k + 1 M-steps. Stops at the end of ``trace``, or when what EM maximizes
    (with smoothing that is the log-likelihood plus the log prior of the tables) rises by no more than ``tolerance``.
    ``sums`` and ``terms`` are overwritten; sums are one E-step ahead.
    """
    n_iterations, before = 0, -np.inf
    for k in range(trace.shape[0]):
        estimate_terms(anchor, sums, terms)
        trace[k] = expect_and_sum(chunks, terms, sums)
        reached = trace[k] + find_log_prior(anchor, terms)
        n_iterations = k + 1
        if reached - before <= tolerance:
            break
        before = reached
    return n_iterations


@kernel
def find_log_prior(anchor, terms):
    """What pseudo-counts say of the tables: the logarithm of their Dirichlet prior, but for a constant."""
    total = 0.0
    for v in range(anchor.pseudo.shape[0]):
        if anchor.pseudo[v] > 0:
            for g in range(terms.tables.shape[1]):
                total += anchor.pseudo[v] * terms.tables[v, g]
    return total


@kernel
def estimate_terms(anchor, sums, terms):
    """The M-step: parameters from statistics."""
    n_groups = sums.totals.shape[0]
    total = sums.totals.sum()
    for g in range(n_groups):
        terms.log_prior[g] = math.log(sums.totals[g] / total) if sums.totals[g] > 0 else -np.inf
    for k in range(sums.moments.shape[0]):
        estimate_gaussians(anchor.gaussians[k], sums.moments[k], terms.gaussians[k])
    for t in range(anchor.starts.shape[0] - 1):
        first, end = anchor.starts[t], anchor.starts[t + 1]
        estimate_table(anchor, sums.counts, first, end, terms.tables)


@kernel
def estimate_gaussians(overall, moments, gaussians):
    """Mean, inverse standard deviation and constant of one column in every group."""
    mean_of_all, variance_of_all, floor = overall
    for g in range(moments.shape[1]):
        weight = moments[0, g]
        mean, variance = mean_of_all, variance_of_all
        if weight > 0:
            mean, square = moments[1, g] / weight, moments[2, g] / weight
            variance = square - mean * mean
            variance = max(variance if variance > ROUNDING * square else 0.0, floor)
        if variance_of_all > 0:
            gaussians[0, g] = mean
            gaussians[1, g] = SQRT_HALF / math.sqrt(variance)
            gaussians[2, g] = -HALF_LOG_2PI - 0.5 * math.log(variance)
        else:  # one value only: it tells nothing
            gaussians[:, g] = 0.0


@kernel
def estimate_table(anchor, counts, first, end, tables):
    """Log-probability of the codes ``first`` to ``end`` of one column in every group."""
    added = anchor.pseudo[first:end].sum()
    for g in range(counts.shape[1]):
        weight = 0.0
        for v in range(first, end):
            if anchor.share[v] > 0:
                weight += counts[v, g]
        for v in range(first, end):
            if anchor.share[v] <= 0:
                tables[v, g] = 0.0
            elif weight <= 0:
                tables[v, g] = math.log(anchor.share[v])
            else:
                smoothed = counts[v, g] + anchor.pseudo[v]
                tables[v, g] = math.log(smoothed) - math.log(weight + added)


@kernel
def expect_and_sum(chunks, terms, sums):
    """The E-step and the sums of the next M-step; return the log-likelihood."""
    n_groups = terms.log_prior.shape[0]
    joint = np.empty((n_groups, CHUNK))
    by_row = np.zeros((CHUNK, n_groups))
    top, total, scratch = np.empty(CHUNK), np.empty(CHUNK), np.empty((2, CHUNK))
    lanes = np.empty((2, LANES))
    sums.totals[:] = 0.0
    sums.moments[:] = 0.0
    sums.counts[:] = 0.0
    log_likelihood = 0.0
    for c in range(chunks.weights.shape[0]):
        score_chunk(chunks, c, terms, joint, by_row)
        log_likelihood += find_membership(joint, chunks.weights[c], top, total, scratch)
        sum_chunk(chunks, c, joint, by_row, lanes, scratch[0], sums)
    return log_likelihood


@kernel
def find_posteriors(chunks, terms, posteriors, log_densities):
    """Write the posterior of every group and log p(x) of each row; padded rows included."""
    n_groups = terms.log_prior.shape[0]
    joint = np.empty((n_groups, CHUNK))
    by_row = np.zeros((CHUNK, n_groups))
    top, total, scratch = np.empty(CHUNK), np.empty(CHUNK), np.empty((2, CHUNK))
    ones = np.ones(CHUNK)
    for c in range(chunks.weights.shape[0]):
        score_chunk(chunks, c, terms, joint, by_row)
        find_membership(joint, ones, top, total, scratch)
        for i in range(CHUNK):
            log_densities[c * CHUNK + i] = top[i] + math.log(total[i])
            for g in range(n_groups):
                posteriors[c * CHUNK + i, g] = joint[g, i]


@kernel
def score_chunk(chunks, c, terms, joint, by_row):
    """Log joint of the rows of a chunk: ``joint[group, row]``."""
    n_groups = joint.shape[0]
    for g in range(n_groups):
        joint[g, :] = terms.log_prior[g]
    for k in range(chunks.values.shape[1]):
        x, of_group = chunks.values[c, k], terms.gaussians[k]
        for g in range(n_groups):
            mean, inverse, constant = of_group[0, g], of_group[1, g], of_group[2, g]
            if chunks.incomplete[k]:
                add_where_known(x, mean, inverse, constant, joint[g])
            else:
                add_gaussian(x, mean, inverse, constant, joint[g])
    if chunks.codes.shape[1]:
        by_row[:] = 0.0
        for t in range(chunks.codes.shape[1]):
            add_table(chunks.codes[c, t], terms.tables, by_row)
        for g in range(n_groups):
            for i in range(CHUNK):
                joint[g, i] += by_row[i, g]


@kernel
def add_table(codes, tables, by_row):
    n_groups = by_row.shape[1]
    for i in range(codes.shape[0]):
        row = np.uint32(codes[i])
        for g in range(n_groups):
            by_row[i, g] += tables[row, g]


@kernel
def find_membership(joint, weights, top, total, scratch):
    """Turn log joints into posteriors times weight; return the weighted log-likelihood.

    ``top`` and ``total`` are left holding the largest log joint of each row and the sum of exponentials above it.
    """
    n_groups, n_rows = joint.shape
    top[:] = joint[0]
    for g in range(1, n_groups):
        raise_to(joint[g], top)
    total[:] = 0.0
    for g in range(n_groups):
        subtract(joint[g], top, scratch[0])
        exponentiate(scratch[0], joint[g], scratch[1])
        add(joint[g], total)
    log_likelihood = 0.0
    for i in range(n_rows):
        if weights[i] > 0:  # a row left out may be impossible: zero times infinity would be NaN
            log_likelihood += weights[i] * (top[i] + math.log(total[i]))
    divide(weights, total, scratch[0])
    for g in range(n_groups):
        multiply(joint[g], scratch[0])
    return log_likelihood


# Loops over the rows of a chunk, each a function of plain vectors: only so are they vectorised.


@kernel
def add_gaussian(x, mean, inverse, constant, scores):
    for i in range(x.shape[0]):
        z = (x[i] - mean) * inverse
        scores[i] += constant - z * z


@kernel
def add_where_known(x, mean, inverse, constant, scores):
    for i in range(x.shape[0]):
        z = (x[i] - mean) * inverse
        term = constant - z * z
        scores[i] += term if term == term else 0.0  # a missing cell says nothing


@kernel
def raise_to(x, top):
    for i in range(x.shape[0]):
        top[i] = x[i] if x[i] > top[i] else top[i]


@kernel
def subtract(x, y, difference):
    for i in range(x.shape[0]):
        difference[i] = x[i] - y[i]


@kernel
def add(x, total):
    for i in range(x.shape[0]):
        total[i] += x[i]


@kernel
def divide(x, y, ratio):
    for i in range(x.shape[0]):
        ratio[i] = x[i] / y[i]


@kernel
def multiply(x, factor):
    for i in range(x.shape[0]):
        x[i] *= factor[i]


@kernel
def zero_for_missing(x, filled):
    for i in range(x.shape[0]):
        filled[i] = x[i] if x[i] == x[i] else 0.0


@kernel
def sum_strips(x, w, first, second):
    """Sums of w x and w x^2 in every lane.

    The strips are written out: a loop over them would keep the loop over lanes from being vectorised.
    """
    for i in range(LANES):
        x0, x1, x2, x3 = x[0, i], x[1, i], x[2, i], x[3, i]
        x4, x5, x6, x7 = x[4, i], x[5, i], x[6, i], x[7, i]
        p0, p1, p2, p3 = w[0, i] * x0, w[1, i] * x1, w[2, i] * x2, w[3, i] * x3
        p4, p5, p6, p7 = w[4, i] * x4, w[5, i] * x5, w[6, i] * x6, w[7, i] * x7
        first[i] = ((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7))
        low = (p0 * x0 + p1 * x1) + (p2 * x2 + p3 * x3)
        second[i] = low + ((p4 * x4 + p5 * x5) + (p6 * x6 + p7 * x7))


@kernel
def add_lanes(lanes):
    """The sum of all lanes, by fours: one after another they would wait for each other."""
    total = 0.0
    for i in range(0, LANES, 4):
        total += (lanes[i] + lanes[i + 1]) + (lanes[i + 2] + lanes[i + 3])
    return total


@kernel
def sum_known(x, w):
    """Sum of w over the known cells of a chunk."""
    total = 0.0
    for i in range(x.shape[0]):
        total += w[i] if x[i] == x[i] else 0.0
    return total


@kernel
def sum_chunk(chunks, c, membership, by_row, lanes, filled, sums):
    """Add the rows of a chunk to the sums, each to every group by its membership."""
    n_groups = membership.shape[0]
    strips = membership.reshape(n_groups, STRIPS, LANES)
    for k in range(chunks.values.shape[1]):
        incomplete = chunks.incomplete[k]
        column = chunks.values[c, k]
        if incomplete:
            zero_for_missing(column, filled)
        x = (filled if incomplete else column).reshape(STRIPS, LANES)
        for g in range(n_groups):
            sum_strips(x, strips[g], lanes[0], lanes[1])
            sums.moments[k, 1, g] += add_lanes(lanes[0])
            sums.moments[k, 2, g] += add_lanes(lanes[1])
            if incomplete:
                sums.moments[k, 0, g] += sum_known(column, membership[g])
    for g in range(n_groups):
        of_chunk = membership[g].sum()
        sums.totals[g] += of_chunk
        for k in range(chunks.values.shape[1]):
            sums.moments[k, 0, g] += 0.0 if chunks.incomplete[k] else of_chunk
    if chunks.codes.shape[1]:
        for g in range(n_groups):
            for i in range(CHUNK):
                by_row[i, g] = membership[g, i]
        for t in range(chunks.codes.shape[1]):
            count_members(chunks.codes[c, t], by_row, sums.counts)


@kernel
def count_members(codes, by_row, counts):
    n_groups = by_row.shape[1]
    for i in range(codes.shape[0]):
        row = np.uint32(codes[i])
        for g in range(n_groups):
            counts[row, g] += by_row[i, g]
