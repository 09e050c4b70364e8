"""The estimator without what costs it most, to compare splits by."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier


def make_rough(estimator: Any) -> Any:
    """An estimator that tells good splits from bad ones as well, at a fraction of the time.

    Naive Bayes without weights on its columns and without a choice of densities, which both refit it on many folds.
    Any other estimator is its own.
    """
    if not isinstance(estimator, NaiveBayesClassifier):
        return estimator
    cheap: dict[str, Any] = {"calibration": None, "select": False}
    if isinstance(estimator.numeric, str) and estimator.numeric == "auto":
        cheap["numeric"] = "smooth"
    given = estimator.get_params(deep=False)
    if all(given[name] == value for name, value in cheap.items()):
        return estimator
    return clone(estimator).set_params(**cheap)


def has_densities_of(rough: Any, estimator: Any) -> bool:
    """Whether a rough model differs from its estimator by weights on columns alone, if at all."""
    return rough is estimator or bool(rough.numeric == estimator.numeric)
