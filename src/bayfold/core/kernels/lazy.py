"""Kernels are imported when first used: numba takes half a second that `import bayfold` need not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def load_on_use(package: str, module_of: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package of kernels: finds the module of a kernel by the kernel's name."""

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        kernel = getattr(import_module(f"{package}.{module_of[name]}"), name)
        vars(import_module(package))[name] = kernel  # later look-ups do not come back here
        return kernel

    return load
