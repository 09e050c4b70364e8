"""Comparing classifiers: the same folds for all, and tests that say what a difference is worth."""

from bayfold.evaluate.bias_variance import find_bias_and_variance
from bayfold.evaluate.cross_validation import (
    CrossValidation,
    cross_validate,
    score_folds,
    summarise,
)
from bayfold.evaluate.significance import compare_pairs, friedman_test, paired_t_test, sign_test

__all__ = [
    "CrossValidation",
    "compare_pairs",
    "cross_validate",
    "find_bias_and_variance",
    "friedman_test",
    "paired_t_test",
    "score_folds",
    "sign_test",
    "summarise",
]
