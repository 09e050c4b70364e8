"""Quality of models on held-out rows, for `evaluate` and `compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import errors, evaluate
from bayfold.cli.models import MODELS, make_models
from bayfold.cli.output import split_names
from bayfold.cli.reading import Training
from bayfold.cli.show import find_console, show_records
from bayfold.core.evidence import Records
from bayfold.evaluate import compare_with_best


@dataclass(frozen=True)
class Measures:
    """How models of a task are judged; ``main`` is what decides."""

    validate: Callable[..., Any]
    summarise: Callable[[Any], Records]
    by_fold: Callable[[Any], Records]
    main: str
    digits: Mapping[str, int]


MEASURES = {
    "classification": Measures(
        evaluate.cross_validate,
        evaluate.summarise,
        evaluate.score_folds,
        "log_loss",
        {
            "error": 4,
            "error_sd": 4,
            "log_loss": 4,
            "auc": 3,
            "brier": 4,
            "f1": 3,
            "lift": 2,
            "seconds": 3,
        },
    ),
    "regression": Measures(
        evaluate.cross_validate_regressors,
        evaluate.summarise_regressors,
        evaluate.score_regressor_folds,
        "rmse",
        {"rmse": 4, "mae": 4, "r2": 3, "seconds": 3},
    ),
}


def judge(
    models: Mapping[str, Any],
    training: Training,
    n_folds: int,
    n_repeats: int,
    seed: int,
    limit: float | None = None,
) -> Any:
    """Every model on the same folds of the rows whose target is known."""
    known = training.with_known_target()
    check_enough_rows(known, n_folds)
    return MEASURES[training.task].validate(
        models,
        known.features,
        known.y,
        n_repeats=n_repeats,
        n_folds=n_folds,
        random_state=seed,
        sample_weight=known.weight,
        **known.units,
        time_limit=limit,
    )


def check_enough_rows(training: Training, n_folds: int) -> None:
    """Refuse more folds than there are rows, or rows of the largest class."""
    if training.task == "regression":
        most = len(training.y)
    else:
        most = int(np.unique(training.y.astype(str), return_counts=True)[1].max())
    if most < n_folds:
        raise errors.too_few_rows_for_folds(most, n_folds, training.task)


NOT_COMPARED = ("error_sd", "brier", "f1", "lift")
"""Measures that `evaluate` shows and a comparison leaves out, so that its table fits a terminal."""

LEVEL = 0.05
"""Below this a difference is called one, as is the custom."""


def choose_models(task: str, names: Sequence[str] | None, seed: int) -> dict[str, Any]:
    """The models of the library that were named, or all of them."""
    every = make_models(task, seed)
    asked = split_names(names)
    for name in asked:
        if name not in every:
            raise errors.no_such_model(name, task, list(MODELS[task]))
    return {name: every[name] for name in asked or every}


def compare_models(
    models: Mapping[str, Any],
    training: Training,
    folds: int,
    repeats: int,
    seed: int,
    limit: float | None,
) -> Records:
    """Scores of all models, best first, each with its distance from the best and the p of that."""
    measures = MEASURES[training.task]
    result = judge(models, training, folds, repeats, seed, limit)
    scores = measures.summarise(result)
    against = compare_with_best(measures.by_fold(result), measures.main, folds)
    order = [list(scores["model"]).index(name) for name in against["model"]]
    columns = {name: scores[name][order] for name in scores.names if name not in NOT_COMPARED}
    return Records(columns | {"difference": against["difference"], "p": against["p"]})


def show_comparison(found: Records, task: str, folds: int, repeats: int) -> None:
    """The table, and a sentence on how to read it."""
    measures = MEASURES[task]
    digits = {**measures.digits, "difference": 4, "p": 3}
    shown = {name: digits[name] for name in found.names if name in digits}
    show_records(f"On rows held out ({folds} folds, {repeats} repeat(s))", found, shown)
    equal = [str(name) for name, p in zip(found["model"], found["p"], strict=True) if p >= LEVEL]
    best = str(found["model"][0])
    rest = f"Not told apart from it: {', '.join(equal)}." if equal else "All others do worse."
    if np.isnan(found["p"]).all():
        rest = ""
    console = find_console()
    console.print(f"Best by {measures.main}: {best}. {rest}")
    console.print(
        "p: corrected t-test against the best, over folds, for all comparisons together (Holm). "
        "Names in brackets are models of scikit-learn."
    )
