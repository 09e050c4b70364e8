"""Naive Bayes for the raw table: one pass at memory speed, mergeable, every prediction explained."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayfold.base.collapsed import CollapsedClassifier
    from bayfold.base.options import FileLike
    from bayfold.core.schema import Schema
    from bayfold.families.adaboost.estimator import AdaBoostNaiveBayesClassifier
    from bayfold.families.aode.estimator import AveragedOneDependenceClassifier
    from bayfold.families.boosting.estimator import BoostedNaiveBayesClassifier
    from bayfold.families.boosting.numbers.answers import CollapsedRegressor
    from bayfold.families.boosting.regressor import BoostedNaiveBayesRegressor
    from bayfold.families.decomposition.estimator import ClassDecompositionClassifier
    from bayfold.families.imputation.estimator import NaiveBayesImputer
    from bayfold.families.mixtures.estimator import NaiveBayesMixture
    from bayfold.families.mte.density import MTEDensity
    from bayfold.families.mte.estimator import MTERegressor
    from bayfold.families.naive_bayes.discretizer import MDLDiscretizer
    from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier
    from bayfold.families.regression.estimator import NaiveBayesRegressor
    from bayfold.families.regression.via_regression import ViaRegressionClassifier
    from bayfold.families.trees.estimator import NaiveBayesTreeClassifier
    from bayfold.version import __version__


# Public names are imported when first used: `import bayfold` itself costs next to nothing.
_MODULE_OF = {
    "AdaBoostNaiveBayesClassifier": "bayfold.families.adaboost.estimator",
    "ClassDecompositionClassifier": "bayfold.families.decomposition.estimator",
    "CollapsedClassifier": "bayfold.base.collapsed",
    "CollapsedRegressor": "bayfold.families.boosting.numbers.answers",
    "AveragedOneDependenceClassifier": "bayfold.families.aode.estimator",
    "BoostedNaiveBayesClassifier": "bayfold.families.boosting.estimator",
    "BoostedNaiveBayesRegressor": "bayfold.families.boosting.regressor",
    "MDLDiscretizer": "bayfold.families.naive_bayes.discretizer",
    "MTEDensity": "bayfold.families.mte.density",
    "MTERegressor": "bayfold.families.mte.estimator",
    "NaiveBayesClassifier": "bayfold.families.naive_bayes.estimator",
    "NaiveBayesImputer": "bayfold.families.imputation.estimator",
    "NaiveBayesRegressor": "bayfold.families.regression.estimator",
    "NaiveBayesMixture": "bayfold.families.mixtures.estimator",
    "NaiveBayesTreeClassifier": "bayfold.families.trees.estimator",
    "Schema": "bayfold.core.schema",
    "ViaRegressionClassifier": "bayfold.families.regression.via_regression",
    "__version__": "bayfold.version",
}

_SUBMODULES = ("datasets", "evaluate", "export", "plot", "report")
"""Parts with names of their own, as in ``bayfold.plot.plot_tree``."""

__all__ = [
    "AdaBoostNaiveBayesClassifier",
    "AveragedOneDependenceClassifier",
    "BoostedNaiveBayesClassifier",
    "BoostedNaiveBayesRegressor",
    "ClassDecompositionClassifier",
    "CollapsedClassifier",
    "CollapsedRegressor",
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
    "load",
]


def load(file: FileLike) -> Any:
    """The model that was saved to a file by ``model.save``. Nothing in the file is run.

    Parameters
    ----------
    file : str, PathLike or binary file object

    Returns
    -------
    model
        An equal of the model that was saved.

    Raises
    ------
    ModelFileError
        If the file is damaged, of a newer format, or no model.
    """
    from bayfold.persist import read_model  # here, because of the time it takes to import

    for module in set(_MODULE_OF.values()):  # each says what a file may hold of its models
        import_module(module)
    return read_model(file)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBMODULES])
