"""Warnings as a model remembers them: those that were given while it learnt."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LISTENERS: ContextVar[tuple[list[str], ...]] = ContextVar("listeners", default=())


@contextmanager
def hear_warnings() -> Iterator[list[str]]:
    """The texts of all warnings of the library from here on, each once; they are given all the same."""
    heard: list[str] = []
    token = _LISTENERS.set((*_LISTENERS.get(), heard))
    try:
        yield heard
    finally:
        _LISTENERS.reset(token)


@contextmanager
def ignore_warnings(category: type[Warning]) -> Iterator[None]:
    """Neither give nor remember warnings of a kind."""
    token = _LISTENERS.set(())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", category)
            yield
    finally:
        _LISTENERS.reset(token)


def remember_warning(warning: Warning) -> None:
    """Tell whoever listens."""
    text = str(warning)
    for heard in _LISTENERS.get():
        if text not in heard:
            heard.append(text)
