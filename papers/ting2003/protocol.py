"""How Tables 2 to 4 of Ting & Zheng (2003) are measured: ten repeats of three folds, 100 rounds, without Coding.

LNBT(d) is a tree of at most d levels with naive Bayes in its leaves, BLNBT(d) its boosting by AdaBoost.M1. Estimates
are those of the paper: denominators count rows whose value is missing too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

import bayfold
from papers.shared.experiment import Experiment, Row, Unit, repeated_folds
from papers.shared.tables import read_dataset, read_frame
from papers.shared.weka import BOOSTED_C45, C45, predict_folds

NAME = "ting2003"
REPEATS, FOLDS, ROUNDS = 10, 3, 100
OTHER_REPEATS = 2
"""Of what is no column of the published tables: defaults, C4.5, and choices that the paper leaves open."""

DEPTHS = (0, 1, 3, 5, 10)
DEPTHS_OF_VARIANTS = (1, 3, 10)
STAGES = (1, 3, 10, 30, 100)
"""Numbers of rounds T in the sweep."""

FILES = {
    "Abalone": "abalone3",
    "Annealing": "anneal.ORIG",
    "Audiology": "audiology",
    "Breast (W)": "breast-w",
    "Chess (kr-kp)": "kr-vs-kp",
    "Credit (A)": "credit-a",
    "DNA": "dna",
    "Glass": "glass",
    "Heart (C)": "heart-cleveland-num",
    "Horse colic": "colic",
    "House Votes 84": "vote",
    "Hypothyroid": "hypothyroid-3163",
    "LED24": "led24",
    "Liver disorder": "bupa",
    "Nettalk(s)": "nettalk-stress",
    "Nursery": "nursery",
    "Pima": "diabetes",
    "Primary tumor": "primary-tumor",
    "Satellite": "satimage",
    "Solar flare": "solar-flare",
    "Sonar": "sonar",
    "Soybean": "soybean",
    "Splice junction": "splice-3177",
    "Tic-tac-toe": "tic-tac-toe",
}
"""The paper's names and those of the files."""

TREE, BOOSTED_TREE = "C4.5", "boosted C4.5"
DEFAULTS = {
    "bayfold default": lambda: bayfold.NaiveBayesClassifier(n_jobs=1),
    "bayfold tree": lambda: bayfold.NaiveBayesTreeClassifier(n_jobs=1),
    "bayfold boosted": lambda: bayfold.BoostedNaiveBayesClassifier(n_jobs=1),
}
AS_WRITTEN = "thresholds, 30 rows in a node"
VARIANTS: dict[str, dict[str, Any]] = {
    AS_WRITTEN: {"split": "threshold", "min_samples_branch": None},
    "thresholds, 30 rows in every branch": {"split": "threshold", "min_samples_branch": 30.0},
    "branches by MDL bins, 30 rows in a node": {"split": "multiway", "min_samples_branch": None},
    "branches by MDL bins, 30 rows in every branch": {
        "split": "multiway",
        "min_samples_branch": 30.0,
    },
}
"""Tests of numbers and the rule of 30 examples. The paper writes of nodes of fewer than 30, and its Figure 1 tests
``Temperature > 70``: so the first, which the tables use. Branches are then bound by C4.5's rules alone.
"""


def single(depth: int) -> str:
    """The name of the tree."""
    return f"LNBT({depth})"


def boosted(depth: int) -> str:
    """The name of its boosting."""
    return f"BLNBT({depth})"


def make_model(method: str, variant: str) -> Any:
    """An unfitted model."""
    if method in DEFAULTS:
        return DEFAULTS[method]()
    depth = int(method.split("(")[1][:-1])
    tree = make_tree(depth, variant or AS_WRITTEN)
    return tree.set_params(n_jobs=1) if method == single(depth) else make_boosted(tree)


def make_tree(depth: int, variant: str = AS_WRITTEN) -> bayfold.NaiveBayesTreeClassifier:
    """LNBT(d); LNBT(0) is naive Bayes, which splits nothing."""
    tree = bayfold.NaiveBayesTreeClassifier(
        max_depth=depth,
        utility="gain_ratio",
        min_samples_split=30,
        pruning=None,
        calibration=None,
        m=2.0,
        denominator="all",
    )
    return tree.set_params(**VARIANTS[variant]) if depth else tree


def make_boosted(tree: bayfold.NaiveBayesTreeClassifier) -> bayfold.AdaBoostNaiveBayesClassifier:
    """BLNBT(d)."""
    return bayfold.AdaBoostNaiveBayesClassifier(
        method="m1",
        base=tree,
        n_rounds=ROUNDS,
        restarts=True,
        calibration=None,
        class_weight=None,
        random_state=0,
        n_jobs=1,
    )


FIELDS = ("error", "depth", "restarts", *(f"error_{t}" for t in STAGES), "seconds", "predicted")


def measure(unit: Unit) -> list[Row]:
    """Errors in %, and every predicted class as a character, for bias and variance."""
    file = FILES[unit.dataset]
    frame, target = read_frame(file, "classification")
    classes = np.unique(target)
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=unit.repeat)
    every = list(splits.split(target, target))
    folds = [every[k] for k in unit.folds]
    if unit.method in (TREE, BOOSTED_TREE):
        system = C45 if unit.method == TREE else BOOSTED_C45
        found = predict_folds(read_dataset(file, "classification")[0], target, folds, system)
        return [
            describe(p, target[test], classes) for p, (_, test) in zip(found, folds, strict=True)
        ]
    rows = []
    for train, test in folds:
        start = time.process_time()
        model = make_model(unit.method, unit.parameters).fit(frame.take(train), target[train])
        predicted = model.predict(frame.take(test))
        row = describe(predicted, target[test], classes)
        row["seconds"] = time.process_time() - start
        row["depth"] = float(getattr(model, "depth_", np.nan))
        if unit.method.startswith("BLNBT") and not unit.parameters:
            row |= sweep(model, frame.take(test), target[test])
        rows.append(row)
    return rows


def describe(predicted: np.ndarray, truth: np.ndarray, classes: np.ndarray) -> Row:
    """The error, and the predicted classes one character each."""
    row: Row = dict.fromkeys(FIELDS, np.nan)
    row["error"] = float(100 * np.mean(predicted.astype(str) != truth))
    row["predicted"] = "".join(DIGITS[k] for k in np.searchsorted(classes, predicted.astype(str)))
    return row


DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def sweep(model: Any, rows: Any, truth: np.ndarray) -> Row:
    """Errors after fewer rounds, and how often weights were drawn anew."""
    found: Row = {"restarts": int(np.sum(model.round_restarts_))}
    for t, probability in enumerate(model.staged_predict_proba(rows), start=1):
        if t in STAGES:
            wrong = model.classes_[probability.argmax(axis=1)].astype(str) != truth
            found[f"error_{t}"] = float(100 * np.mean(wrong))
    return found


def plan(quick: bool) -> Iterator[Unit]:
    """The tables first, then what stands beside them."""
    names = list(FILES)
    tables = [name(depth) for depth in DEPTHS for name in (single, boosted)]
    yield from repeated_folds(names, tables, REPEATS, FOLDS, quick)
    yield from repeated_folds(names, list(DEFAULTS), OTHER_REPEATS, FOLDS, quick)
    some = [name(depth) for depth in DEPTHS_OF_VARIANTS for name in (single, boosted)]
    for variant in list(VARIANTS)[1:]:
        yield from repeated_folds(names, some, OTHER_REPEATS, FOLDS, quick, variant)
    yield from repeated_folds(names, [TREE], OTHER_REPEATS, FOLDS, quick)
    small = [name for name in names if name not in LARGE] if quick else names
    yield from repeated_folds(small, [BOOSTED_TREE], OTHER_REPEATS, FOLDS, quick)


LARGE = ("Nursery", "Satellite", "Nettalk(s)", "Abalone", "DNA", "Splice junction", "Chess (kr-kp)")
"""A hundred trees of the original system take minutes there: not for a quick run."""

ERRORS = Experiment(NAME, "errors", FIELDS, plan, measure)
