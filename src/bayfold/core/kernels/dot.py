"""Sums of products, and the largest of some numbers.

NumPy's own would be called through a library, which takes longer than some dozen products.
"""

from __future__ import annotations

from bayfold.core.kernels.compiler import inner


@inner
def dot(a, b):
    """Sum of products in four parts, which do not wait for each other."""
    first = second = third = fourth = 0.0
    whole = len(a) - len(a) % 4
    for s in range(0, whole, 4):
        first += a[s] * b[s]
        second += a[s + 1] * b[s + 1]
        third += a[s + 2] * b[s + 2]
        fourth += a[s + 3] * b[s + 3]
    for s in range(whole, len(a)):
        first += a[s] * b[s]
    return (first + second) + (third + fourth)


@inner
def add_numbers(a):
    """The sum of some numbers, in four parts too."""
    first = second = third = fourth = 0.0
    whole = len(a) - len(a) % 4
    for s in range(0, whole, 4):
        first += a[s]
        second += a[s + 1]
        third += a[s + 2]
        fourth += a[s + 3]
    for s in range(whole, len(a)):
        first += a[s]
    return (first + second) + (third + fourth)


@inner
def add_products(a, b, sums):
    """Add each product to a sum of its own.

    The sum over all is left to those who have many pairs of arrays to add up: sums that do not wait for each other are
    made several at a time, in half the time of ``dot``.
    """
    for s in range(len(sums)):
        sums[s] += a[s] * b[s]


@inner
def find_highest(a):
    """The largest of some numbers, in four parts which do not wait for each other."""
    first = second = third = fourth = a[0]
    whole = len(a) - len(a) % 4
    for s in range(0, whole, 4):
        first = a[s] if a[s] > first else first
        second = a[s + 1] if a[s + 1] > second else second
        third = a[s + 2] if a[s + 2] > third else third
        fourth = a[s + 3] if a[s + 3] > fourth else fourth
    for s in range(whole, len(a)):
        first = a[s] if a[s] > first else first
    first = second if second > first else first
    third = fourth if fourth > third else third
    return third if third > first else first
