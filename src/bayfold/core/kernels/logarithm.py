"""The logarithm of many numbers at once. The C library's takes one at a time, and weighing words does little else."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.exponential import LN2_HIGH, LN2_LOW
from bayfold.core.kernels.fused import multiply_add

ROOT_HALF = np.uint64(0x3FE6A09E667F3BCD)  # the bits of sqrt(1/2)
BIAS = np.uint64(1023 << 52)  # of the exponent of a double, in place
EXPONENT = np.uint64(52)  # bits to the right of it
WHOLE = np.uint64(
    0x433 << 52
)  # 2^52: with a small whole number in its low bits it is that much more
WHOLE_AND_BIAS = 4503599627370496.0 + 1023.0


@kernel
def take_logarithms(x, result, scratch):
    """Write ``log(x)`` of positive numbers to ``result``, to the last digit or two; of zero some number below -700.

    ``x = 2^n m`` with m between the roots of a half and of two, and ``log m = 2 artanh((m - 1) / (m + 1))``, of whose
    series eleven summands reach the last digit.
    """
    bits, ones, whole = x.view(np.uint64), result.view(np.uint64), scratch.view(np.uint64)
    for i in range(x.shape[0]):  # apart from the loop below, whose floats these integers alias
        exponent = (bits[i] - ROOT_HALF + BIAS) >> EXPONENT
        whole[i] = exponent | WHOLE
        ones[i] = bits[i] - (exponent << EXPONENT) + BIAS
    for i in range(x.shape[0]):
        n = scratch[i] - WHOLE_AND_BIAS
        f = (result[i] - 1.0) / (result[i] + 1.0)
        s = f * f
        p = multiply_add(s, 1 / 21.0, 1 / 19.0)
        p = multiply_add(p, s, 1 / 17.0)
        p = multiply_add(p, s, 1 / 15.0)
        p = multiply_add(p, s, 1 / 13.0)
        p = multiply_add(p, s, 1 / 11.0)
        p = multiply_add(p, s, 1 / 9.0)
        p = multiply_add(p, s, 1 / 7.0)
        p = multiply_add(p, s, 1 / 5.0)
        p = multiply_add(p, s, 1 / 3.0)
        twice = f + f
        result[i] = n * LN2_HIGH + (twice + multiply_add(twice * s, p, n * LN2_LOW))
