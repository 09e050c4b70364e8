"""Scores as a sum over columns of one term each."""

from __future__ import annotations

import math

import numpy as np


def score_tables(codes, offsets, tables, start):
    """``start`` plus the entries of each row's codes."""
    scores = start.copy()
    n_scores = start.shape[1]
    for i in range(codes.shape[0]):
        for s in range(n_scores):
            cells = [int(o) + int(c) * n_scores + s for o, c in zip(offsets, codes[i], strict=True)]
            scores[i, s] += math.fsum(float(tables[cell]) for cell in cells)
    return scores


def score_quadratics(values, columns, mean, inverse_sd, constant, missing, centred, start):
    """``start`` plus a parabola per column and group, or the groups' differences."""
    scores = start.copy()
    for i in range(values.shape[0]):
        for k, column in enumerate(columns):
            x = float(values[i, column])
            if math.isnan(x):
                term = missing[k].copy()
            else:
                term = constant[k] - ((x - mean[k]) * inverse_sd[k]) ** 2 / 2
            scores[i] += contrast(term, start.shape[1], centred)
    return scores


def contrast(term, n_scores, centred):
    """The terms of two groups as a difference, or of all as they are or less their finite mean."""
    if n_scores < len(term):
        return np.array([term[1] - term[0]])
    finite = term[np.isfinite(term)]
    return term - (finite.mean() if len(finite) else 0.0) if centred else term


def score_interpolated(values, columns, low, scale, n_nodes, offsets, tables, missing, start):
    """``start`` plus a curve through equally spaced nodes per column and score, by numpy.interp."""
    scores = start.copy()
    n_scores = start.shape[1]
    for k, column in enumerate(columns):
        first, n = int(offsets[k]), int(n_nodes[k])
        nodes = tables[first : first + n * n_scores].reshape(n, n_scores)
        for i in range(values.shape[0]):
            x = float(values[i, column])
            for s in range(n_scores):
                if math.isnan(x):
                    scores[i, s] += missing[k, s]
                else:
                    t = (x - low[k]) * scale[k]
                    scores[i, s] += np.interp(t, np.arange(n), nodes[:, s])
    return scores


def score_curves(
    values, codes, columns, offsets, places, gaps, table_offsets, tables, missing, start
):
    """``start`` plus a curve through places at any distance, by numpy.interp, which needs no codes."""
    scores = start.copy()
    n_scores = start.shape[1]
    for k, column in enumerate(columns):
        at = places[offsets[k] : offsets[k + 1]]
        first = int(table_offsets[k])
        nodes = tables[first : first + len(at) * n_scores].reshape(len(at), n_scores)
        for i in range(values.shape[0]):
            x = float(values[i, column])
            for s in range(n_scores):
                scores[i, s] += missing[k, s] if math.isnan(x) else np.interp(x, at, nodes[:, s])
    return scores
