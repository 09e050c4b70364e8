"""Bias and variance of the zero-one loss (Kohavi & Wolpert 1996)."""

from __future__ import annotations

import numpy as np

from bayfold.core.evidence import Records
from bayfold.evaluate.cross_validation import CrossValidation


def find_bias_and_variance(result: CrossValidation) -> Records:
    """Records of model, error, bias and variance; bias plus variance is the error, exactly.

    With p(c) the share of the repeats that predict class c for a row, its bias is
    ``sum (1[c is true] - p(c))^2 / 2`` and its variance ``(1 - sum p(c)^2) / 2``. Noise cannot be told from bias
    without repeated rows, so it is inside the bias; no correction is made for the number of repeats.

    References
    ----------
    R. Kohavi, D. Wolpert (1996). Bias plus variance decomposition for zero-one loss functions. ICML, 275-283.
    """
    n_models, n_repeats, n_rows = result.predicted.shape
    bias = np.empty(n_models)
    variance = np.empty(n_models)
    for k in range(n_models):
        share = np.zeros((n_rows, len(result.classes)))
        for predicted in result.predicted[k]:
            share[np.arange(n_rows), predicted] += 1 / n_repeats
        squares = (share**2).sum(axis=1)
        of_truth = share[np.arange(n_rows), result.truth]
        bias[k] = np.mean(1 - 2 * of_truth + squares) / 2
        variance[k] = np.mean(1 - squares) / 2
    error = (result.predicted != result.truth).mean(axis=(1, 2))
    return Records(
        {
            "model": np.array(result.models, object),
            "error": error,
            "bias": bias,
            "variance": variance,
        }
    )
