"""A small fitted model of every estimator and of every way in which one differs, and what it answers."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import bayfold
from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    ClassDecompositionClassifier,
    MDLDiscretizer,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesImputer,
    NaiveBayesMixture,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
    ViaRegressionClassifier,
)


@cache
def table(n: int = 120) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers, a few values, categories and gaps; three classes, and a number to be predicted."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "x": rng.normal(group, 1.0),
            "few": rng.integers(0, 4, n) + group,
            "letter": np.array(list("abcd"))[np.minimum(3, rng.poisson(group))],
            "z": rng.exponential(1.0 + group),
        }
    )
    X = X.astype({"few": float, "letter": object}).mask(rng.random(X.shape) < 0.05)
    return X, np.array(["no", "perhaps", "yes"])[group], group + rng.normal(size=n)


def two(y: np.ndarray) -> np.ndarray:
    return np.where(y == "no", "no", "yes")


def fit_classes(model: Any) -> Any:
    X, y, _ = table()
    return model.fit(X, y)


def fit_two(model: Any) -> Any:
    X, y, _ = table()
    return model.fit(X, two(y))


def fit_collapsed(model: Any) -> Any:
    return fit_classes(model).collapse()


def fit_collapsed_numbers(model: Any) -> Any:
    return fit_numbers(model).collapse()


def fit_edited(model: Any) -> Any:
    fitted = fit_two(model).edit("letter", "(missing)", 0.5, reason="why", author="who")
    return fitted.remove_column("few", reason="why").refit_intercept().undo(1)


def fit_numbers(model: Any) -> Any:
    X, _, t = table()
    return model.fit(X, t)


def fit_counts(model: Any) -> Any:
    X, y, t = table()
    return model.fit(X, np.maximum(np.floor(2 * t), 0.0), exposure=1.0 + (y == "no"))


def fit_alone(model: Any) -> Any:
    return model.fit(table()[0])


def fit_numeric(model: Any) -> Any:
    X, y, _ = table()
    return model.fit(X[["x", "few", "z"]], y)


def fit_batches(model: Any) -> Any:
    X, y, _ = table()
    for rows in (slice(0, 40), slice(40, 50), slice(50, 90)):
        model.partial_fit(X[rows], y[rows])
    return model


def fit_number_batches(model: Any) -> Any:
    X, _, t = table()
    return model.partial_fit(X[:40], t[:40]).partial_fit(X[40:50], t[40:50])


MODELS: dict[str, tuple[Callable[[Any], Any], Callable[[], Any]]] = {
    "naive bayes": (fit_classes, NaiveBayesClassifier),
    "two classes": (fit_two, NaiveBayesClassifier),
    "edited": (fit_edited, lambda: NaiveBayesClassifier(numeric="mdl")),
    "gaussian": (fit_classes, lambda: NaiveBayesClassifier(numeric="gaussian")),
    "kernel": (fit_two, lambda: NaiveBayesClassifier(numeric="kernel", calibration=None)),
    "equal width": (fit_two, lambda: NaiveBayesClassifier(numeric="equal_width", select=True)),
    "missing as category": (fit_classes, lambda: NaiveBayesClassifier(missing="category")),
    "text": (fit_classes, lambda: NaiveBayesClassifier(text_features=["letter"], ngrams=(1, 2))),
    "text in batches": (fit_batches, lambda: NaiveBayesClassifier(text_features=["letter"])),
    "stream": (fit_batches, NaiveBayesClassifier),
    "pairs": (fit_classes, AveragedOneDependenceClassifier),
    "pairs in batches": (fit_batches, AveragedOneDependenceClassifier),
    "pairs of merged bins": (fit_classes, lambda: AveragedOneDependenceClassifier(numeric="mdl")),
    "additive": (fit_classes, lambda: BoostedNaiveBayesClassifier(n_rounds=20, random_state=0)),
    "additive, two": (fit_two, lambda: BoostedNaiveBayesClassifier(n_rounds=20, random_state=0)),
    "collapsed": (fit_collapsed, lambda: BoostedNaiveBayesClassifier(n_rounds=9, random_state=0)),
    "additive, number": (fit_numbers, lambda: BoostedNaiveBayesRegressor(n_rounds=9)),
    "additive, count": (fit_counts, lambda: BoostedNaiveBayesRegressor(loss="poisson", n_rounds=9)),
    "additive, amount": (
        fit_counts,
        lambda: BoostedNaiveBayesRegressor(loss="tweedie", n_rounds=9),
    ),
    "collapsed, number": (fit_collapsed_numbers, lambda: BoostedNaiveBayesRegressor(n_rounds=9)),
    "votes": (fit_classes, lambda: AdaBoostNaiveBayesClassifier(n_rounds=5, random_state=0)),
    "votes of trees": (
        fit_classes,
        lambda: AdaBoostNaiveBayesClassifier(n_rounds=3, max_depth=1, random_state=0),
    ),
    "confidence": (fit_two, lambda: AdaBoostNaiveBayesClassifier(method="real", n_rounds=5)),
    "tree": (fit_classes, lambda: NaiveBayesTreeClassifier(min_samples_split=10, pruning=None)),
    "threshold tree": (
        fit_two,
        lambda: NaiveBayesTreeClassifier(split="threshold", min_samples_split=10, pruning=None),
    ),
    "decomposition": (
        fit_two,
        lambda: ClassDecompositionClassifier(n_clusters=2, random_state=0),
    ),
    "decomposition of trees": (
        fit_two,
        lambda: ClassDecompositionClassifier(
            NaiveBayesTreeClassifier(), NaiveBayesMixture(), n_clusters=2, random_state=0
        ),
    ),
    "regression": (fit_numbers, NaiveBayesRegressor),
    "regression in batches": (fit_number_batches, NaiveBayesRegressor),
    "frank1998": (fit_numbers, lambda: NaiveBayesRegressor(bandwidth="frank1998")),
    "via regression": (fit_classes, ViaRegressionClassifier),
    "mte": (fit_numbers, lambda: MTERegressor(n_pieces=4)),
    "mte with own intervals": (fit_numbers, lambda: MTERegressor(n_pieces=4, intervals="own")),
    "mte by em": (fit_numbers, lambda: MTERegressor(n_pieces=4, missing="em")),
    "mixture": (fit_alone, lambda: NaiveBayesMixture(n_components=2, random_state=0)),
    "imputer": (fit_alone, NaiveBayesImputer),
    "drawing imputer": (fit_alone, lambda: NaiveBayesImputer(strategy="draw", random_state=3)),
    "discretizer": (fit_numeric, MDLDiscretizer),
}
"""How it is fitted, and with what parameters."""


@cache
def fitted(name: str) -> Any:
    """The model of a name; not to be changed."""
    fit, make = MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(make())


SHOWN = (
    "classes_",
    "evidence_",
    "components_",
    "feature_importances_",
    "column_weights_",
    "selection_",
    "subclasses_",
    "trace_",
)


def answers(model: Any) -> dict[str, Any]:
    """All that a model says of its table, as text and bytes that are equal only if every bit is."""
    X = table()[0]
    return answers_of(model, X[["x", "few", "z"]] if isinstance(model, MDLDiscretizer) else X)


def answers_of(model: Any, X: Any) -> dict[str, Any]:
    """All that a model says of these rows."""
    said = {}
    for name in (
        "predict",
        "predict_proba",
        "predict_log_proba",
        "decision_function",
        "predict_distribution",
        "predict_interval",
        "predict_quantiles",
        "score_samples",
        "transform",
        "explain",
        "staged_predict_proba",
    ):
        if hasattr(model, name):
            said[name] = _answer(lambda name=name: getattr(model, name)(X))
    if hasattr(model, "sample"):
        said["sample"] = _answer(lambda: model.sample(7))
    if hasattr(model, "draw"):
        said["draw"] = _answer(lambda: model.draw(X, 2, random_state=1))
    for name in SHOWN:
        said[name] = _answer(lambda name=name: getattr(model, name, None))
    return said


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return _exact(ask())
    except (AttributeError, bayfold.errors.ModelFileError) as error:  # not with these parameters
        return str(error)


def _exact(answer: Any) -> Any:
    if isinstance(answer, np.ndarray) and answer.dtype != object:
        return answer.dtype.str, answer.shape, answer.tobytes()
    if isinstance(answer, np.ndarray):
        return answer.shape, [(type(v), repr(v)) for v in answer.ravel().tolist()]
    if isinstance(answer, bayfold.core.evidence.Records):
        return {name: _exact(answer[name]) for name in answer.names}
    if isinstance(answer, pd.DataFrame):
        return {name: _exact(answer[name].to_numpy()) for name in answer}
    if hasattr(answer, "mean") and hasattr(answer, "ppf"):
        return [_exact(a) for a in (answer.mean(), answer.ppf([0.1]), answer.sample(3, 0))]
    if hasattr(answer, "__next__") or isinstance(answer, (list, tuple)):
        return [_exact(part) for part in answer]
    return repr(answer)


def saved(model: Any, **settings: Any) -> bytes:
    """The bytes of the model's file."""
    file = io.BytesIO()
    model.save(file, **settings)
    return file.getvalue()


def reloaded(model: Any, **settings: Any) -> Any:
    """The model after it was saved and loaded."""
    return bayfold.load(io.BytesIO(saved(model, **settings)))
