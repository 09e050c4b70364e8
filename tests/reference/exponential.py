"""Exponentials, logarithms and fused sums, one number at a time."""

from __future__ import annotations

import math

import numpy as np


def exponentiate(x):
    """Exponentials of numbers that are not positive; below -700 that of -700."""
    return np.array(
        [math.exp(max(v, -700.0)) if not math.isnan(v) else math.exp(-700.0) for v in x]
    )


def take_logarithms(x):
    """Logarithms of positive numbers."""
    return np.array([math.log(v) for v in x])


def multiply_add(a, b, c):
    """``a * b + c``."""
    return float(np.float64(a) * np.float64(b) + np.float64(c))
