"""Where compiled kernels are kept, wherever the process runs.

numba keeps them in NUMBA_CACHE_DIR, beside the source or in the user's cache folder. It raises an error if it can write
to none of these or cannot read what is there, and it misses that a called kernel of another file has changed. Here a
private temporary folder comes next, then no cache; folders that can only be read are read; a damaged file is thrown
away and its kernel compiled anew; and a kernel is compiled anew if anything that it calls has changed.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import caching, config, sigutils

from bayfold.errors import no_place_for_kernels, warn

HASH_BYTES = hashlib.sha256().digest_size


class PrivateTemporaryLocator(caching.UserProvidedCacheLocator):
    """A folder below the system's temporary one that nobody else can write to: code that lies there is run."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._lineno = function.__code__.co_firstlineno
        self._cache_path = str(_make_private_folder() / self.get_suitable_cache_subpath(file))

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        """The locator, or None if there is no such folder."""
        try:
            found = cls(function, file)
            found.ensure_cache_path()
        except OSError:
            return None
        return found


class ReadOnlyLocator(caching.InTreeCacheLocator):
    """The folder beside the source, which cannot be written to but may hold kernels that were compiled before."""

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        """The locator, or None of code without a source file."""
        return cls(function, file) if os.path.exists(file) else None


class KernelCacheImpl(caching.CompileResultCacheImpl):
    """The folders of numba, then those above."""

    _locator_classes = [  # noqa: RUF012  # a list in numba, too
        *caching.CompileResultCacheImpl._locator_classes,
        PrivateTemporaryLocator,
        ReadOnlyLocator,
    ]


class CheckedFiles(caching.IndexDataCacheFile):
    """Files that end with a hash of what they hold: machine code with a hole in it would end the process.

    Such files are left by a machine that lost its power, because numba does not wait until they are on the disk.
    """

    def _dump(self, content: Any) -> bytes:
        data = super()._dump(content)
        return data + hashlib.sha256(data).digest()

    def _load_data(self, name: str) -> Any:
        data = Path(self._data_path(name)).read_bytes()
        whole = data[:-HASH_BYTES]
        if hashlib.sha256(whole).digest() != data[-HASH_BYTES:]:
            raise pickle.UnpicklingError(name)
        return pickle.loads(whole)


class KernelCache(caching.FunctionCache):
    """Compiled code of one kernel, in files that may be damaged, read-only or of another version."""

    _impl_class = KernelCacheImpl

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = CheckedFiles(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled kernel, or None if it has to be compiled."""
        own = self._cache_file
        own._source_stamp = self.stamp
        try:
            for files in (own, *self._list_readable()):
                self._cache_file = files
                found = self._load_or_remove(signature, target_context)
                if found is not None:
                    return found
        finally:
            self._cache_file = own
        return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep a compiled kernel if a disk takes it, and warn if that is not one of numba's folders."""
        locator = self._impl.locator
        try:
            super().save_overload(signature, data)
        except OSError:  # read-only, or full
            _warn_once(None)
        else:
            if isinstance(locator, PrivateTemporaryLocator):
                _warn_once(str(_make_private_folder()))

    @cached_property
    def stamp(self) -> str:
        """A hash of compiler.py, of the source files of the kernel and of all it calls, and of the constants used."""
        options = _hash_file(str(Path(__file__).with_name("compiler.py")))
        found = hashlib.sha256(options.encode())
        for part in sorted(set(_list_parts(self._py_func, {self._py_func}))):
            found.update(part.encode())
        return found.hexdigest()

    def _load_or_remove(self, signature: Any, target_context: Any) -> Any:
        """The compiled kernel of a cache file, or None; a damaged file is removed."""
        try:
            found = super().load_overload(signature, target_context)
            arguments, _ = sigutils.normalize_signature(signature)
            # two processes may have given the code of two signatures the same file name
            if found is None or tuple(found.signature.args) == tuple(arguments):
                return found
        except OSError:  # not readable
            return None
        except Exception:  # unpickling a damaged file may raise anything
            pass
        with suppress(OSError):
            os.unlink(self._cache_file._index_path)
        return None

    def _list_readable(self) -> Iterator[Any]:
        """Files in folders that numba would prefer but cannot write to, as those of an image that root has built."""
        file = self._py_func.__code__.co_filename
        base = self._impl.filename_base
        for locator in (
            caching.UserProvidedCacheLocator,
            caching.InTreeCacheLocator,
            caching.UserWideCacheLocator,
        ):
            if locator is caching.UserProvidedCacheLocator and not config.CACHE_DIR:  # type: ignore[attr-defined]
                continue
            place = locator(self._py_func, file).get_cache_path()
            if place == self._cache_path:
                if not isinstance(self._impl.locator, ReadOnlyLocator):
                    return
                continue
            yield CheckedFiles(place, base, self.stamp)


def enable_cache(dispatcher: Any) -> None:
    """Let a dispatcher of numba keep what it compiles; without any cache if there is no folder and no source."""
    try:
        dispatcher._cache = KernelCache(dispatcher.py_func)
    except RuntimeError:  # numba's "no locator available"
        _warn_once(None)


def _list_parts(function: Any, seen: set[Any]) -> Iterator[str]:
    """Hashes of source files and values of constants that a function depends on."""
    yield _hash_file(function.__code__.co_filename)
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        called = getattr(value, "py_func", None) or getattr(value, "_defn", None)
        if called is None:
            if isinstance(value, np.generic | np.ndarray):
                value = value.tolist()
            if isinstance(value, int | float | str | tuple | list):
                yield f"{name}={value!r}"
        elif called not in seen:
            seen.add(called)
            yield from _list_parts(called, seen)


@cache
def _hash_file(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:  # frozen into a program
        return file


@cache
def _make_private_folder() -> Path:
    """``bayfold-<user>`` in the temporary folder; an OSError if others own it or may write to it."""
    user = os.getuid() if hasattr(os, "getuid") else os.getlogin()
    folder = Path(tempfile.gettempdir()) / f"bayfold-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if hasattr(os, "getuid"):
        others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if found.st_uid != user or others or not stat.S_ISDIR(found.st_mode):
            raise PermissionError(folder)
    return folder


@cache
def _warn_once(folder: str | None) -> None:
    """Say where kernels are kept, once a process however many there are."""
    warn(no_place_for_kernels(folder))
