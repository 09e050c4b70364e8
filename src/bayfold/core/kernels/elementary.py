"""Exponential, logarithm and fused multiply-add, written so that LLVM turns their loops into vector instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # a part of numba
from numba import config, types
from numba.extending import intrinsic

from bayfold.core.kernels.compiler import inner


def _declare(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(types.float64)
        shape = ir.FunctionType(kind, [kind, kind, kind])
        fused = builder.module.declare_intrinsic("llvm.fmuladd", [kind], shape)
        return builder.call(fused, arguments)

    return types.float64(types.float64, types.float64, types.float64), build


def multiply_add_plainly(a: float, b: float, c: float) -> float:
    """``a * b + c``."""
    return a * b + c


compiled = not config.DISABLE_JIT  # type: ignore[attr-defined]
multiply_add: Any = intrinsic(_declare) if compiled else multiply_add_plainly
"""``a * b + c``, rounded once where the processor can, else twice."""


LOG2_E = 1.4426950408889634  # e^x is 2^(x LOG2_E)
LN2_HIGH = 0.693147180369123816490  # the leading 33 bits: times a small whole number it is exact
LN2_LOW = 1.90821492927058770002e-10
ROUNDER = 6755399441055744.0  # 1.5 * 2^52: the sum has the nearest whole number in its low bits
LOWEST = -700.0  # below, the result would be no normal number; e^-700 counts as zero here


@inner
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


ROOT_HALF = np.uint64(0x3FE6A09E667F3BCD)  # the bits of sqrt(1/2)
BIAS = np.uint64(1023 << 52)  # of the exponent of a double, in place
EXPONENT = np.uint64(52)  # bits to the right of it
WHOLE = np.uint64(
    0x433 << 52
)  # 2^52: with a small whole number in its low bits it is that much more
WHOLE_AND_BIAS = 4503599627370496.0 + 1023.0


@inner
def take_logarithms(x, result, scratch):
    """Write ``log(x)`` of positive numbers to ``result``, to the last digit or two; of zero some number below -700.

    ``x = 2^n m`` with m between the roots of a half and of two, and ``log m = 2 artanh((m - 1) / (m + 1))``, of whose
    series eleven summands reach the last digit.
    """
    bits = x.view(np.uint64)
    ones = result.view(np.uint64)
    whole = scratch.view(np.uint64)
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
