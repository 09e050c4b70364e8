"""The best of several models, and which of the others may be as good."""

from __future__ import annotations

import numpy as np

from bayfold.core.evidence import Records
from bayfold.core.evidence.drift import adjust_by_holm
from bayfold.evaluate.significance import paired_t_test


def compare_with_best(scores: Records, measure: str, n_folds: int) -> Records:
    """Every model against the one with the smallest mean score.

    Parameters
    ----------
    scores : Records
        Of ``score_folds`` or ``score_regressor_folds``: one row per model, repeat and fold.
    measure : str
        The column to compare, such as ``"log_loss"`` or ``"rmse"``; smaller is better.
    n_folds : int
        Folds of a repeat.

    Returns
    -------
    records : Records
        model, difference (of the mean score, from the best) and p, best first. The p is that of the t-test
        corrected for overlapping training sets (Nadeau and Bengio), and by Holm's rule for so many comparisons;
        it is NaN for the best model itself, and for models without that score.

    Examples
    --------
    >>> scores = Records({"model": np.array(["a"] * 3 + ["b"] * 3, object), "error": np.array([1., 2, 3, 2, 3, 3.5])})
    >>> compare_with_best(scores, "error", 3)
    model  difference      p
    a           0.000
    b           0.833  0.087
    """
    names = list(dict.fromkeys(scores["model"]))
    by_model = {name: scores.where(model=name)[measure].astype(np.float64) for name in names}
    names.sort(key=lambda name: np.nan_to_num(by_model[name].mean(), nan=np.inf))
    best = by_model[names[0]]
    share = 1 / n_folds
    p = np.full(len(names), np.nan)
    for k, name in enumerate(names[1:], start=1):
        if np.isfinite(by_model[name]).all() and len(best) > 1:
            p[k] = paired_t_test(by_model[name], best, test_share=share)["p"][0]
    difference = np.array([by_model[name].mean() - best.mean() for name in names])
    return Records(
        {"model": np.array(names, object), "difference": difference, "p": adjust_by_holm(p)}
    )
