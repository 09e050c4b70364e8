"""Quality section of the report: measures on held-out rows, for classes and for numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import evaluate
from bayfold.core.evidence import Records
from bayfold.core.frames import find_groups
from bayfold.core.frames.concat import take_rows
from bayfold.errors import DataWarning, UnseenCategoryWarning
from bayfold.evaluate.peers import MOST_DUMMIES, make_peers
from bayfold.plot.texts import shorten_names
from bayfold.report.columns import describe_numbers


def describe_target(name: str, y: np.ndarray, task: str) -> dict[str, Any]:
    """The classes with their shares, or the range of the numbers."""
    if task == "regression":
        return {"name": name, "classes": None, **describe_numbers(y)}
    codes, groups = find_groups(y)
    counts = np.bincount(codes[codes >= 0], minlength=len(groups))
    shares = counts / counts.sum()
    return {
        "name": name,
        "classes": [
            {"name": str(group), "count": int(count), "share": float(share)}
            for group, count, share in zip(groups, counts, shares, strict=True)
        ],
    }


CONFUSED = 12
"""A table of more classes than that is not read by anyone: it is drawn."""
DRAWN_CLASSES = 100
"""Of more classes the picture would be of single points."""
MOST_MISTAKES = 15
"""Pairs of classes that are listed, those with most rows."""
CLASS_MEASURES = ("model", "error", "log_loss", "brier", "auc", "f1", "lift")
"""Of each model, in the order they are shown."""
SHOWN_COSTS = ((10.0, 1.0), (1.0, 1.0), (1.0, 10.0))
"""Costs of a first class taken for the second and of the reverse: one mistake dear, or both alike (round numbers)."""
CURVE_POINTS = 100
"""Points of a cost curve along the probabilities, and as many along the rows: one every two or three pixels."""


def judge_classes(
    models: dict[str, Any], X: Any, y: np.ndarray, per_row: dict[str, Any], folds: int
) -> tuple[dict[str, Any], np.ndarray, np.ndarray | None]:
    """Scores and pictures of the first model beside the others, and how surprising which rows were to it."""
    result = evaluate.cross_validate(
        models, X, name_classes(y), n_repeats=1, n_folds=folds, **per_row
    )
    found = {
        "folds": result.n_folds,
        "scores": [
            {name: value if value == value else None for name, value in row.items()}
            for row in as_rows(evaluate.summarise(result), CLASS_MEASURES)
        ],
        "reliability": None,
        "costs": None,
        "confusion": _confuse(result),
    }
    if result.confidence is not None and np.isfinite(result.confidence[0]).all():
        found["reliability"] = _relate(result)
        found["costs"] = _find_costs(result) if len(result.classes) == 2 else None
        return found, result.loss[0, 0], result.rows
    return found, (result.predicted[0, 0] != result.truth).astype(np.float64), result.rows


def name_classes(y: np.ndarray) -> np.ndarray:
    """The target as text where its classes are neither text nor numbers, such as dates: scikit-learn refuses those."""
    if y.dtype.kind != "O":
        return y
    codes, groups = find_groups(y)
    if all(isinstance(group, str | int | float | np.generic) for group in groups):
        return y
    return np.array([str(group) for group in groups], object)[codes]


def _relate(result: evaluate.CrossValidation) -> dict[str, Any]:
    """What was predicted against what came of it: of the second of two classes, or of the predicted one."""
    assert result.confidence is not None  # checked by the caller
    predicted = result.predicted[0, 0]
    if len(result.classes) == 2:
        p = _second_of_two(result)
        came = result.truth == 1
        of = f"probability of {shorten_names([str(result.classes[1])], 24)[0]}"
    else:
        p = result.confidence[0, 0]
        came = predicted == result.truth
        of = "probability of the predicted class"
    bins = evaluate.find_reliability(came, np.clip(p, 0.0, 1.0), 10, classes=[False, True])
    low, high = bins.interval()
    return {
        "of": of,
        "error": bins.error,
        "predicted": bins.predicted.tolist(),
        "observed": bins.observed.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "count": bins.count.tolist(),
    }


def _second_of_two(result: evaluate.CrossValidation) -> np.ndarray:
    """The probability of the second of two classes."""
    assert result.confidence is not None  # checked by the caller
    certain = result.confidence[0, 0]
    return np.clip(np.where(result.predicted[0, 0] == 1, certain, 1 - certain), 0.0, 1.0)


def _find_costs(result: evaluate.CrossValidation) -> dict[str, Any]:
    """What decisions cost by threshold, for some costs of both mistakes, and the threshold that is best.

    Costs are means of a row. The threshold that is expected is that of ``decide``.
    """
    p = _second_of_two(result)
    curves = []
    for false_second, false_first in SHOWN_COSTS:
        table = np.array([[0.0, false_second], [false_first, 0.0]])
        curve = evaluate.find_cost_curve(
            result.classes[result.truth],
            p,
            table,
            classes=result.classes,
            sample_weight=result.weight,
        )
        decided = (p > curve.expected).astype(np.int64)
        best = int(curve.cost.argmin())
        shown = _choose_points(curve.threshold, best)
        curves.append(
            {
                "false_second": false_second,
                "false_first": false_first,
                "best": min(curve.best, 1.0),
                "best_is": {0: "always", len(curve.cost) - 1: "never"}.get(best),
                "best_cost": float(curve.cost[best]),
                "expected": curve.expected,
                "expected_cost": float(
                    np.average(table[result.truth, decided], weights=result.weight)
                ),
                "alike_cost": float(min(curve.cost[0], curve.cost[-1])),
                "threshold": np.minimum(curve.threshold[shown], 1.0).tolist(),
                "cost": curve.cost[shown].tolist(),
            }
        )
    first, second = result.classes.tolist()
    return {
        "classes": shorten_names([str(first), str(second)], 24),
        "call": f"model.decide(X, costs={{{first!r}: {{{second!r}: 10}}, {second!r}: {{{first!r}: 1}}}})",
        "curves": curves,
    }


def _choose_points(threshold: np.ndarray, best: int) -> np.ndarray:
    """Positions of the points of a curve that are drawn: the best one, the ends, and some between."""
    last = len(threshold) - 1
    by_row = np.linspace(0, last, CURVE_POINTS).astype(np.int64)
    by_size = np.searchsorted(threshold, np.linspace(0, 1, CURVE_POINTS)).clip(0, last)
    return np.unique(np.concatenate([by_row, by_size, [best]]))


def _confuse(result: evaluate.CrossValidation) -> dict[str, Any]:
    """How many rows of each class were taken for each, and the most frequent mistakes."""
    n = len(result.classes)
    counts = np.zeros((n, n), np.int64)
    np.add.at(counts, (result.truth, result.predicted[0, 0]), 1)
    names = [str(c) for c in result.classes]
    wrong = np.where(np.eye(n, dtype=bool), 0, counts)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_MISTAKES]
    pairs = [divmod(int(place), n) for place in order if wrong.flat[place]]
    rows = counts.sum(axis=1)
    return {
        "classes": names,
        "as_table": n <= CONFUSED,
        "counts": counts.tolist() if n <= DRAWN_CLASSES else None,
        "mistakes": [
            {
                "truth": names[k],
                "predicted": names[j],
                "count": int(counts[k, j]),
                "share": float(counts[k, j] / rows[k]),
            }
            for k, j in pairs
        ],
    }


def as_rows(records: Records, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Some columns of records, one dict each."""
    return [{name: record[name] for name in names} for record in records]


MOST_POINTS = 800
"""Points of a scatter plot: more are a cloud, and a page of megabytes."""


def judge_numbers(
    models: dict[str, Any], X: Any, y: np.ndarray, per_row: dict[str, Any], folds: int
) -> tuple[dict[str, Any], np.ndarray, np.ndarray | None]:
    """Scores and pictures of the first model beside the others, and how surprising which rows were to it."""
    result = evaluate.cross_validate_regressors(models, X, y, n_repeats=1, n_folds=folds, **per_row)
    predicted = result.predicted[0, 0]
    rows = np.arange(len(result.truth))
    if len(rows) > MOST_POINTS:
        rows = rows[:: len(rows) // MOST_POINTS + 1]
    found = {
        "folds": result.n_folds,
        "scores": as_rows(evaluate.summarise_regressors(result), ("model", "rmse", "mae", "r2")),
        "points": {"truth": result.truth[rows].tolist(), "predicted": predicted[rows].tolist()},
        "coverage": None,
    }
    model = next(iter(models.values()))
    if not hasattr(model, "predict_distribution"):
        return found, np.abs(result.truth - predicted), result.rows
    held_out = evaluate.cross_validate_distributions(model, X, y, n_folds=folds, **per_row)
    found["coverage"] = as_rows(evaluate.find_coverage(held_out), ("promised", "observed", "width"))
    return found, -held_out.log_density, result.rows


JUDGED_ROWS = 20_000
"""Rows a model is judged on: an error of a tenth is then known to within 0.2 points (one standard error)."""

JUDGES: dict[str, Callable[..., tuple[dict[str, Any], np.ndarray, np.ndarray | None]]] = {
    "classification": judge_classes,
    "regression": judge_numbers,
}


@dataclass(frozen=True, eq=False)
class Judged:
    """What was found on held-out rows.

    Attributes
    ----------
    found : dict or None
        Scores and what is drawn of them; None where there are too few rows to hold some out.
    warnings : list of str
        What the fits said about the table.
    surprise : ndarray
        How little each judged row was expected: minus the log-probability or log-density of what came true.
    rows : ndarray of int
        Which rows were judged.
    """

    found: dict[str, Any] | None
    warnings: list[str]
    surprise: np.ndarray
    rows: np.ndarray


def judge_rows(
    model: Any, X: Any, y: np.ndarray, task: str, per_row: dict[str, Any], n_folds: int
) -> Judged:
    """Cross-validate a model beside baselines, on a sample of the rows where there are many.

    ``per_row`` has the weights, groups and times that ``fit`` was given.
    """
    rows = _choose_rows(len(y))
    if len(rows) < len(y):
        X = take_rows(X, rows)
        y = y[rows]
        per_row = {name: values[rows] for name, values in per_row.items()}
    folds = min(n_folds, _most_folds(y, task))
    if folds < 2:
        return Judged(None, [], np.empty(0), rows[:0])
    models = {"this model": model, **make_peers(task, 0, only_baselines=True)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found, surprise, held_out = JUDGES[task](models, X, y, per_row, folds)
    rows = rows if held_out is None else rows[held_out]
    by = [name for name in ("groups", "time") if name in per_row]
    texts = [
        str(w.message)
        for w in caught
        # a category that a fold lacks is no news about the table
        if issubclass(w.category, DataWarning) and not issubclass(w.category, UnseenCategoryWarning)
    ]
    return Judged(
        {"rows": len(rows), "by": by, "most_dummies": MOST_DUMMIES, **found},
        list(dict.fromkeys(texts)),
        surprise,
        rows,
    )


def _choose_rows(n_rows: int) -> np.ndarray:
    """All rows, or as many as are judged, drawn with a fixed seed: the same table has the same report."""
    if n_rows <= JUDGED_ROWS:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, JUDGED_ROWS, replace=False))


def _most_folds(y: np.ndarray, task: str) -> int:
    if task == "regression":
        return len(y)
    return int(np.unique(y.astype(str), return_counts=True)[1].max())
