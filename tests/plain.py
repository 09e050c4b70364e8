"""Naive Bayes as it is written: for tests of counts, codes and terms, which calibration would cover.

And inner functions of kernels as kernels, for tests that compare them with their twins.
"""

from __future__ import annotations

from typing import Any

from bayfold import NaiveBayesClassifier
from bayfold.core.kernels.compiler import kernel

PLAIN = {"numeric": "equal_frequency", "smoothing": "laplace", "calibration": None}


def with_bins(numeric: Any, n_bins: int) -> dict[str, Any]:
    """A density, and a number of bins where it is one that has as many as one says."""
    binned = numeric in ("equal_frequency", "equal_width")
    return {"numeric": numeric, "n_bins": n_bins} if binned else {"numeric": numeric}


def plain_classifier(**settings: Any) -> NaiveBayesClassifier:
    """Bins of equal frequency, Laplace's rule, no calibration, unless settings say otherwise."""
    return NaiveBayesClassifier(**{**PLAIN, **settings})


def callable_kernel(function: Any) -> Any:
    """An inner function with an entry for Python, which it lacks; without compilation it is one already."""
    return kernel(getattr(function, "py_func", function))
