"""The one place that decides how kernels are compiled.

``nogil`` lets the engine run blocks in threads. ``parallel=True`` is never used: its default
threading layer aborts the process when two Python threads enter it. ``fastmath`` is never used:
NaN marks a missing cell and infinity an impossible class; elementary.py fuses single operations by name.
``error_model="numpy"`` only removes the checks for division by zero.

A line on standard error says that kernels are compiled: the seconds of a first use should not pass in silence. numba
tells when it compiles; what is in its cache already is not compiled and not announced.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from typing import Any

import numba
from numba.core import codegen, compiler, compiler_machinery, event, typed_passes

from bayfold.core.kernels.cache import enable_cache
from bayfold.errors import compiling, compiling_kernel

TRIED_NUMBA = (0, 68)
"""The version of numba whose internals ``InnerCompiler`` was tried with. With any other, inner functions are optimised
one by one, as numba does it: a first fit takes about a third longer, and nothing else changes."""


def kernel(function: Any) -> Any:
    """Compile a function when it is first called, and keep what was compiled (see cache.py)."""
    return _compile_on_use(function, is_inner=False)


def inner(function: Any) -> Any:
    """The same of a function that only kernels call.

    No entry for Python is compiled, which unpacks all arguments and takes about a third of a small function's time: a
    call from Python would end the process (``tests/contracts/test_twins.py`` looks for such calls). No machine code is
    made of it either: it is optimised and translated once, within the kernels that call it (see ``InnerLibrary``), and
    they are what the cache keeps.
    """
    return _compile_on_use(function, is_inner=True)


def _compile_on_use(function: Any, is_inner: bool) -> Any:
    options: Any = {"nogil": True, "error_model": "numpy"}
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": is_inner}  # unknown to the stubs
    if is_inner and numba.version_info[:2] == TRIED_NUMBA:
        options["pipeline_class"] = InnerCompiler
    compiled = numba.njit(**options)(function)
    # with NUMBA_DISABLE_JIT it stays what it is
    if compiled is not function and not is_inner:
        enable_cache(compiled)
    return compiled


class InnerLibrary(codegen.JITCodeLibrary):
    """The intermediate code of an inner function and of all it calls, not optimised together and not translated.

    numba optimises and translates every function together with all that it calls: of five functions that call one
    another the last is optimised five times. The kernel that calls them is optimised as a whole anyway.
    """

    def finalize(self) -> None:
        """Link what is called; the kernel that calls this function does the rest."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0, as numba says it of a function that is not there."""
        return 0

    @property
    def codegen(self) -> Any:
        """What numba hands an environment for Python objects to; there is nothing here that reads it."""
        return _NoEnvironment


class _NoEnvironment:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Without machine code there is no place for it."""


@compiler_machinery.register_pass(mutates_CFG=False, analysis_only=False)
class UseInnerLibrary(compiler_machinery.LoweringPass):
    """Give numba's lowering the library that it would otherwise make itself."""

    _name = "bayfold_use_inner_library"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Set the library; the code is not changed."""
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


class InnerCompiler(compiler.CompilerBase):
    """The steps that numba compiles a function by, with the library of an inner one."""

    def define_pipelines(self) -> list[Any]:
        """The usual steps, and one before the lowering."""
        steps = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps.add_pass_after(UseInnerLibrary, typed_passes.AnnotateTypes)
        steps.finalize()
        return [steps]


c_function = numba.cfunc
"""Of a signature: what C code can call. It is compiled anew in every process, which takes a blink."""


QUIET = "BAYFOLD_QUIET"
"""With this environment variable set nothing is said."""
CLEAR = "\r\x1b[2K"
"""What terminals take for: back to the start of the line, and empty it."""


class CompileNotice(event.Listener):
    """Says once that kernels are compiled, and on a terminal which one.

    The garbage collector rests while a kernel is compiled: going over numba's many small objects again and again took
    an eighth of the time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._collects = False
        self.n_compiled = 0

    def on_start(self, found: Any) -> None:
        """A kernel is about to be compiled; those that it calls are compiled within."""
        if not _is_own(found):
            return
        with self._lock:
            if self._depth == 0:
                self._collects = gc.isenabled()
                gc.disable()
            self._depth += 1
            if self.n_compiled == 0:
                _say(compiling() + "\n")
            self.n_compiled += 1
            if _is_terminal():
                _say(CLEAR + compiling_kernel(found.data["dispatcher"].__name__, self.n_compiled))

    def on_end(self, found: Any) -> None:
        """It is compiled."""
        if not _is_own(found):
            return
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                if self._collects:
                    gc.enable()
                if _is_terminal():
                    _say(CLEAR)


def _is_own(found: Any) -> bool:
    """Whether the kernel is of this library: people compile their own as well."""
    function = getattr(found.data["dispatcher"], "py_func", None)
    # code that was put together at run time may have no module
    return (getattr(function, "__module__", None) or "").split(".")[0] == "bayfold"


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _say(text: str) -> None:
    # without standard error, as under pythonw, there is nobody to tell
    if sys.stderr is not None and QUIET not in os.environ:
        sys.stderr.write(text)
        sys.stderr.flush()


NOTICE = CompileNotice()
event.register("numba:compile", NOTICE)
