"""Merging bins until the share of the second group only rises, or only falls."""

from __future__ import annotations

import numpy as np

from bayfold.errors import monotone_for_many

DIRECTIONS = ("increasing", "decreasing", "auto")


def merge_monotone(counts: np.ndarray, merge: np.ndarray, direction: str) -> np.ndarray:
    """Merge coarse bins further, so that the evidence is monotone in the column.

    Parameters
    ----------
    counts : ndarray of shape (n_fine_bins, 2)
    merge : ndarray of int
        The coarse bin of each fine bin.
    direction : {"increasing", "decreasing", "auto"}
        Of the share of the second group; ``"auto"`` takes whichever fits the counts better.

    Returns
    -------
    merge : ndarray of int

    Examples
    --------
    >>> counts = np.array([[8.0, 2.0], [4.0, 6.0], [5.0, 5.0], [1.0, 9.0]])
    >>> merge_monotone(counts, np.arange(4), "increasing")
    array([0, 1, 1, 2])
    """
    if counts.shape[1] != 2:
        raise monotone_for_many(counts.shape[1])
    coarse = np.zeros((int(merge[-1]) + 1, 2))
    np.add.at(coarse, merge, counts)
    if direction == "auto":
        tried = [_pool(coarse, rising) for rising in (True, False)]
        pooled = max(tried, key=lambda share: _log_likelihood(coarse, share))
    else:
        pooled = _pool(coarse, direction == "increasing")
    return np.append(0, np.cumsum(np.diff(pooled) != 0))[merge]


def _pool(coarse: np.ndarray, rising: bool) -> np.ndarray:
    """The monotone share of the second group nearest to the counts, equal where bins are pooled."""
    from sklearn.isotonic import isotonic_regression  # slow to import, rarely wanted

    weight = coarse.sum(axis=1)
    share = np.where(weight > 0, coarse[:, 1] / np.maximum(weight, 1e-300), 0.0)
    # an empty bin must not decide anything: it weighs next to nothing
    return isotonic_regression(share, sample_weight=np.maximum(weight, 1e-9), increasing=rising)


def _log_likelihood(coarse: np.ndarray, share: np.ndarray) -> float:
    share = np.clip(share, 1e-12, 1 - 1e-12)
    return float((coarse[:, 1] * np.log(share) + coarse[:, 0] * np.log1p(-share)).sum())
