"""What probabilities are worth to somebody who decides by them: ranking, lift, and what decisions cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import f1_score, roc_auc_score

from bayfold import errors
from bayfold.base.classifier import find_truth
from bayfold.base.decisions import Costs
from bayfold.base.inputs import read_weights
from bayfold.base.options import VectorLike
from bayfold.core.frames import find_groups, read_vector

LIFT_SHARE = 0.1
"""The share of rows, those most probable of a class, in which its lift is found: the first decile, as is the custom."""

MEASURES = ("auc", "brier", "f1", "lift")


def score_decisions(
    truth: np.ndarray, probability: np.ndarray, best: np.ndarray, weight: np.ndarray | None = None
) -> dict[str, float]:
    """Measures of the predictions for some rows.

    Parameters
    ----------
    truth : ndarray of int
        Position of each row's class.
    probability : ndarray of shape (n_rows, n_classes)
    best : ndarray of int
        Position of the predicted class.
    weight : ndarray, optional

    Returns
    -------
    measures : dict of str to float
        ``auc``, ``lift`` (share of a class among the tenth of the rows in which it is most probable, in multiples of
        its share) and ``f1``: for two classes ``auc`` and ``lift`` are those of the second one, otherwise all are means
        over the classes that occur. ``brier``: the sum of the squared distances of all probabilities from the truth,
        half of it for two classes.

    Examples
    --------
    >>> p = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    >>> found = score_decisions(np.array([0, 1, 1]), p, p.argmax(axis=1))
    >>> {name: round(value, 3) for name, value in found.items()}
    {'auc': 1.0, 'brier': 0.137, 'f1': 0.667, 'lift': 1.5}
    """
    weights = np.ones(len(truth)) if weight is None else weight
    n_classes = probability.shape[1]
    is_true = truth[:, None] == np.arange(n_classes)
    squares = np.square(probability - is_true).sum(axis=1)
    shown = range(1, 2) if n_classes == 2 else range(n_classes)
    judged = [k for k in shown if 0 < weights @ is_true[:, k] < weights.sum()]
    auc = [roc_auc_score(is_true[:, k], probability[:, k], sample_weight=weights) for k in judged]
    lift = [_find_lift(is_true[:, k], probability[:, k], weights) for k in judged]
    return {
        "auc": float(np.mean(auc)) if judged else np.nan,
        "brier": float(np.average(squares, weights=weights)) / (2 if n_classes == 2 else 1),
        "f1": float(f1_score(truth, best, average="macro", sample_weight=weights, zero_division=0)),
        "lift": float(np.mean(lift)) if judged else np.nan,
    }


def _find_lift(is_class: np.ndarray, probability: np.ndarray, weights: np.ndarray) -> float:
    """Rows of equal probability share a place: their class counts by its share among them."""
    values, place = np.unique(-probability, return_inverse=True)
    n_rows = np.bincount(place, weights, len(values))
    n_class = np.bincount(place, weights * is_class, len(values))
    room = LIFT_SHARE * weights.sum()
    before = np.cumsum(n_rows) - n_rows
    taken = np.clip(room - before, 0.0, n_rows)
    share = (n_class / np.where(n_rows > 0, n_rows, 1.0)) @ taken / room
    return float(share * weights.sum() / (weights @ is_class))


@dataclass(frozen=True, eq=False)
class CostCurve:
    """What decisions cost by the probability from which on the second class is decided for.

    Attributes
    ----------
    threshold : ndarray
        Ascending, each between two neighbouring probabilities; 0 and a number above 1 are always and never.
    cost : ndarray
        Mean cost of a row by threshold.
    best : float
        The threshold of least cost on these rows.
    expected : float
        The threshold that the costs ask for if the probabilities are right; NaN where one decision is always cheaper.
    """

    threshold: np.ndarray
    cost: np.ndarray
    best: float
    expected: float


def find_cost_curve(
    y: VectorLike,
    p: ArrayLike,
    costs: Mapping[Any, Any] | ArrayLike | None = None,
    *,
    classes: VectorLike | None = None,
    sample_weight: VectorLike | None = None,
) -> CostCurve:
    """The mean cost of held-out rows for every threshold that tells two of them apart.

    Parameters
    ----------
    y : array-like
        True classes: two of them.
    p : array-like of shape (n_rows,) or (n_rows, 2)
        The probability of the second class, from a model that did not see these rows.
    costs : mapping or array-like, optional
        ``costs[true][decided]``, as for ``decide``; one per wrong decision if not given.
    classes : array-like, optional
        In the order of the columns of ``p``; the sorted values of ``y`` if not given.
    sample_weight : array-like, optional

    Returns
    -------
    curve : CostCurve

    Examples
    --------
    >>> y, p = ["well", "sick", "well", "sick"], [0.9, 0.3, 0.4, 0.2]
    >>> curve = find_cost_curve(y, p, {"sick": {"well": 10}, "well": {"sick": 1}})
    >>> round(curve.expected, 3), round(float(curve.cost.min()), 3)
    (0.909, 0.0)
    """
    probability = errors.as_numbers("p", "probabilities", p)
    errors.check_probabilities("p", probability)
    probability = probability[:, -1] if probability.ndim == 2 else probability
    target = read_vector(y)
    labels = find_groups(target)[1] if classes is None else np.asarray(classes)
    if len(labels) != 2:
        raise errors.cost_curve_of_many(labels.tolist())
    if len(target) != len(probability):
        raise errors.unequal_lengths("p", len(probability), len(target))
    weights = read_weights(sample_weight, len(target))
    weights = np.ones(len(target)) if weights is None else weights
    truth = find_truth(target, labels, len(target))
    judged = truth.place_of >= 0
    rows = np.flatnonzero(truth.known)[judged]
    table = Costs.read(labels, costs, None).table
    return _draw_curve(truth.place_of[judged], probability[rows], weights[rows], table)


def _draw_curve(
    truth: np.ndarray, probability: np.ndarray, weights: np.ndarray, table: np.ndarray
) -> CostCurve:
    values, place = np.unique(probability, return_inverse=True)
    # rows below a threshold are decided for the first class, the others for the second
    first = np.bincount(place, weights * table[truth, 0], len(values))
    second = np.bincount(place, weights * table[truth, 1], len(values))
    below = np.concatenate([[0.0], np.cumsum(first)])
    above = np.concatenate([np.cumsum(second[::-1])[::-1], [0.0]])
    cost = (below + above) / weights.sum()
    middle = (values[1:] + values[:-1]) / 2
    threshold = np.concatenate([[0.0], middle, [np.nextafter(1.0, 2.0)]])
    gain = table[1, 0] - table[1, 1]
    loss = table[0, 1] - table[0, 0]
    expected = loss / (gain + loss) if gain > 0 and loss > 0 else np.nan
    return CostCurve(threshold, cost, float(threshold[cost.argmin()]), float(expected))
