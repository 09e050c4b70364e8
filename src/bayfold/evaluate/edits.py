"""What edits cost or bring: a model before and after each of them, on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from bayfold import errors
from bayfold.base.classifier import find_truth
from bayfold.base.inputs import read_numeric_target, read_weights
from bayfold.base.options import TableLike, VectorLike
from bayfold.core.evidence import Records
from bayfold.evaluate.cross_validation import LEAST_PROBABILITY
from bayfold.evaluate.decisions import score_decisions


def compare_edits(
    model: Any, X: TableLike, y: VectorLike, sample_weight: VectorLike | None = None
) -> Records:
    """Measures of an edited model before its edits and after each of them, on some rows.

    Parameters
    ----------
    model : estimator
        With edits.
    X : array-like or frame of shape (n_rows, n_columns)
        Rows that the model was not fitted on, for an honest comparison.
    y : array-like of shape (n_rows,)
        Rows where it is missing, or a class the model does not know, are left out.
    sample_weight : array-like of shape (n_rows,), optional

    Returns
    -------
    records : Records
        One for the model before its edits and one after each: ``edit`` (0 before), ``action`` and ``reason``; of
        classes ``log_loss``, ``error``, ``auc`` and ``brier``, of numbers ``rmse``, ``mae`` and ``bias`` (mean
        prediction less mean target); ``change`` of the log-loss, or of the mean squared error, against the model
        before all edits, and its standard error over rows.

    Examples
    --------
    >>> from bayfold import NaiveBayesClassifier
    >>> from bayfold.datasets import make_credit
    >>> credit = make_credit(600)
    >>> model = NaiveBayesClassifier().fit(credit.frame, credit.target)
    >>> edited = model.remove_column("weekday", reason="of no use").cap("employment", 0.2, reason="policy 4")
    >>> compare_edits(edited, credit.frame, credit.target)["action"].tolist()
    ['before', 'remove_column', 'cap']
    """
    tables = model._tables_to_edit()
    edits = tables.model.edits
    if not edits:
        raise errors.nothing_edited(type(model).__name__)
    found = [judge_on_rows(tables.replay(k), X, y, sample_weight) for k in range(len(edits) + 1)]
    first = found[0][1]
    weights = found[0][2]
    changes = [np.average(loss - first, weights=weights) for _, loss, _ in found]
    columns = {
        "edit": np.arange(len(found)),
        "action": np.array(["before", *(edit.action for edit in edits)], object),
        "reason": np.array(["", *(edit.reason for edit in edits)], object),
    }
    for name in found[0][0]:
        columns[name] = np.array([measures[name] for measures, _, _ in found])
    columns["change"] = np.array(changes)
    columns["standard_error"] = np.array(
        [
            np.sqrt((weights**2 * (loss - first - change) ** 2).sum()) / weights.sum()
            for (_, loss, _), change in zip(found, changes, strict=True)
        ]
    )
    return Records(columns)


Judgement = tuple[dict[str, float], np.ndarray, np.ndarray]
"""Measures, and the loss and weight of each row."""


def judge_on_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> Judgement:
    """The measures of a fitted model on some rows."""
    judge = _judge_number if is_regressor(model) else _judge_class
    return judge(model, X, y, sample_weight)


def _judge_class(model: Any, X: Any, y: Any, sample_weight: Any) -> Judgement:
    probability = model.predict_proba(X)
    truth = find_truth(y, model.classes_, len(probability))
    learnt = truth.place_of >= 0
    rows = np.flatnonzero(truth.known)[learnt]
    weights = _weigh(sample_weight, len(probability))[rows]
    place = truth.place_of[learnt]
    probability = probability[rows]
    best = probability.argmax(axis=1)
    loss = -np.log(np.maximum(probability[np.arange(len(rows)), place], LEAST_PROBABILITY))
    known = score_decisions(place, probability, best, weights)
    measures = {
        "log_loss": float(np.average(loss, weights=weights)),
        "error": float(np.average(best != place, weights=weights)),
    }
    return measures | {name: known[name] for name in ("auc", "brier")}, loss, weights


def _judge_number(model: Any, X: Any, y: Any, sample_weight: Any) -> Judgement:
    predicted = model.predict(X)
    truth = read_numeric_target(y, len(predicted))
    known = ~np.isnan(truth)
    if not known.any():
        raise errors.target_missing_entirely()
    weights = _weigh(sample_weight, len(predicted))[known]
    off = (predicted - truth)[known]
    measures = {
        "rmse": float(np.sqrt(np.average(off**2, weights=weights))),
        "mae": float(np.average(np.abs(off), weights=weights)),
        "bias": float(np.average(off, weights=weights)),
    }
    return measures, off**2, weights


def _weigh(sample_weight: Any, n_rows: int) -> np.ndarray:
    weights = read_weights(sample_weight, n_rows)
    return np.ones(n_rows) if weights is None else weights
