"""The estimators of the library by their names on the command line, and the kind of a target: classes or numbers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
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


def choose_name(task: str, options: ModelOptions, default: str | None = None) -> str:
    """The name of the model that was asked for, here or in a file of settings, or else a default."""
    return options.model or read_settings(options.file)[0] or default or DEFAULTS[task]


def choose_model(task: str, options: ModelOptions, default: str | None = None) -> Any:
    """The estimator of a name, with the parameters that were given; those of the command line count."""
    known = MODELS[task]
    name = choose_name(task, options, default)
    if name not in known:
        raise errors.no_such_model(name, task, list(known))
    estimator = getattr(bayfold, known[name])()
    _, given = read_settings(options.file)
    parameters = estimator.get_params(deep=False)
    for key in given:
        if key not in parameters:
            raise errors.unknown_key(
                options.file, key, type(estimator).__name__, sorted(parameters)
            )
    estimator = with_settings(estimator, None, options.seed).set_params(**given)
    return with_settings(estimator, options.settings)


def read_settings(path: str | None) -> tuple[str | None, dict[str, Any]]:
    """The name of a model and its parameters in a TOML file."""
    if path is None:
        return None, {}
    try:
        given = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))  # editors may write a BOM
    except OSError as error:
        raise errors.unreadable_settings(path, error.strerror or str(error)) from error
    except ValueError as error:  # no TOML, or no UTF-8
        raise errors.unreadable_settings(path, str(error)) from error
    model = given.pop("model", None)
    if model is not None and not isinstance(model, str):
        raise errors.bad_key(path, "model", 'the name of a model, such as "boosted"', model)
    return model, given


def make_models(task: str, seed: int) -> dict[str, Any]:
    """All models of a task."""
    return {
        name: with_settings(getattr(bayfold, public)(), None, seed)
        for name, public in MODELS[task].items()
    }


def with_settings(estimator: Any, settings: Sequence[str] | None, seed: int | None = None) -> Any:
    """An estimator with parameters given as ``name=value``, and with a seed and a bar if it takes them."""
    known = estimator.get_params(deep=False)
    usual = {} if seed is None else {"random_state": seed, "progress": True}
    chosen = {name: value for name, value in usual.items() if name in known}
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
