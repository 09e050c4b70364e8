"""The estimators of the library by their names on the command line, and the kind of a target: classes or numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

import bayfold
from bayfold import errors
from bayfold.cli.options import ModelOptions, TargetOptions
from bayfold.core.frames import find_numbers, find_target_notation
from bayfold.core.frames.files import TableFile

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
    known = MODELS[task]
    name = choose_name(task, options)
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


TASKS = ("classification", "regression")
MOST_CLASSES = 10
"""Whole numbers of more different values than digits are more often amounts than names of classes."""


def find_task(file: TableFile, wanted: TargetOptions, is_whole: bool = True) -> tuple[str, str]:
    """The task, and what in the target says so; where these are the first rows alone, others may have more classes."""
    if wanted.task is not None:
        if wanted.task not in TASKS:
            raise errors.unknown_command_task(wanted.task, list(TASKS))
        return wanted.task, "as asked for"
    values = file.vector(wanted.target)
    known = [value for value in values.tolist() if value is not None and value == value]
    if not known:
        raise errors.no_target_known(file.path, wanted.target)
    if values.dtype.kind in "mM":
        raise errors.target_of_dates(wanted.target)
    distinct = set(known)
    if is_whole and len(distinct) == 1 and not isinstance(known[0], float):
        raise errors.one_class(file.path, wanted.target, known[0])
    notation = find_target_notation(values)
    if notation is not None and len(distinct) > MOST_CLASSES:
        return "regression", errors.written_numbers(known[0], *notation.example)
    if any(isinstance(value, (str, bool)) for value in distinct):
        return "classification", errors.count_classes(len(distinct))
    if any(value != np.floor(value) for value in distinct):
        return "regression", "numbers with decimals"
    if len(distinct) <= MOST_CLASSES:
        return "classification", errors.count_classes(len(distinct))
    return "regression", f"{len(distinct)} different numbers"


def read_target_column(file: TableFile, name: str, task: str) -> np.ndarray:
    """The target; whole numbers as integers where they are classes, other numbers as the text they were written as."""
    values = file.vector(name)
    if task == "regression":
        return find_numbers(values)
    if values.dtype.kind == "b" or any(isinstance(value, bool) for value in values.tolist()):
        return file.texts(name)  # as they were written: yes to TRUE, no to True
    if values.dtype.kind != "f":
        return values
    known = values[~np.isnan(values)]
    if (known != np.floor(known)).any():
        return file.texts(name)
    whole = np.array([None if np.isnan(value) else int(value) for value in values], object)
    return whole if len(known) < len(values) else whole.astype(np.int64)
