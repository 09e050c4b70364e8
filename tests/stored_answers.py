"""Compare the answers of two states of the code, bit by bit.

Run ``python -m tests.stored_answers store`` before a change that must change no answer, and ``python -m
tests.stored_answers compare`` after it. Every estimator is fitted to ten made tables, and every model of
``tests/persist/models.py`` to its own. What is kept is one hash per answer, in an ignored file: the last
bits of an answer depend on the machine, so the file is not committed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bayfold
from bayfold.datasets import make_credit
from tests.persist.models import MODELS, answers, answers_of, fitted

STORED = Path(".stored_answers.json")

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "naive bayes": bayfold.NaiveBayesClassifier,
    "aode": bayfold.AveragedOneDependenceClassifier,
    "boosted": lambda: bayfold.BoostedNaiveBayesClassifier(random_state=0),
    "adaboost": lambda: bayfold.AdaBoostNaiveBayesClassifier(n_rounds=10, random_state=0),
    "tree": bayfold.NaiveBayesTreeClassifier,
    "decomposition": lambda: bayfold.ClassDecompositionClassifier(random_state=0),
}
REGRESSORS: dict[str, Callable[[], Any]] = {
    "kernel regression": bayfold.NaiveBayesRegressor,
    "boosted numbers": lambda: bayfold.BoostedNaiveBayesRegressor(random_state=0),
    "mte": bayfold.MTERegressor,
}
OTHERS: dict[str, Callable[[], Any]] = {
    "mixture": lambda: bayfold.NaiveBayesMixture(n_components=3, random_state=0),
    "imputer": bayfold.NaiveBayesImputer,
}
TEXT_MODELS = ("naive bayes", "boosted", "kernel regression")
SHOWN_ROWS = 200


def make_tables() -> Iterator[tuple[str, Any, np.ndarray, np.ndarray, np.ndarray | None]]:
    """Name, columns, classes, numbers and weights of each table."""
    rng = np.random.default_rng(31)
    credit = make_credit(2000, random_state=1)
    yield "credit", credit.frame, credit.target, rng.gamma(2.0, size=2000), None
    for name, n, n_classes, missing in (
        ("mixed", 600, 2, 0.1),
        ("three classes", 400, 3, 0.0),
        ("thirty classes", 1500, 30, 0.05),
        ("few rows", 25, 2, 0.2),
        ("many rows", 30_000, 2, 0.02),
    ):
        frame, group = _mixed(rng, n, n_classes, missing)
        yield name, frame, _label(group), rng.normal(group, 1.0), None
    frame, group = _mixed(rng, 500, 2, 0.1)
    yield "weights", frame, _label(group), rng.normal(group, 1.0), rng.integers(1, 4, 500) * 1.0
    numbers = rng.normal(size=(800, 12))
    yield "numbers", numbers, _label(numbers[:, 0] > 0.3), np.exp(numbers[:, 1]), None
    frame, group = _mixed(rng, 150, 2, 0.0)
    copies = pd.concat([frame] * 4, ignore_index=True)
    yield "copies", copies, _label(np.tile(group, 4)), np.tile(group, 4) * 1.5, None
    group = rng.integers(0, 2, 300)
    texts = [" ".join(rng.choice(_WORDS[g : g + 20], 6)) + f" {i}" for i, g in enumerate(group)]
    frame = pd.DataFrame({"note": texts, "x": rng.normal(group, 1.0)})
    yield "texts", frame, _label(group), rng.normal(group, 1.0), None


_WORDS = np.array([f"{a}{b}" for a in "abcde" for b in "lmnop"])


def _mixed(
    rng: np.random.Generator, n: int, n_classes: int, missing: float
) -> tuple[pd.DataFrame, np.ndarray]:
    group = np.append(np.repeat(np.arange(n_classes), 2), rng.integers(0, n_classes, n))[:n]
    frame = pd.DataFrame(
        {
            "normal": rng.normal(group, 2.0),
            "tail": rng.lognormal(group / n_classes),
            "whole": rng.poisson(group + 1.0).astype(float),
            "city": rng.choice([f"c{i}" for i in range(40)], n),
            "letter": np.array(list("abcdef"))[(group + rng.integers(0, 3, n)) % 6],
            "flag": rng.random(n) < 0.2 + 0.5 * (group % 2),
            "noise": rng.random(n),
        }
    )
    return frame.astype({"flag": object}).mask(rng.random(frame.shape) < missing), group


def _label(group: np.ndarray) -> np.ndarray:
    return np.array([f"class {int(g)}" for g in group])


def all_answers() -> Iterator[tuple[str, Any]]:
    """Each answer of each model, by a name that says whose it is."""
    for name in MODELS:
        for asked, answer in answers(fitted(name)).items():
            yield f"{name} / {asked}", answer
    for table, X, classes, numbers, weight in make_tables():
        for kinds, y in ((CLASSIFIERS, classes), (REGRESSORS, numbers), (OTHERS, None)):
            for kind, make in kinds.items():
                if table == "texts" and kind not in TEXT_MODELS:
                    continue
                for asked, answer in _ask(make, X, y, weight).items():
                    yield f"{table} / {kind} / {asked}", answer


def _ask(make: Callable[[], Any], X: Any, y: Any, weight: np.ndarray | None) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = make().fit(X, y) if weight is None else make().fit(X, y, sample_weight=weight)
            return answers_of(model, X[:SHOWN_ROWS])
        except (TypeError, ValueError) as error:  # said to people, not a crash
            return {"error": str(error)}


def main() -> None:
    """Store the answers, or compare with what was stored."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["store", "compare"])
    what = parser.parse_args().what
    hashes = {
        name: hashlib.sha256(repr(answer).encode()).hexdigest() for name, answer in all_answers()
    }
    if what == "store":
        STORED.write_text(json.dumps(hashes, indent=0))
        print(f"{len(hashes)} answers stored in {STORED}")
        return
    stored = json.loads(STORED.read_text())
    changed = [name for name in stored | hashes if stored.get(name) != hashes.get(name)]
    print("\n".join(changed))
    print(f"{len(changed)} of {len(hashes)} answers differ")
    raise SystemExit(bool(changed))


if __name__ == "__main__":
    main()
