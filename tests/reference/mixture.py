"""EM one row, one group and one cell at a time."""

from __future__ import annotations

import math

import numpy as np


def rows_of(chunks):
    """Weight, numbers and codes of each row, in order."""
    for c in range(chunks.weights.shape[0]):
        for i in range(chunks.weights.shape[1]):
            yield chunks.weights[c, i], chunks.values[c, :, i], chunks.codes[c, :, i]


def find_posteriors(chunks, terms):
    """Posterior of each group and log p(x), row by row."""
    posteriors, log_densities = [], []
    for _, numbers, codes in rows_of(chunks):
        joint = []
        for g in range(len(terms.log_prior)):
            score = terms.log_prior[g]
            for k, x in enumerate(numbers):
                mean, inverse, constant = terms.gaussians[k, :, g]
                score += 0.0 if math.isnan(x) else constant - ((x - mean) * inverse) ** 2
            joint.append(score + sum(terms.tables[code, g] for code in codes))
        top = max(joint)
        total = math.fsum(math.exp(score - top) for score in joint)
        posteriors.append([math.exp(score - top) / total for score in joint])
        log_densities.append(top + math.log(total))
    return np.array(posteriors), np.array(log_densities)


def sum_memberships(chunks, memberships, sums):
    """Add every row to every group by its membership times its weight; ``sums`` comes in empty."""
    for row, (weight, numbers, codes) in enumerate(rows_of(chunks)):
        for g in range(len(memberships)):
            share = weight * memberships[g, row]
            sums.totals[g] += share
            for k, x in enumerate(numbers):
                if not math.isnan(x):
                    sums.moments[k, :, g] += share * np.array([1.0, x, x * x])
            for code in codes:
                sums.counts[code, g] += share


def expect_and_sum(chunks, terms, sums):
    """The E-step and the sums of the next M-step; returns the log-likelihood."""
    posteriors, log_densities = find_posteriors(chunks, terms)
    for part in sums:
        part[...] = 0.0
    sum_memberships(chunks, posteriors.T, sums)
    weights = chunks.weights.ravel()
    return math.fsum(w * d for w, d in zip(weights, log_densities, strict=True) if w > 0)


def estimate_terms(anchor, sums, terms):
    """The M-step, one group and one column at a time; ``terms`` are overwritten."""
    for g, weight in enumerate(sums.totals):
        terms.log_prior[g] = math.log(weight / sums.totals.sum()) if weight > 0 else -math.inf
        for k, overall in enumerate(anchor.gaussians):
            terms.gaussians[k, :, g] = _estimate_gaussian(overall, *sums.moments[k, :, g])
        for first, end in zip(anchor.starts[:-1], anchor.starts[1:], strict=True):
            occurring = [v for v in range(first, end) if anchor.share[v] > 0]
            counted = math.fsum(sums.counts[v, g] for v in occurring)
            added = math.fsum(anchor.pseudo[first:end])
            terms.tables[first:end, g] = 0.0
            for v in occurring:
                share = (sums.counts[v, g] + anchor.pseudo[v]) / (counted + added or 1.0)
                share = share if counted > 0 else anchor.share[v]
                terms.tables[v, g] = math.log(share) if share > 0 else -math.inf


def _estimate_gaussian(overall, weight, total, squares):
    mean, variance, floor = overall
    if variance <= 0:
        return 0.0, 0.0, 0.0
    if weight > 0:
        mean = total / weight
        variance = max(squares / weight - mean**2, floor)
    return mean, 1 / math.sqrt(2 * variance), -0.5 * math.log(2 * math.pi * variance)


def run_em(chunks, anchor, sums, terms, tolerance, trace):
    """M-steps and E-steps in turn until what is maximised rises by no more than the tolerance."""
    before = -math.inf
    for k in range(len(trace)):
        estimate_terms(anchor, sums, terms)
        trace[k] = expect_and_sum(chunks, terms, sums)
        prior = sum(a * row.sum() for a, row in zip(anchor.pseudo, terms.tables, strict=True) if a)
        if trace[k] + prior - before <= tolerance:
            return k + 1
        before = trace[k] + prior
    return len(trace)


def draw_seeds(chunks, anchor, heights):
    """The nearest of several seeds, drawn one after another by weight times distance."""
    rows = list(rows_of(chunks))
    weights = [weight for weight, _, _ in rows]
    distances, nearest = [math.inf] * len(rows), [0] * len(rows)
    for group, height in enumerate(heights):
        odds = [w * d if group else w for w, d in zip(weights, distances, strict=True)]
        odds = odds if sum(odds) > 0 else weights
        ladder = np.cumsum(odds)
        seed = int(np.argmax(ladder > height * ladder[-1]))
        for row in range(len(rows)):
            distance = _distance(rows[row], rows[seed], anchor)
            if distance < distances[row]:
                distances[row], nearest[row] = distance, group
    return np.array(nearest)


def _distance(a, b, anchor):
    total = 0.0
    for k, (x, y) in enumerate(zip(a[1], b[1], strict=True)):
        variance = anchor.gaussians[k, 1]
        if variance > 0:
            total += 1.0 if math.isnan(x - y) else (x - y) ** 2 / (2 * variance)
    for t, (x, y) in enumerate(zip(a[2], b[2], strict=True)):
        total += float(x != y or y == anchor.starts[t])
    return total
