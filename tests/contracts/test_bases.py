"""Estimators stand on few base classes: whoever reads one has to open no more than these."""

import inspect

import pytest
from sklearn.base import BaseEstimator

import bayfold

MOST_BASES = 8
"""Classes of bayfold above it. Boosted classifiers have so many: rounds, tables, scores, a target, columns."""

PUBLIC = [getattr(bayfold, name) for name in bayfold.__all__]
ESTIMATORS = [
    found for found in PUBLIC if inspect.isclass(found) and issubclass(found, BaseEstimator)
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_an_estimator_has_at_most_eight_own_bases(estimator):
    bases = [base for base in estimator.__mro__[1:] if base.__module__.startswith("bayfold")]
    assert len(bases) <= MOST_BASES, [base.__name__ for base in bases]
