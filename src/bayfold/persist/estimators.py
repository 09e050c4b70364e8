"""Estimators in model files: parameters as they were given, and what was learnt from data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.evidence import TrainingFacts
from bayfold.core.schema import Schema
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
