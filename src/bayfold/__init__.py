"""Naive Bayes for the raw table: one pass at memory speed, mergeable, every prediction explained."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayfold.densities.mte import MTEDensity
    from bayfold.estimators import (
        AveragedOneDependenceClassifier,
        BoostedNaiveBayesClassifier,
        ClassDecompositionClassifier,
        MDLDiscretizer,
        MTERegressor,
        NaiveBayesClassifier,
        NaiveBayesImputer,
        NaiveBayesMixture,
        NaiveBayesRegressor,
        NaiveBayesTreeClassifier,
        ViaRegressionClassifier,
    )
    from bayfold.schema import Schema

__version__ = "0.1.0"

# Public names are imported when first used: `import bayfold` itself costs next to nothing.
_MODULE_OF = {
    "ClassDecompositionClassifier": "bayfold.estimators",
    "AveragedOneDependenceClassifier": "bayfold.estimators",
    "BoostedNaiveBayesClassifier": "bayfold.estimators",
    "MDLDiscretizer": "bayfold.estimators",
    "MTEDensity": "bayfold.densities.mte",
    "MTERegressor": "bayfold.estimators",
    "NaiveBayesClassifier": "bayfold.estimators",
    "NaiveBayesImputer": "bayfold.estimators",
    "NaiveBayesRegressor": "bayfold.estimators",
    "NaiveBayesMixture": "bayfold.estimators",
    "NaiveBayesTreeClassifier": "bayfold.estimators",
    "Schema": "bayfold.schema",
    "ViaRegressionClassifier": "bayfold.estimators",
}

_SUBMODULES = ("datasets", "evaluate", "plot")
"""Parts with names of their own, as in ``bayfold.plot.plot_tree``."""

__all__ = [
    "AveragedOneDependenceClassifier",
    "BoostedNaiveBayesClassifier",
    "ClassDecompositionClassifier",
    "MDLDiscretizer",
    "MTEDensity",
    "MTERegressor",
    "NaiveBayesClassifier",
    "NaiveBayesImputer",
    "NaiveBayesMixture",
    "NaiveBayesRegressor",
    "NaiveBayesTreeClassifier",
    "Schema",
    "ViaRegressionClassifier",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBMODULES])
