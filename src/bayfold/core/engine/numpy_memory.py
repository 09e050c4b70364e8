"""Where NumPy gets the memory of its arrays from: its own interface for that (NEP 49), without a C compiler.

NumPy asks a *handler*, a C structure with four functions, which may be replaced in the context of a thread. Arrays
remember the handler that made them and are freed by it, so arrays of several handlers live side by side.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

SET_HANDLER = 304
GET_HANDLER = 305
"""Places of two functions in NumPy's table of C functions, which are part of its binary interface and never move."""

CAPSULE = b"mem_handler"

ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_size_t, ctypes.c_size_t)
REALLOCATE = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_size_t, ctypes.c_size_t)
FREE = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_size_t)

_WORD = ctypes.c_size_t
# NumPy's own functions must be called with the interpreter's lock, which PYFUNCTYPE does not let go of
_MALLOC = ctypes.PYFUNCTYPE(_WORD, _WORD, _WORD)
_CALLOC = _REALLOC = ctypes.PYFUNCTYPE(_WORD, _WORD, _WORD, _WORD)
_FREE = ctypes.PYFUNCTYPE(None, _WORD, _WORD, _WORD)


class _Handler(ctypes.Structure):
    """As NumPy declares it; addresses are whole numbers of their size."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_size_t),
        ("malloc", ctypes.c_size_t),
        ("calloc", ctypes.c_size_t),
        ("realloc", ctypes.c_size_t),
        ("free", ctypes.c_size_t),
    )


@dataclass(frozen=True)
class LargeMemory:
    """Who is asked for large arrays.

    Attributes
    ----------
    threshold : int
        Bytes from which on an array is large.
    allocate : callable
        From a number of bytes, and 1 if they must be zeros, to their address; 0 if there is no room.
    reallocate : callable
        From an address and a number of bytes to the address of so many, which begin as the old ones did.
    free : callable
        Of an address and a number of bytes.
    """

    threshold: int
    allocate: Callable[[int, int], int]
    reallocate: Callable[[int, int], int]
    free: Callable[[int, int], None]


class MemoryHandler:
    """A handler that leaves small arrays to NumPy's own.

    Its functions are called for as long as one of its arrays lives, so a handler is never taken apart.
    """

    def __init__(self, large: LargeMemory) -> None:
        from bayfold.core.kernels.memory import compile_handler  # numba takes half a second

        self._callbacks = ALLOCATE(large.allocate), REALLOCATE(large.reallocate), FREE(large.free)
        own = default_memory()
        functions = own.malloc, own.calloc, own.realloc, own.free
        self._compiled = compile_handler(large.threshold, self._callbacks, own.context, functions)
        addresses = [function.address for function in self._compiled]
        self._handler = _Handler(b"bayfold", 1, 0, *addresses)
        pointer = ctypes.addressof(self._handler)
        self._capsule = ctypes.pythonapi.PyCapsule_New(pointer, CAPSULE, None)
        _KEPT.append(self)

    @contextmanager
    def used(self) -> Iterator[None]:
        """Within it, this thread's arrays come from here, and those of threads that take over its context."""
        before = _numpy_functions()[0](self._capsule)
        try:
            yield
        finally:
            _numpy_functions()[0](before)


_KEPT: list[MemoryHandler] = []


@dataclass(frozen=True)
class DefaultMemory:
    """The functions of NumPy's own handler, and what they want as their first argument."""

    context: int
    malloc: Any
    calloc: Any
    realloc: Any
    free: Any


@cache
def default_memory() -> DefaultMemory:
    """NumPy's own handler, found before another one is set."""
    address = ctypes.pythonapi.PyCapsule_GetPointer(_numpy_functions()[1](), CAPSULE)
    found = _Handler.from_address(address)
    return DefaultMemory(
        found.context,
        _MALLOC(found.malloc),
        _CALLOC(found.calloc),
        _REALLOC(found.realloc),
        _FREE(found.free),
    )


@cache
def _numpy_functions() -> tuple[Any, Any]:
    """Functions that set and get the handler."""
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    package = "numpy._core" if hasattr(np, "_core") else "numpy.core"  # renamed in NumPy 2
    interface = import_module(f"{package}._multiarray_umath")._ARRAY_API
    table = ctypes.cast(get_pointer(interface, None), ctypes.POINTER(ctypes.c_void_p))
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[SET_HANDLER])
    return set_handler, ctypes.PYFUNCTYPE(ctypes.py_object)(table[GET_HANDLER])
