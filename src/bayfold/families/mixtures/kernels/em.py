"""EM for mixtures of naive Bayes components, chunk by chunk: each row is read once per iteration.

E-step and M-step of a chunk follow each other while it is in the first-level cache. In the E-step loops run over the
rows of a column because those vectorise. The moments of the M-step are sums over rows, which without fast-math may
not be reordered; they are products of small matrices, so the linear algebra library takes them.
"""

from __future__ import annotations

import math

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.elementary import exponentiate, multiply_add
from bayfold.families.mixtures.kernels.chunks import (
    CHUNK,
    add,
    divide,
    fill_missing,
    mark_known,
    multiply_chunk,
    raise_to,
    square_known,
    subtract,
)

HALF_LOG_2PI = 0.9189385332046727
"""Of the normal density's constant."""

ROUNDING = 8.881784197001252e-16  # a variance below this share of the mean square is rounding
SQRT_HALF = 0.7071067811865476


@kernel
def run_em(chunks, anchor, sums, terms, tolerance, trace):
    """Repeat M-step and E-step from ``sums``; return how many times.

    ``trace[k]`` is the log-likelihood after k + 1 M-steps. Stops at the end of ``trace``, or when what EM maximizes
    (with smoothing that is the log-likelihood plus the log prior of the tables) rises by no more than ``tolerance``.
    ``sums`` and ``terms`` are overwritten; sums are one E-step ahead.
    """
    n_iterations = 0
    before = -np.inf
    for k in range(trace.shape[0]):
        estimate_terms(anchor, sums, terms)
        trace[k] = expect_and_sum(chunks, terms, sums)
        reached = trace[k] + find_log_prior(anchor, terms)
        n_iterations = k + 1
        if reached - before <= tolerance:
            break
        before = reached
    return n_iterations


@inner
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
        first = anchor.starts[t]
        end = anchor.starts[t + 1]
        estimate_table(anchor, sums.counts, first, end, terms.tables)


@inner
def estimate_gaussians(overall, moments, gaussians):
    """Mean, inverse standard deviation and constant of one column in every group."""
    mean_of_all, variance_of_all, floor = overall
    for g in range(moments.shape[1]):
        weight = moments[0, g]
        mean = mean_of_all
        variance = variance_of_all
        if weight > 0:
            mean = moments[1, g] / weight
            square = moments[2, g] / weight
            variance = square - mean * mean
            variance = max(variance if variance > ROUNDING * square else 0.0, floor)
        if variance_of_all > 0:
            gaussians[0, g] = mean
            gaussians[1, g] = SQRT_HALF / math.sqrt(variance)
            gaussians[2, g] = -HALF_LOG_2PI - 0.5 * math.log(variance)
        else:  # one value only: it tells nothing
            gaussians[:, g] = 0.0


@inner
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


@inner
def expect_and_sum(chunks, terms, sums):
    """The E-step and the sums of the next M-step; return the log-likelihood."""
    n_groups = terms.log_prior.shape[0]
    joint = np.empty((n_groups, CHUNK))
    by_row = np.zeros((CHUNK, n_groups))
    top, total = np.empty(CHUNK), np.empty(CHUNK)
    scratch = np.empty((2, CHUNK))
    cells = np.empty((chunks.values.shape[1], CHUNK))
    sums.totals[:] = 0.0
    sums.moments[:] = 0.0
    sums.counts[:] = 0.0
    log_likelihood = 0.0
    for c in range(chunks.weights.shape[0]):
        score_chunk(chunks, c, terms, joint, by_row)
        log_likelihood += find_membership(joint, chunks.weights[c], top, total, scratch)
        sum_chunk(chunks, c, joint, by_row, cells, sums)
    count_complete(chunks, sums)
    return log_likelihood


@kernel
def find_posteriors(chunks, terms, posteriors, log_densities):
    """Write the posterior of every group and log p(x) of each row; padded rows included."""
    n_groups = terms.log_prior.shape[0]
    joint = np.empty((n_groups, CHUNK))
    by_row = np.zeros((CHUNK, n_groups))
    top, total = np.empty(CHUNK), np.empty(CHUNK)
    scratch = np.empty((2, CHUNK))
    ones = np.ones(CHUNK)
    for c in range(chunks.weights.shape[0]):
        score_chunk(chunks, c, terms, joint, by_row)
        find_membership(joint, ones, top, total, scratch)
        for i in range(CHUNK):
            log_densities[c * CHUNK + i] = top[i] + math.log(total[i])
            for g in range(n_groups):
                posteriors[c * CHUNK + i, g] = joint[g, i]


@inner
def score_chunk(chunks, c, terms, joint, by_row):
    """Log joint of the rows of a chunk: ``joint[group, row]``."""
    n_groups = joint.shape[0]
    for g in range(n_groups):
        joint[g, :] = terms.log_prior[g]
    n_gaussians = chunks.values.shape[1]
    k = 0
    while k < n_gaussians:
        if k + 4 <= n_gaussians and not chunks.incomplete[k : k + 4].any():
            x = chunks.values[c, k : k + 4]
            of_four = terms.gaussians[k : k + 4]
            for g in range(n_groups):
                add_four_gaussians(x, of_four, g, joint[g])
            k += 4
        else:
            x_one = chunks.values[c, k]
            of_one = terms.gaussians[k]
            for g in range(n_groups):
                add_where_known(x_one, of_one[0, g], of_one[1, g], of_one[2, g], joint[g])
            k += 1
    if chunks.codes.shape[1]:
        by_row[:] = 0.0
        n_by_fours = chunks.codes.shape[1] // 4 * 4
        for t in range(0, n_by_fours, 4):
            add_four_tables(chunks.codes[c, t : t + 4], terms.tables, by_row)
        for t in range(n_by_fours, chunks.codes.shape[1]):
            add_table(chunks.codes[c, t], terms.tables, by_row)
        for g in range(n_groups):
            for i in range(CHUNK):
                joint[g, i] += by_row[i, g]


@inner
def add_four_tables(codes, tables, by_row):
    n_rows, n_groups = by_row.shape
    for i in range(n_rows):
        first, second = np.uint32(codes[0, i]), np.uint32(codes[1, i])
        third, fourth = np.uint32(codes[2, i]), np.uint32(codes[3, i])
        for g in range(n_groups):
            low = tables[first, g] + tables[second, g]
            by_row[i, g] += low + (tables[third, g] + tables[fourth, g])


@inner
def add_table(codes, tables, by_row):
    n_groups = by_row.shape[1]
    for i in range(codes.shape[0]):
        row = np.uint32(codes[i])
        for g in range(n_groups):
            by_row[i, g] += tables[row, g]


@inner
def find_membership(joint, weights, top, total, scratch):
    """Turn log joints into posteriors times weight; return the weighted log-likelihood.

    ``top`` and ``total`` are left holding the largest log joint of each row and the sum of exponentials above it.
    """
    n_groups = joint.shape[0]
    top[:] = joint[0]
    for g in range(1, n_groups):
        raise_to(joint[g], top)
    total[:] = 0.0
    for g in range(n_groups):
        subtract(joint[g], top, scratch[0])
        exponentiate(scratch[0], joint[g], scratch[1])
        add(joint[g], total)
    log_likelihood = sum_log_densities(weights, top, total)
    divide(weights, total, scratch[0])
    for g in range(n_groups):
        multiply_chunk(joint[g], scratch[0])
    return log_likelihood


@inner
def sum_log_densities(weights, top, total):
    """Sum of weight times (top + log total). Eight rows of one weight share a logarithm: that of their product.

    A row of weight zero may be impossible, and zero times infinity would be NaN: it is left out.
    """
    log_likelihood = 0.0
    for first in range(0, weights.shape[0], 8):
        weight = 0.0
        for i in range(first, first + 8):
            weight = max(weight, weights[i])
        tops = 0.0
        product = 1.0
        alike = True
        for i in range(first, first + 8):
            if weights[i] > 0:
                tops += weights[i] * top[i]
                product *= total[i]
                alike = alike and weights[i] == weight
        log_likelihood += tops
        if alike:
            log_likelihood += weight * math.log(product)
        else:
            for i in range(first, first + 8):
                if weights[i] > 0:
                    log_likelihood += weights[i] * math.log(total[i])
    return log_likelihood


@inner
def add_four_gaussians(x, of_column, g, scores):
    """Four columns without missing cells at once: the scores are read and written a quarter as often."""
    mean_0 = of_column[0, 0, g]
    mean_1 = of_column[1, 0, g]
    mean_2 = of_column[2, 0, g]
    mean_3 = of_column[3, 0, g]
    inverse_0 = of_column[0, 1, g]
    inverse_1 = of_column[1, 1, g]
    inverse_2 = of_column[2, 1, g]
    inverse_3 = of_column[3, 1, g]
    constant = (of_column[0, 2, g] + of_column[1, 2, g]) + (of_column[2, 2, g] + of_column[3, 2, g])
    for i in range(scores.shape[0]):
        z_0 = (x[0, i] - mean_0) * inverse_0
        z_1 = (x[1, i] - mean_1) * inverse_1
        z_2 = (x[2, i] - mean_2) * inverse_2
        z_3 = (x[3, i] - mean_3) * inverse_3
        low = multiply_add(z_0, z_0, z_1 * z_1)
        scores[i] += constant - (low + multiply_add(z_2, z_2, z_3 * z_3))


@inner
def add_where_known(x, mean, inverse, constant, scores):
    for i in range(x.shape[0]):
        z = (x[i] - mean) * inverse
        term = constant - z * z
        scores[i] += term if term == term else 0.0  # a missing cell says nothing


@inner
def sum_chunk(chunks, c, membership, by_row, cells, sums):
    """Add the rows of a chunk to the sums, each to every group by its membership. ``cells`` is scratch."""
    n_groups = membership.shape[0]
    for g in range(n_groups):
        sums.totals[g] += sum_of_chunk(membership[g])
    if chunks.values.shape[1]:
        sum_powers(chunks.values[c], chunks.incomplete, membership, cells, sums.moments)
    if chunks.codes.shape[1]:
        for g in range(n_groups):
            for i in range(CHUNK):
                by_row[i, g] = membership[g, i]
        n_by_fours = chunks.codes.shape[1] // 4 * 4
        for t in range(0, n_by_fours, 4):
            count_in_four(chunks.codes[c, t : t + 4], by_row, sums.counts)
        for t in range(n_by_fours, chunks.codes.shape[1]):
            count_members(chunks.codes[c, t], by_row, sums.counts)


@inner
def sum_powers(x, incomplete, membership, cells, moments):
    """Add the sums of w, w x and w x^2 over the known cells of a chunk. ``cells`` is scratch.

    Sums of w alone are only taken if cells are missing; else they are the totals in every column.
    """
    one_by_one = x.reshape(x.size)
    scratch = cells.reshape(x.size)
    by_row = membership.T
    product = np.empty((x.shape[0], membership.shape[0]))
    if incomplete.any():
        mark_known(one_by_one, scratch)
        np.dot(cells, by_row, product)
        add_product(product, moments, 0)
        fill_missing(one_by_one, scratch)
        np.dot(cells, by_row, product)
    else:
        np.dot(x, by_row, product)
    add_product(product, moments, 1)
    square_known(one_by_one, scratch)
    np.dot(cells, by_row, product)
    add_product(product, moments, 2)


@inner
def add_product(product, moments, power):
    for k in range(product.shape[0]):
        for g in range(product.shape[1]):
            moments[k, power, g] += product[k, g]


@inner
def count_complete(chunks, sums):
    """Without missing cells all columns have the weight of the rows."""
    if not chunks.incomplete.any():
        sums.moments[:, 0] = sums.totals


@inner
def sum_of_chunk(x):
    """The sum of a chunk, by eights: one after another they would wait for each other."""
    total = 0.0
    for i in range(0, CHUNK, 8):
        low = (x[i] + x[i + 1]) + (x[i + 2] + x[i + 3])
        total += low + ((x[i + 4] + x[i + 5]) + (x[i + 6] + x[i + 7]))
    return total


@inner
def count_members(codes, by_row, counts):
    n_groups = by_row.shape[1]
    for i in range(codes.shape[0]):
        row = np.uint32(codes[i])
        for g in range(n_groups):
            counts[row, g] += by_row[i, g]


@inner
def count_in_four(codes, by_row, counts):
    n_rows, n_groups = by_row.shape
    for i in range(n_rows):
        first, second = np.uint32(codes[0, i]), np.uint32(codes[1, i])
        third, fourth = np.uint32(codes[2, i]), np.uint32(codes[3, i])
        for g in range(n_groups):
            share = by_row[i, g]
            counts[first, g] += share
            counts[second, g] += share
            counts[third, g] += share
            counts[fourth, g] += share
