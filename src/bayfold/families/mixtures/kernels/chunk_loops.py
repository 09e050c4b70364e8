"""Loops over the rows of a chunk, each a function of plain vectors: only so are they vectorised."""

from __future__ import annotations

from bayfold.core.kernels.compiler import kernel


@kernel
def raise_to(x, top):
    for i in range(x.shape[0]):
        top[i] = x[i] if x[i] > top[i] else top[i]


@kernel
def subtract(x, y, difference):
    for i in range(x.shape[0]):
        difference[i] = x[i] - y[i]


@kernel
def add(x, total):
    for i in range(x.shape[0]):
        total[i] += x[i]


@kernel
def divide(x, y, ratio):
    for i in range(x.shape[0]):
        ratio[i] = x[i] / y[i]


@kernel
def multiply_chunk(x, factor):
    for i in range(x.shape[0]):
        x[i] *= factor[i]


@kernel
def mark_known(x, known):
    for i in range(x.shape[0]):
        known[i] = 1.0 if x[i] == x[i] else 0.0


@kernel
def fill_missing(x, filled):
    for i in range(x.shape[0]):
        filled[i] = x[i] if x[i] == x[i] else 0.0


@kernel
def square_known(x, squares):
    for i in range(x.shape[0]):
        squares[i] = x[i] * x[i] if x[i] == x[i] else 0.0
