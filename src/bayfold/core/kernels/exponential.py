"""The exponential of many numbers at once. The C library's takes one at a time, and EM does little else."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.fused import multiply_add

LOG2_E = 1.4426950408889634  # e^x is 2^(x LOG2_E)
LN2_HIGH = 0.693147180369123816490  # the leading 33 bits: times a small whole number it is exact
LN2_LOW = 1.90821492927058770002e-10
ROUNDER = 6755399441055744.0  # 1.5 * 2^52: the sum has the nearest whole number in its low bits
LOWEST = -700.0  # below, the result would be no normal number; e^-700 counts as zero here


@kernel
def exponentiate(x, result, scratch):
    """Write ``exp(x)`` of numbers that are not positive to ``result``, to the last digit or two.

    ``x = n log 2 + r`` with a whole n and ``|r| < 0.35``: a polynomial for ``e^r``, and n added to the exponent's bits.
    Below -700 the result is that of -700, and so it is for NaN.
    """
    whole = scratch.view(np.int64)
    bits = result.view(np.int64)
    for i in range(x.shape[0]):
        v = x[i] if x[i] > LOWEST else LOWEST
        rounded = v * LOG2_E + ROUNDER
        scratch[i] = rounded
        n = rounded - ROUNDER
        r = (v - n * LN2_HIGH) - n * LN2_LOW
        p = multiply_add(r, 1 / 6227020800.0, 1 / 479001600.0)
        p = multiply_add(p, r, 1 / 39916800.0)
        p = multiply_add(p, r, 1 / 3628800.0)
        p = multiply_add(p, r, 1 / 362880.0)
        p = multiply_add(p, r, 1 / 40320.0)
        p = multiply_add(p, r, 1 / 5040.0)
        p = multiply_add(p, r, 1 / 720.0)
        p = multiply_add(p, r, 1 / 120.0)
        p = multiply_add(p, r, 1 / 24.0)
        p = multiply_add(p, r, 1 / 6.0)
        p = multiply_add(p, r, 0.5)
        p = multiply_add(p, r, 1.0)
        result[i] = multiply_add(p, r, 1.0)
    for i in range(x.shape[0]):  # apart from the loop above, whose floats these integers alias
        bits[i] += whole[i] << 52
