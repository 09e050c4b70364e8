"""Asking for memory before it is needed.

A pass that looks things up for every number waits for the numbers themselves when they come from main memory: the
processor's own prefetching stops while it is busy with the look-ups.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]  # a part of numba
from numba import config, types
from numba.extending import intrinsic

CACHE_LINE = 8
"""Numbers in a line of 64 bytes, which is what one request brings."""

READ, KEEP, DATA = 0, 3, 1
"""What LLVM's prefetch is told: to read, to keep close, and that it is no code."""


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
