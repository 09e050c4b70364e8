"""Whether probabilities are what they say: predicted against observed, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from bayfold import errors
from bayfold.base.classifier import find_truth
from bayfold.base.options import VectorLike
from bayfold.core.frames import find_groups, read_vector


@dataclass(frozen=True, eq=False)
class Reliability:
    """Predictions in bins of equal width, with what came of them. Empty bins are left out.

    Attributes
    ----------
    lower, upper : ndarray
        Bounds of each bin.
    predicted : ndarray
        Mean probability of the rows in the bin.
    observed : ndarray
        Share of these rows for which it came true.
    count : ndarray
        How many rows that is.
    """

    lower: np.ndarray
    upper: np.ndarray
    predicted: np.ndarray
    observed: np.ndarray
    count: np.ndarray

    @property
    def error(self) -> float:
        """The expected calibration error: mean distance of predicted and observed over rows."""
        distance = np.abs(self.predicted - self.observed)
        return float((self.count * distance).sum() / self.count.sum())

    def interval(self, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Wilson's interval for the observed share in each bin."""
        z = float(ndtri(0.5 + level / 2))
        n = self.count
        p = self.observed
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def expected_calibration_error(
    y: VectorLike, p: ArrayLike, n_bins: int = 15, *, classes: VectorLike | None = None
) -> float:
    """The mean distance between predicted probability and observed share, over bins of equal width.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The true classes. Rows where it is missing are left out, and classes that are not among ``classes`` are wrong,
        each with a warning.
    p : array-like of shape (n_rows, n_classes) or (n_rows,)
        Two dimensions: the probability of each class; judged is that of the predicted class (Guo et al. 2017 [1]_). One
        dimension: the probability of the second class, judged as it is.
    n_bins : int, default=15
    classes : array-like, optional
        The classes in the order of the columns of ``p``; by default those in ``y``, sorted.

    Returns
    -------
    error : float
        0 is perfect; 0.1 means that probabilities are off by 0.1 on average.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern neural networks. ICML.

    Examples
    --------
    >>> expected_calibration_error(["no", "yes", "yes", "yes"], [0.75, 0.75, 0.75, 0.75])
    0.0
    >>> expected_calibration_error([0, 1, 1, 0], [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    0.25
    """
    return find_reliability(y, p, n_bins, classes=classes).error


def find_reliability(
    y: VectorLike, p: ArrayLike, n_bins: int = 15, *, classes: VectorLike | None = None
) -> Reliability:
    """Predictions in bins of equal width, with what came of them.

    Parameters
    ----------
    y, p, n_bins, classes
        As in ``expected_calibration_error``.

    Returns
    -------
    reliability : Reliability
    """
    errors.check_whole("n_bins", n_bins, 1)
    judged, came_true = _judge(y, np.asarray(p, np.float64), classes)
    bin_of = np.minimum((judged * n_bins).astype(np.int64), n_bins - 1)
    count = np.bincount(bin_of, minlength=n_bins).astype(np.float64)
    used = np.flatnonzero(count)
    predicted = np.bincount(bin_of, judged, n_bins)[used] / count[used]
    observed = np.bincount(bin_of, came_true, n_bins)[used] / count[used]
    return Reliability(used / n_bins, (used + 1) / n_bins, predicted, observed, count[used])


def _judge(y: VectorLike, p: np.ndarray, classes: Any) -> tuple[np.ndarray, np.ndarray]:
    """The probability to judge in each row, and whether what it speaks of came true."""
    target = read_vector(y)
    labels = find_groups(target)[1] if classes is None else np.asarray(classes)
    if len(p) != len(target):
        raise errors.unequal_lengths("p", len(p), len(target))
    if not len(p):
        raise errors.no_rows_to_judge(p.shape)
    n_wanted = 2 if p.ndim == 1 else p.shape[-1]
    if p.ndim not in (1, 2) or len(labels) != n_wanted:
        raise errors.probabilities_of_other_classes(p.shape, labels.tolist())
    errors.check_probabilities("p", p)
    truth = find_truth(target, labels, len(p))
    p = p[truth.known]
    if p.ndim == 1:
        return p, (truth.place_of == 1).astype(np.float64)
    best = p.argmax(axis=1)
    return p[np.arange(len(p)), best], (truth.place_of == best).astype(np.float64)
