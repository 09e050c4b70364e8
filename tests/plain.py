"""Naive Bayes as it is written: for tests of counts, codes and terms, which calibration would cover."""

from __future__ import annotations

from typing import Any

from bayfold import NaiveBayesClassifier

PLAIN = {"numeric": "equal_frequency", "smoothing": "laplace", "calibration": None}


def plain_classifier(**settings: Any) -> NaiveBayesClassifier:
    """Bins of equal frequency, Laplace's rule, no calibration, unless settings say otherwise."""
    return NaiveBayesClassifier(**{**PLAIN, **settings})
