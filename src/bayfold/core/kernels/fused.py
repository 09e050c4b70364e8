"""Multiply and add in one instruction, where the processor has it.

Half of what EM does are sums of products. Without fast-math the compiler may not fuse them, because fusing rounds once
instead of twice; here that is asked for where it is harmless. NaN and infinity keep their meaning.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]  # a part of numba
from numba import config, types
from numba.extending import intrinsic


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
