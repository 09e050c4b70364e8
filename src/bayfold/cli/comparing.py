"""All models on the same folds, and what the differences between them are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.cli.judging import MEASURES, judge
from bayfold.cli.models import MODELS, make_models
from bayfold.cli.names import split_names
from bayfold.cli.reading import Training
from bayfold.cli.show import find_console, show_records
from bayfold.core.evidence import Records
from bayfold.evaluate import compare_with_best

LEVEL = 0.05
"""Below this a difference is called one, as is the custom."""


def choose_models(task: str, names: Sequence[str] | None, seed: int) -> dict[str, Any]:
    """The models of the library that were named, or all of them."""
    every, asked = make_models(task, seed), split_names(names)
    for name in asked:
        if name not in every:
            raise errors.no_such_model(name, task, list(MODELS[task]))
    return {name: every[name] for name in asked or every}


def compare_models(
    models: Mapping[str, Any], training: Training, folds: int, repeats: int, seed: int
) -> Records:
    """Scores of all models, best first, each with its distance from the best and the p of that."""
    measures = MEASURES[training.task]
    result = judge(models, training, folds, repeats, seed)
    scores = measures.summarise(result)
    against = compare_with_best(measures.by_fold(result), measures.main, folds)
    order = [list(scores["model"]).index(name) for name in against["model"]]
    columns = {name: scores[name][order] for name in scores.names if name != "error_sd"}
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
