"""What is compared: bayfold and the way the same is done with scikit-learn alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

from bayfold import NaiveBayesClassifier

N_BINS = 10
OURS = "bayfold, plain"
"""Bins of equal frequency, no calibration: the counterpart of KBinsDiscretizer + CategoricalNB."""

OURS_DEFAULT = "bayfold, default"
OURS_SMOOTH = "bayfold, smooth, uncalibrated"
"""The default without what held-out rows choose."""

OURS_GAUSSIAN = "bayfold, gaussian, uncalibrated"
GAUSSIAN = "GaussianNB"
BINNED = "KBinsDiscretizer + CategoricalNB"
MEMORY_PASS = "X.sum()"

UNKNOWN = 64
"""The code OrdinalEncoder gives to unknown categories: above every real one, so that
CategoricalNB, which refuses negative codes, can predict."""


def make_bins() -> KBinsDiscretizer:
    """Ten quantile bins, from a subsample as by default."""
    return KBinsDiscretizer(n_bins=N_BINS, encode="ordinal", strategy="quantile", random_state=0)


def make_model(name: str, n_jobs: int | None = None) -> Any:
    """An unfitted model for a matrix of numbers."""
    if name == OURS:
        binned = {"numeric": "equal_frequency", "n_bins": N_BINS, "smoothing": "laplace"}
        return NaiveBayesClassifier(**binned, calibration=None, n_jobs=n_jobs)
    if name == OURS_DEFAULT:
        return NaiveBayesClassifier(n_jobs=n_jobs)
    if name == OURS_SMOOTH:
        return NaiveBayesClassifier(numeric="smooth", calibration=None, n_jobs=n_jobs)
    if name == OURS_GAUSSIAN:
        return NaiveBayesClassifier(numeric="gaussian", calibration=None, n_jobs=n_jobs)
    if name == GAUSSIAN:
        return GaussianNB()
    if name == BINNED:
        return make_pipeline(make_bins(), CategoricalNB(min_categories=N_BINS))
    raise ValueError(f"no model is called {name!r}")


def make_mixed_pipeline(labels: list[str], numbers: list[str]) -> Any:
    """scikit-learn's pipeline for a table with strings and missing cells."""
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=UNKNOWN)
    columns = ColumnTransformer(
        [
            ("labels", encode, labels),
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), make_bins()), numbers),
        ]
    )
    n_codes = np.array([UNKNOWN + 1] * len(labels) + [N_BINS] * len(numbers))
    return make_pipeline(columns, CategoricalNB(min_categories=n_codes))
