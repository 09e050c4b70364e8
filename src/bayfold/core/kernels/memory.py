"""Memory of kernels: arrays that start at a cache line, and reads that are asked for before they are needed."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]  # a part of numba
from numba import config, types
from numba.extending import intrinsic

from bayfold.core.kernels.compiler import c_function

PAGE = 4096
"""Memory that is not the C library's begins at a page; that of the C library hardly ever does."""

_MALLOC = "uintp(uintp, uintp)"
_CALLOC = _REALLOC = "uintp(uintp, uintp, uintp)"
_FREE = "void(uintp, uintp, uintp)"


def compile_handler(
    threshold: int, large: tuple[Any, Any, Any], own: int, small: tuple[Any, Any, Any, Any]
) -> tuple[Any, Any, Any, Any]:
    """Functions to allocate, to allocate zeros, to reallocate and to free, as C calls them.

    Parameters
    ----------
    threshold : int
        Bytes from which on an array is large.
    large : tuple of ctypes functions
        Allocate (zeros where the second argument is 1), reallocate and free large arrays.
    own : int
        What the functions for small arrays want as their first argument.
    small : tuple of ctypes functions
        Allocate, allocate zeros, reallocate and free small arrays.
    """
    large_malloc, large_realloc, large_free = large
    small_malloc, small_calloc, small_realloc, small_free = small

    @c_function(_MALLOC)
    def malloc(_: int, size: int) -> int:
        return large_malloc(size, 0) if size >= threshold else small_malloc(own, size)

    @c_function(_CALLOC)
    def calloc(_: int, n_items: int, item: int) -> int:
        if n_items * item >= threshold:
            return large_malloc(n_items * item, 1)
        return small_calloc(own, n_items, item)

    @c_function(_REALLOC)
    def realloc(_: int, old: int, size: int) -> int:
        if size >= threshold or (old != 0 and old % PAGE == 0):
            return large_realloc(old, size)
        return small_realloc(own, old, size)

    @c_function(_FREE)
    def free(_: int, old: int, size: int) -> None:
        # the size is what NumPy takes the array for, which need not be what was asked for
        if size >= threshold or (old != 0 and old % PAGE == 0):
            large_free(old, size)
        else:
            small_free(own, old, size)

    return malloc, calloc, realloc, free


CACHE_LINE = 8
"""Numbers in a line of 64 bytes, which is what one request brings."""

READ = 0
KEEP = 3
DATA = 1
"""The arguments of LLVM's prefetch: to read, to keep close, and that it is no code."""


def _declare(typing_context: Any, array: Any, index: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]])
        flag = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [place.type, flag, flag, flag])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [place.type], shape)
        builder.call(ask, [place, flag(READ), flag(KEEP), flag(DATA)])
        return context.get_dummy_value()

    return types.void(array, types.int64), build


def ask_for_nothing(array: Any, index: int) -> None:
    """Without a compiler there is nothing to gain."""


compiled = not config.DISABLE_JIT  # type: ignore[attr-defined]
prefetch: Any = intrinsic(_declare) if compiled else ask_for_nothing
"""Bring ``array[index]`` closer. An index beyond the end is harmless: the processor ignores what it cannot read."""
