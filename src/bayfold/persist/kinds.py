"""The kinds of objects that a model file may hold, by name. Who defines a kind registers it; nothing else is made."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from inspect import signature
from typing import Any, Protocol

import numpy as np

from bayfold import errors
from bayfold.core.evidence import TrainingFacts
from bayfold.core.schema import Schema
from bayfold.core.stored import stored_names
from bayfold.persist.checks import conforms, expect

OF_EVERY_ESTIMATOR = {
    "n_features_in_": int,
    "feature_names_in_": np.ndarray,
    "_sklearn_output_config": dict[str, str],
    "fit_warnings_": tuple[str, ...],
    "_facts": TrainingFacts | None,
}
"""What fitting any estimator may set, and ``set_output``."""

GENERATORS = (np.random.RandomState, np.random.Generator, np.random.BitGenerator)


class EstimatorKind:
    """How an estimator is taken apart and made again."""

    def __init__(
        self,
        cls: type,
        check: Callable[[Any], None] | None,
        learnt: Mapping[str, Any],
        dropped: frozenset[str],
    ) -> None:
        self.name = cls.__name__
        self._cls = cls
        self._check = check
        self._learnt = OF_EVERY_ESTIMATOR | dict(learnt)
        self._dropped = dropped
        self._defaults = {p.name: p.default for p in signature(cls).parameters.values()}
        self.names = [*self._defaults, *self._learnt]

    def take(self, thing: Any, statistics: bool) -> dict[str, Any]:
        """Parameters and learnt attributes; what a file cannot hold is named in a warning."""
        given = {name: getattr(thing, name) for name in self._defaults}
        unsaved = [name for name, value in given.items() if _is_code(value)]
        if unsaved:
            errors.warn(errors.parameters_not_saved(unsaved))
        state = thing.__getstate__()  # without what is quickly made ready again
        known = {name: value for name, value in state.items() if name not in given}
        foreign = [name for name in known if name not in self._learnt]
        if foreign:
            errors.warn(errors.attributes_not_saved(foreign))
        parts = given | {name: self._defaults[name] for name in unsaved}
        dropped = frozenset() if statistics else self._dropped
        kept = self._learnt.keys() - dropped
        return parts | {name: value for name, value in known.items() if name in kept}

    def make(self, parts: dict[str, Any]) -> Any:
        """The estimator, if every attribute is one that it can learn and they fit together."""
        expect(self._defaults.keys() <= parts.keys(), f"the parameters of {self.name}")
        thing = self._cls(**{name: parts[name] for name in self._defaults})
        learnt = {name: value for name, value in parts.items() if name not in self._defaults}
        expect(learnt.keys() <= self._learnt.keys(), f"the attributes of {self.name}")
        for name, value in learnt.items():
            expect(conforms(value, self._learnt[name]), f"`{name}` of {self.name}")
            setattr(thing, name, value)
        if learnt.keys() - OF_EVERY_ESTIMATOR.keys():
            check_features_known(thing)
            if self._check is not None:
                self._check(thing)
        return thing


def check_features_known(estimator: Any) -> None:
    """As many names as columns, if there are names."""
    names = getattr(estimator, "feature_names_in_", None)
    known = names is None or (
        names.shape == (estimator.n_features_in_,) and all(isinstance(name, str) for name in names)
    )
    expect(estimator.n_features_in_ >= 0 and known, "the names of columns")
    schema = getattr(estimator, "schema_", None)
    facts = estimator._facts
    is_sparse = isinstance(schema, Schema) and schema.bag is not None  # all of it is one column
    n_columns = 1 if is_sparse else estimator.n_features_in_
    n_known = n_columns if facts is None else len(facts.n_values)
    expect(n_known >= n_columns, "the facts of columns")
    importances = None if facts is None else facts.importances
    expect(importances is None or len(importances) == n_columns, "the importances of columns")


def _is_code(value: Any) -> bool:
    """Whether a parameter is a function or a random generator; an estimator is neither, even if it can be called."""
    return isinstance(value, GENERATORS) or (callable(value) and not hasattr(value, "get_params"))


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
