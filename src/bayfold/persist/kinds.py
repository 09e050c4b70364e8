"""The kinds of objects that a model file may hold, by name. Who defines a kind registers it; nothing else is made."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from typing import Any, Protocol

from bayfold.core.stored import stored_names
from bayfold.persist.checks import conforms, expect
from bayfold.persist.estimators import EstimatorKind

Check = Callable[[Any], None]

OMITTED = object()
"""In place of a type: not stored."""


class Kind(Protocol):
    """How objects of a class are taken apart and made again; ``names`` are those of all parts there may be."""

    name: str
    names: list[str]

    def take(self, thing: Any, statistics: bool) -> dict[str, Any]:
        """The parts of an object by name; without what only learning needs if ``statistics`` is false."""

    def make(self, parts: dict[str, Any]) -> Any:
        """The object of the parts, if they fit together."""


class PartsKind:
    """Objects that are made from their parts alone."""

    def __init__(
        self,
        cls: type,
        check: Check | None,
        hints: Mapping[str, Any],
        dropped: frozenset[str],
    ) -> None:
        self.name = cls.__name__
        self._cls = cls
        self._check = check
        self._dropped = dropped
        annotated: Any = cls if is_dataclass(cls) else vars(cls).get("__init__", cls)
        known = typing.get_type_hints(annotated)
        found = {name: hints.get(name, known.get(name, Any)) for name in stored_names(cls)}
        self._hints = {name: hint for name, hint in found.items() if hint is not OMITTED}
        self.names = list(self._hints)

    def take(self, thing: Any, statistics: bool) -> dict[str, Any]:
        """The arguments that the object was made from."""
        dropped = frozenset() if statistics else self._dropped
        return {n: None if n in dropped else getattr(thing, n) for n in self._hints}

    def make(self, parts: dict[str, Any]) -> Any:
        """The object, if every part is of the annotated type and they fit together."""
        expect(parts.keys() == self._hints.keys(), f"the parts of {self.name}")
        for name, hint in self._hints.items():
            expect(conforms(parts[name], hint), f"`{name}` of {self.name}")
        thing = self._cls(**parts)
        if self._check is not None:
            self._check(thing)
        return thing


_KIND_OF_NAME: dict[str, Kind] = {}
_KIND_OF_CLASS: dict[type, Kind] = {}


def register(
    cls: type, check: Check | None = None, *, dropped: Iterable[str] = (), **hints: Any
) -> None:
    """Let model files hold objects of a class, which is made from attributes of the names of its arguments.

    Parameters
    ----------
    cls : type
    check : callable, optional
        Refuses, by ``expect``, an object whose parts do not fit together.
    dropped : iterable of str
        Parts that only learning needs; None in a file without statistics.
    **hints
        Types of parts where the annotation of the argument says too little; ``OMITTED`` for arguments that are no
        parts, and have their defaults in what is loaded.
    """
    _register(cls, PartsKind(cls, check, hints, frozenset(dropped)))


def register_estimator(
    cls: type, check: Check | None = None, *, dropped: Iterable[str] = (), **learnt: Any
) -> None:
    """Let model files hold an estimator: its parameters, and what it has learnt.

    Parameters
    ----------
    cls : type
    check : callable, optional
        Refuses, by ``expect``, an estimator whose parts do not fit together. Only asked of fitted ones.
    dropped : iterable of str
        What only learning needs; absent in a file without statistics.
    **learnt
        The names of the attributes that fitting sets, with their types.
    """
    _register(cls, EstimatorKind(cls, check, learnt, frozenset(dropped)))


def _register(cls: type, kind: Kind) -> None:
    assert _KIND_OF_NAME.setdefault(kind.name, kind) is kind, kind.name
    _KIND_OF_CLASS[cls] = kind


def find_kind(thing: Any) -> Kind | None:
    """The kind of an object; None if no file may hold it. A subclass of a known class is not of its kind."""
    return _KIND_OF_CLASS.get(type(thing))


def kind_named(name: Any) -> Kind:
    """The kind of a name."""
    expect(isinstance(name, str) and name in _KIND_OF_NAME, "the name of an object")
    return _KIND_OF_NAME[name]


def known_parts() -> dict[str, list[str]]:
    """The names of the parts of every kind: what a protocol settles."""
    return {name: sorted(kind.names) for name, kind in sorted(_KIND_OF_NAME.items())}
