"""Naive Bayes as it is written: for tests of counts, codes and terms, which calibration would cover."""

from __future__ import annotations

from typing import Any

from bayfold import NaiveBayesClassifier

PLAIN = {"numeric": "equal_frequency", "smoothing": "laplace", "calibration": None}


def with_bins(numeric: Any, n_bins: int) -> dict[str, Any]:
    """A density, and a number of bins where it is one that has as many as one says."""
    binned = numeric in ("equal_frequency", "equal_width")
    return {"numeric": numeric, "n_bins": n_bins} if binned else {"numeric": numeric}


def plain_classifier(**settings: Any) -> NaiveBayesClassifier:
    """Bins of equal frequency, Laplace's rule, no calibration, unless settings say otherwise."""
    return NaiveBayesClassifier(**{**PLAIN, **settings})
