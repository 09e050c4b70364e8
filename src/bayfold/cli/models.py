"""The models of the library by their names on the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import bayfold
from bayfold import errors
from bayfold.cli.options import ModelOptions

MODELS = {
    "classification": {
        "naive-bayes": "NaiveBayesClassifier",
        "boosted": "BoostedNaiveBayesClassifier",
        "aode": "AveragedOneDependenceClassifier",
        "tree": "NaiveBayesTreeClassifier",
        "adaboost": "AdaBoostNaiveBayesClassifier",
        "decomposition": "ClassDecompositionClassifier",
        "via-regression": "ViaRegressionClassifier",
    },
    "regression": {
        "naive-bayes": "NaiveBayesRegressor",
        "boosted": "BoostedNaiveBayesRegressor",
        "mte": "MTERegressor",
    },
}

DEFAULTS = {"classification": "naive-bayes", "regression": "boosted"}
"""Of numbers the boosted tables: a tenth less error than naive Bayes on 38 datasets (benchmarks/results/numbers.md)."""


def choose_name(task: str, options: ModelOptions) -> str:
    """The name of the model that was asked for, or else that of the task's default."""
    return options.model or DEFAULTS[task]


def choose_model(task: str, options: ModelOptions) -> Any:
    """The estimator of a name, with the parameters that were given."""
    known, name = MODELS[task], choose_name(task, options)
    if name not in known:
        raise errors.no_such_model(name, task, list(known))
    return with_settings(getattr(bayfold, known[name])(), options.settings, options.seed)


def make_models(task: str, seed: int) -> dict[str, Any]:
    """All models of a task."""
    return {
        name: with_settings(getattr(bayfold, public)(), None, seed)
        for name, public in MODELS[task].items()
    }


def with_settings(estimator: Any, settings: Sequence[str] | None, seed: int) -> Any:
    """An estimator with parameters given as ``name=value``, and with a seed if it takes one."""
    known = estimator.get_params(deep=False)
    chosen = {
        name: value for name, value in (("random_state", seed), ("progress", True)) if name in known
    }
    for setting in settings or ():
        name, equals, value = setting.partition("=")
        if not equals:
            raise errors.bad_setting(setting)
        if name not in known:
            raise errors.no_such_setting(name, type(estimator).__name__, sorted(known))
        chosen[name] = _read_value(value)
    return estimator.set_params(**chosen)


def _read_value(text: str) -> Any:
    """Numbers, lists, true and null as JSON has them; anything else is a word."""
    words = {"True": True, "False": False, "None": None}
    try:
        return words[text] if text in words else json.loads(text)
    except ValueError:
        return text
