"""Exponentials and logarithms of many numbers, and fused sums, against their twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.kernels import elementary
from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.elementary import multiply_add
from tests import reference
from tests.plain import callable_kernel

exponentiate = callable_kernel(elementary.exponentiate)
take_logarithms = callable_kernel(elementary.take_logarithms)


@kernel
def fuse(a, b, c):
    return multiply_add(a, b, c)


@given(*[st.floats(allow_nan=True, allow_infinity=True, width=32)] * 3)
def test_a_fused_sum_matches_the_twin_to_one_rounding(a, b, c):
    # products of 32-bit numbers are exact in 64: both ways round once
    np.testing.assert_equal(fuse(a, b, c), reference.multiply_add(a, b, c))


@given(st.lists(st.floats(-1e4, 0.0), min_size=1, max_size=30))
def test_exponentials_match_the_twin_to_the_last_digits(numbers):
    x = np.array(numbers)
    result = np.empty_like(x)
    exponentiate(x, result, np.empty_like(x))
    np.testing.assert_allclose(result, reference.exponentiate(x), rtol=5e-16)


def test_exponentials_of_what_is_no_number_are_exact_bounds():
    x = np.array([0.0, -0.0, -np.inf, np.nan, -700.0, -1e308, -5e-324])
    result = np.empty_like(x)
    exponentiate(x, result, np.empty_like(x))
    least = np.exp(-700.0)
    np.testing.assert_allclose(result, [1, 1, least, least, least, least, 1], rtol=5e-16)


@given(st.lists(st.floats(1e-307, 1e308), min_size=1, max_size=30))
def test_logarithms_match_the_twin_to_the_last_digits(numbers):
    x = np.array(numbers)
    result = np.empty_like(x)
    take_logarithms(x, result, np.empty_like(x))
    np.testing.assert_allclose(result, reference.take_logarithms(x), rtol=1e-15)


@given(st.lists(st.floats(-1e-2, 1e-2), min_size=1, max_size=30))
def test_logarithms_next_to_zero_have_their_digits_too(numbers):
    x = 1.0 + np.array(numbers)
    result = np.empty_like(x)
    take_logarithms(x, result, np.empty_like(x))
    np.testing.assert_allclose(result, reference.take_logarithms(x), rtol=1e-15)


def test_the_logarithm_of_zero_is_finite_and_that_of_one_zero():
    x = np.array([0.0, 1.0])
    result = np.empty_like(x)
    take_logarithms(x, result, np.empty_like(x))
    assert -1e3 < result[0] < -700
    assert result[1] == 0
