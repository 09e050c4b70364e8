"""Fernández et al. (2008), Equation 5 on complete rows: one model per piece of the target, and its posterior mean."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad


def predict_row(target, cuts, densities, shares, row):
    """The mean of the target given a row of numbers and words.

    ``densities`` has for every column of numbers one function for each piece, ``shares`` for every column of words the
    words of the training rows.
    """
    edges = [-math.inf, *cuts, math.inf]
    joint, means = [], []
    for k in range(len(edges) - 1):
        inside = (target >= edges[k]) & (target < edges[k + 1])
        p = (inside.sum() + 1) / (len(target) + len(edges) - 1)
        for j, value in enumerate(row):
            if isinstance(value, str):
                words = shares[j]
                same = sum(w == value for w, i in zip(words, inside, strict=True) if i)
                p *= (same + 1) / (inside.sum() + len(set(words)))
            else:
                p *= float(densities[j][k].pdf(value))
        joint.append(p)
        means.append(target[inside].mean())
    return float(np.dot(joint, means) / np.sum(joint))


def is_density(density):
    """Whether it integrates to one over its intervals."""
    pairs = zip(density.edges[:-1], density.edges[1:], strict=True)
    return math.isclose(math.fsum(quad(density.pdf, *pair)[0] for pair in pairs), 1, rel_tol=1e-6)
